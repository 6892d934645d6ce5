# "@cuda-emulated": the kernels of chainer/backend/cuda/kernels compiled by the host's compiler, and the emulation that
# runs them. A program that links these objects has the devices; the library itself has not.
file(GLOB emulated CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/kernels/*.cpp
     ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/emulation/*.cpp ${PROJECT_SOURCE_DIR}/chainer/core/fiber*.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(FILTER emulated EXCLUDE REGEX "/fiber_ucontext\\.cpp$")
else()
  list(FILTER emulated EXCLUDE REGEX "/fiber_x86\\.cpp$")
endif()
add_library(chainer_cuda_emulated OBJECT EXCLUDE_FROM_ALL ${emulated})
target_link_libraries(chainer_cuda_emulated PRIVATE chainer::chainer chainer_options)
# int64 wraps around, as on a device.
target_compile_options(chainer_cuda_emulated PRIVATE -fwrapv)
# The thread sanitizer does not know which fiber runs.
set(CHAINER_CUDA_EMULATED ON)
if(CHAINER_SANITIZE MATCHES "thread")
  set(CHAINER_CUDA_EMULATED OFF)
endif()
