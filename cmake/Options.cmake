# What every target of this project is compiled with.
add_library(chainer_options INTERFACE)
target_compile_features(chainer_options INTERFACE cxx_std_20)
target_compile_options(chainer_options INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees writes past the end of objects whose size it lost track of through the inlined pools and vectors.
  target_compile_options(chainer_options INTERFACE -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized
                                                   -Wno-restrict -Wno-use-after-free -Wno-dangling-pointer)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Loops over scalar library calls are asked to vectorise too; on Clang they cannot, which is no fault.
  target_compile_options(chainer_options INTERFACE -Wno-pass-failed)
endif()
if(CHAINER_SANITIZE)
  target_compile_options(chainer_options INTERFACE -fsanitize=${CHAINER_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(chainer_options INTERFACE -fsanitize=${CHAINER_SANITIZE})
endif()

# Headers that nearly every source reads, parsed once a target. (Kernel sources stay apart: nothing that is compiled for
# one instruction set may be linked into another.)
function(chainer_precompile target)
  if(CHAINER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <span> <string> <vector>
      <chainer/array/backend.h> <chainer/autograd/function_node.h>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)  # lets ccache see through it
    endif()
  endif()
endfunction()
