# SPDX-License-Identifier: MIT
# The kernels of CUDA devices, compiled if nvcc is found and works: for compute capability 8.0 and 9.0, for 10.0 and 12.0
# if nvcc knows them, and as PTX for others. They are embedded in the library, and the driver loads them from memory; no other part of CUDA is needed
# to build or run. (Library.cmake includes the sources.)
option(CHAINER_CUDA "Compile kernels for CUDA devices where nvcc is installed" ON)
set(CHAINER_NVCC_VERSION "")
set(CHAINER_NOTE_CUDA "")
set(cuda_folder ${PROJECT_SOURCE_DIR}/chainer/backend/cuda)
set(cuda_kernels_source ${cuda_folder}/kernels_none.cpp ${cuda_folder}/kernels_later_none.cpp)
# Kernels that train_mnist does not use; First.cmake compiles them later.
set(cuda_later convolution copy_list ctc cumprod linalg moments pooling random recurrent regions running_products scan
               sort sparse)
set(cuda_later_source "")
set(cuda_first_source "")
# Headers included by programs that NVRTC compiles (kernels/compiled.h), also embedded in the library.
set(cuda_headers array/operations/elementwise_ops.h backend/common/float_special.h backend/common/formula_basic.h
                 backend/common/formula_math.h backend/common/vector_math.h)
foreach(name compiled dialect formulas program special text types)
  list(APPEND cuda_headers backend/cuda/kernels/${name}.h)
endforeach()
file(GLOB cuda_kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/kernels/*.cpp)
if(CHAINER_CUDA AND NOT CMAKE_CROSSCOMPILING)
  find_program(CHAINER_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin)
endif()
set(cuda_machines sm_80,sm_90)
if(CHAINER_CUDA AND CHAINER_NVCC)
  execute_process(COMMAND ${CHAINER_NVCC} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  foreach(machine sm_100 sm_120)
    if(known MATCHES "${machine}[ \n]")
      string(APPEND cuda_machines ",${machine}")
    endif()
  endforeach()
endif()
set(nvcc_options -x cu -std=c++20 -I${PROJECT_SOURCE_DIR} --fmad=false -Werror all-warnings -Xfatbin -compress-all
                 -gencode arch=compute_80,code=[${cuda_machines},compute_80])
if(CHAINER_CUDA AND CHAINER_NVCC)
  set(tried ${PROJECT_BINARY_DIR}/cuda/tried.fatbin)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
  execute_process(COMMAND ${CHAINER_NVCC} ${nvcc_options} -fatbin ${PROJECT_SOURCE_DIR}/chainer/backend/cuda/kernels/fill.cpp
                          -o ${tried} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${CHAINER_NVCC} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(failed OR NOT version MATCHES "release ([0-9]+)\\.([0-9]+)")
    set(CHAINER_NOTE_CUDA "${CHAINER_NVCC} does not compile the kernels")
  else()
    set(CHAINER_NVCC_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
    math(EXPR cuda_version "${CMAKE_MATCH_1} * 1000 + ${CMAKE_MATCH_2} * 10")
    foreach(part first later)
      set(cuda_${part}_images)
      set(cuda_${part}_embedded)
      set(cuda_${part}_list)
      set(cuda_${part}_declared)
    endforeach()
    foreach(source ${cuda_kernels})
      get_filename_component(name ${source} NAME_WE)
      set(part first)
      if(name IN_LIST cuda_later)
        set(part later)
      endif()
      set(image ${PROJECT_BINARY_DIR}/cuda/${name}.fatbin)
      add_custom_command(OUTPUT ${image} COMMAND ${PROJECT_SOURCE_DIR}/cmake/compile_kernel ${image}.log
                                 ${CHAINER_NVCC} ${nvcc_options} -Xptxas -v -MD -MF ${image}.d -fatbin ${source} -o ${image}
                         DEPENDS ${source} DEPFILE ${image}.d COMMENT "Compiling ${name} for CUDA devices" VERBATIM)
      list(APPEND cuda_${part}_images ${image})
      string(APPEND cuda_${part}_embedded
             "asm(\".section .rodata\\n.balign 16\\nchainer_cuda_${name}:\\n.incbin \\\"${image}\\\"\\n.previous\");\n")
      string(APPEND cuda_${part}_declared "extern const unsigned char chainer_cuda_${name}[];\n")
      string(APPEND cuda_${part}_list "chainer_cuda_${name}, ")
    endforeach()
    set(cuda_first_function "Kernels kernels() {")
    set(cuda_first_result "{images, later_kernels(), ${cuda_version}, kernel_headers()}")
    set(cuda_later_function "std::span<const unsigned char* const> later_kernels() {")
    set(cuda_later_result "images")
    set(cuda_header_list)
    foreach(header ${cuda_headers})
      string(MAKE_C_IDENTIFIER chainer_cuda_${header} symbol)
      set(file ${PROJECT_SOURCE_DIR}/chainer/${header})
      list(APPEND cuda_later_images ${file})
      string(APPEND cuda_later_embedded
             "asm(\".section .rodata\\n${symbol}:\\n.incbin \\\"${file}\\\"\\n.byte 0\\n.previous\");\n")
      string(APPEND cuda_later_declared "extern const char ${symbol}[];\n")
      string(APPEND cuda_header_list "{\"chainer/${header}\", ${symbol}}, ")
    endforeach()
    set(cuda_first_more)
    set(cuda_later_more "std::span<const KernelHeader> kernel_headers() {
  static const KernelHeader headers[] = {${cuda_header_list}};
  return headers;
}")
    set(cuda_kernels_source)
    foreach(part first later)
      set(written ${PROJECT_BINARY_DIR}/cuda/kernels_nvcc_${part}.cpp)
      foreach(piece embedded declared function list result more)
        set(cuda_${piece} "${cuda_${part}_${piece}}")
      endforeach()
      file(CONFIGURE OUTPUT ${written} CONTENT [[
// Written by cmake/Cuda.cmake: what nvcc made of chainer/backend/cuda/kernels.
#include "chainer/backend/cuda/driver_cuda.h"

@cuda_embedded@extern "C" {
@cuda_declared@}

namespace chainer::cuda {

@cuda_function@
  static const unsigned char* const images[] = {@cuda_list@};
  return @cuda_result@;
}
@cuda_more@

}  // namespace chainer::cuda
]] @ONLY)
      set_source_files_properties(${written} PROPERTIES OBJECT_DEPENDS "${cuda_${part}_images}")
      list(APPEND cuda_kernels_source ${written})
    endforeach()
    set(cuda_later_source ${written})
    set(cuda_first_source ${cuda_folder}/kernels_later_none.cpp)
  endif()
endif()
