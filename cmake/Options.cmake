# SPDX-License-Identifier: MIT
# Compiler options of all targets of this project.
add_library(chainer_options INTERFACE)
target_compile_features(chainer_options INTERFACE cxx_std_20)
target_compile_options(chainer_options INTERFACE -Wall -Wextra -Wpedantic)
# Multiplications and additions are not fused, so that random numbers, schedules and files are the same on every
# machine. Kernels are the exception.
target_compile_options(chainer_options INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:CHAINER_CONTRACT>>>:-ffp-contract=off>)
if(CHAINER_WARNINGS_AS_ERRORS)
  target_compile_options(chainer_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns wrongly about writes past the end of objects in the inlined pools and vectors.
  target_compile_options(chainer_options INTERFACE -Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized
                                                   -Wno-restrict -Wno-use-after-free -Wno-dangling-pointer)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Vectorization is also requested for loops over scalar library calls, which Clang cannot vectorize. The stable_sort
  # of libstdc++ 12 uses a deprecated function, which newer Clangs report where it is instantiated.
  target_compile_options(chainer_options INTERFACE -Wno-pass-failed -Wno-deprecated-declarations)
endif()
# Thread-local variables are accessed without a call, also in a shared library and in the Python module. glibc reserves
# some space for them in libraries loaded at run time; other C libraries do not load such libraries.
include(CheckCXXSymbolExists)
check_cxx_symbol_exists(__GLIBC__ features.h CHAINER_GLIBC)
if(CHAINER_GLIBC)
  target_compile_options(chainer_options INTERFACE -ftls-model=initial-exec)
endif()
if(CHAINER_SANITIZE)
  target_compile_options(chainer_options INTERFACE -fsanitize=${CHAINER_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(chainer_options INTERFACE -fsanitize=${CHAINER_SANITIZE})
endif()

# Precompiles headers that nearly every source includes. (Not for kernel sources: code compiled for one instruction set
# must not be linked into another.) -fpch-preprocess is needed for ccache.
function(chainer_precompile target)
  if(CHAINER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

# Unity builds: the sources of a group share the compilation of templates in headers. Names in anonymous namespaces of a
# group must differ. A source with its own options is compiled alone.
function(chainer_unity target sources_at_once)
  if(CHAINER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources_at_once})
  endif()
endfunction()
# The groups (UNITY_BUILD_MODE GROUP) of a library's sources, by folder: a statically linked program contains whole
# groups, so unrelated sources must not be grouped.
function(chainer_unity_by_folder sources_at_once)
  set(folders)
  foreach(source ${ARGN})
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/chainer ${source})
    string(REGEX REPLACE "/.*" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND sources_of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    set(count 0)
    foreach(source ${sources_of_${folder}})
      math(EXPR group "${count} / ${sources_at_once}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}_${group}")
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
endfunction()
# Sources that use the same local names are compiled alone.
function(chainer_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Adds a program of this project that includes <chainer/chainer.h>: tests, examples and benchmarks share one precompiled
# header. FIRST: the program needs only the first part of the library and does not wait for the precompiled header.
function(chainer_program target)
  if("FIRST" IN_LIST ARGN)
    target_link_libraries(${target} PRIVATE ${chainer_first} chainer_options)
    return()
  endif()
  target_link_libraries(${target} PRIVATE chainer::chainer chainer_options)
  if(CHAINER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM chainer_precompiled)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()
