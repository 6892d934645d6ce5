# SPDX-License-Identifier: MIT
# "@cuda-emulated": the kernels of chainer/backend/cuda/kernels compiled by the host's compiler, and the emulation that
# runs them. Programs that link these objects have the devices; the library does not contain them.
file(GLOB emulated CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/kernels/*.cpp
     ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/emulation/*.cpp ${PROJECT_SOURCE_DIR}/chainer/core/system/fiber*.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(FILTER emulated EXCLUDE REGEX "/fiber_ucontext\\.cpp$")
else()
  list(FILTER emulated EXCLUDE REGEX "/fiber_x86\\.cpp$")
endif()
add_library(chainer_cuda_emulated OBJECT EXCLUDE_FROM_ALL ${emulated})
target_link_libraries(chainer_cuda_emulated PRIVATE chainer::chainer chainer_options)
# For the Python module.
set_target_properties(chainer_cuda_emulated PROPERTIES POSITION_INDEPENDENT_CODE ON)
# int64 wraps around, as on devices.
target_compile_options(chainer_cuda_emulated PRIVATE -fwrapv)
# The thread sanitizer does not support fibers.
set(CHAINER_CUDA_EMULATED ON)
if(CHAINER_SANITIZE MATCHES "thread")
  set(CHAINER_CUDA_EMULATED OFF)
endif()
