# SPDX-License-Identifier: MIT
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chainer/*.cpp)
include(${PROJECT_SOURCE_DIR}/cmake/Embed.cmake)
set(pages ${PROJECT_BINARY_DIR}/chainer/viewing/pages.cpp)
chainer_embed(
  ${pages} viewing/plot/colors.css viewing/plot/plot.css viewing/plot/plot.js viewing/live/page.html
  viewing/live/page.css viewing/live/progress.js viewing/live/page.js viewing/report/report.css viewing/report/report.js)
list(APPEND sources ${pages})
# Sources compiled once per instruction set; the others of this folder are compiled once.
set(kernel_names elementwise convert transpose reduce update random rows thin normalize recurrent fourier affine pooling moments few_channels winograd
                 panels attention int8 few_bits)
list(JOIN kernel_names "|" any_kernel)
list(FILTER sources EXCLUDE REGEX "/backend/cpu/kernels/(${any_kernel}|(bfloat|int8)_(dots|tiles))\\.cpp$")
list(FILTER sources EXCLUDE REGEX "/chainer/mn/")  # a separate library: Distributed.cmake
list(FILTER sources EXCLUDE REGEX "/backend/cuda/(kernels|emulation)/|/core/system/fiber[a-z0-9_]*\\.cpp$")  # CudaEmulated.cmake
list(FILTER sources EXCLUDE REGEX "/backend/cuda/kernels_(later_)?none\\.cpp$")
list(APPEND sources ${cuda_kernels_source})
# Control of denormal numbers, by processor.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(float_mode x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(float_mode arm)
else()
  set(float_mode none)
endif()
list(FILTER sources EXCLUDE REGEX "/float_mode_[a-z0-9]+\\.cpp$")
list(APPEND sources ${PROJECT_SOURCE_DIR}/chainer/core/system/float_mode_${float_mode}.cpp)
# Instructions for products of 16 and 8 bits, if the compiler knows them.
set(CHAINER_PRODUCT_INSTRUCTIONS OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-mavx512bf16 -mavx512vnni -mamx-tile -mamx-bf16 -mamx-int8" CHAINER_COMPILES_TILES)
  set(CHAINER_PRODUCT_INSTRUCTIONS ${CHAINER_COMPILES_TILES})
endif()
# Selects one of two source files for an optional part: `with` if the variable `found` is true, otherwise the other.
macro(chainer_choose found with without)
  if(${found})
    list(FILTER sources EXCLUDE REGEX "/${without}\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/${with}\\.cpp$")
  endif()
endmacro()
chainer_choose(CHAINER_PRODUCT_INSTRUCTIONS product_instructions_x86 product_instructions_none)
chainer_choose(CHAINER_PRODUCT_INSTRUCTIONS bfloat_kernels bfloat_kernels_none)
chainer_choose(CHAINER_PRODUCT_INSTRUCTIONS int8_kernels int8_kernels_none)
chainer_choose(CAIRO_FOUND canvas_cairo canvas_none)
# std::from_chars of a double is in libstdc++ since GCC 11 and in libc++ since version 20.
set(CHAINER_READS_NUMBERS ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("#include <charconv>
    int main(int, char** a) { double v = 0; return std::from_chars(a[0], a[0], v).ptr == a[0]; }" CHAINER_FROM_CHARS)
  unset(CMAKE_REQUIRED_FLAGS)
  set(CHAINER_READS_NUMBERS ${CHAINER_FROM_CHARS})
endif()
chainer_choose(CHAINER_READS_NUMBERS read_number_charconv read_number_strtod)
chainer_choose(CHAINER_BOOST_VERSION special_boost special_none)
chainer_choose(TURBOJPEG_FOUND image_jpeg image_jpeg_none)
chainer_choose(PNG_FOUND image_png image_png_none)
chainer_choose(HDF5_FOUND hdf5_file hdf5_none)
chainer_choose(UTF8PROC_FOUND unicode_utf8proc unicode_none)
chainer_choose(LIBDEFLATE_FOUND deflate_libdeflate deflate_zlib)
chainer_choose(CURL_FOUND fetch_curl fetch_none)
chainer_choose(MICROHTTPD_FOUND http_server_microhttpd http_server_none)
chainer_filter_protobuf(sources)
if(CHAINER_ONEDNN_INTERFACE)
  list(FILTER sources EXCLUDE REGEX "/onednn/none\\.cpp$")
  foreach(major 2 3)
    if(NOT major EQUAL CHAINER_ONEDNN_INTERFACE)
      list(FILTER sources EXCLUDE REGEX "/onednn/version_${major}\\.cpp$")
    endif()
  endforeach()
else()
  list(FILTER sources EXCLUDE REGEX "/onednn/(library|convolution|pieces|version_[0-9]+)\\.cpp$")
endif()

# The kernels, once per instruction set. Loops are vectorized without math-errno and trapping math; other IEEE rules
# stay. Kernels may fuse a multiplication and an addition; all other code rounds twice, like x86-64 without FMA
# (Options.cmake).
set(kernel_sources)
foreach(name ${kernel_names})
  list(APPEND kernel_sources ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/${name}.cpp)
endforeach()
set(kernel_objects)
# The source of vector versions of exp, log and similar functions: the C library on x86-64, or
# backend/common/vector_math.h. (On other processors glibc's depend on its version, and results should not.) Clang
# cannot call those of the C library.
set(vector_math "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(vector_math CHAINER_LIBMVEC)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(vector_math CHAINER_OWN_VECTORS)
endif()
# Conversions are many loops (one per pair of dtypes), cells are long ones: versions for remainders and for each stride
# would increase the size of programs without making them faster. (Loops of moments do get faster.)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(lean ${kernel_sources})
  list(FILTER lean INCLUDE REGEX "/(convert|transpose|recurrent)\\.cpp$")
  set(lean_options -O2 -ftree-vectorize -fvect-cost-model=dynamic --param=vect-epilogues-nomask=0)
  set_source_files_properties(${lean} PROPERTIES COMPILE_OPTIONS "${lean_options}")
  # Likewise scans of each dtype, which would get a loop for each loop-invariant condition.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/backend/cpu/loops/scan.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "${lean_options};-funswitch-loops;-fpeel-loops;-ftree-loop-distribution;-fipa-cp-clone")
endif()
# Code that runs once per convolution is compiled for size.
set(around ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/onednn/pieces.cpp
           ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/onednn/convolution.cpp
           ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/convolution/few_channels.cpp)
set_source_files_properties(${around} PROPERTIES COMPILE_OPTIONS "-Os" SKIP_PRECOMPILE_HEADERS ON
                                                 SKIP_UNITY_BUILD_INCLUSION ON)
# These loops are unrolled by hand.
foreach(name few_channels winograd panels few_bits)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/${name}.cpp PROPERTIES COMPILE_OPTIONS -O2)
endforeach()
# Numbers of eight bits are rounded in the same way by all instruction sets.
set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/int8.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
function(chainer_add_kernels isa)
  chainer_add_kernel_sources(${isa} "${kernel_sources}" ${ARGN})
endfunction()
function(chainer_add_kernel_sources isa kernel_sources)
  add_library(chainer_kernels_${isa} OBJECT ${kernel_sources})
  target_link_libraries(chainer_kernels_${isa} PRIVATE chainer_options)
  set_target_properties(chainer_kernels_${isa} PROPERTIES CHAINER_CONTRACT ON)
  target_include_directories(chainer_kernels_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(chainer_kernels_${isa} PRIVATE CHAINER_KERNEL_ISA=${isa} ${vector_math})
  target_compile_options(chainer_kernels_${isa} PRIVATE -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math
                                                        -ffp-contract=fast
                                                        -fwrapv  # int64 wraps like NumPy's
                                                        -ffunction-sections -fdata-sections
                                                        ${ARGN})
  set_target_properties(chainer_kernels_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
endfunction()
chainer_add_kernels(baseline)
set(kernel_objects $<TARGET_OBJECTS:chainer_kernels_baseline>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(CHAINER_X86_KERNELS ON)
  chainer_add_kernels(avx2 -mavx2 -mfma -mf16c)
  chainer_add_kernels(avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c -mprefer-vector-width=512)
  list(APPEND kernel_objects $<TARGET_OBJECTS:chainer_kernels_avx2> $<TARGET_OBJECTS:chainer_kernels_avx512>)
  if(CHAINER_PRODUCT_INSTRUCTIONS)
    set(vectors -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma)
    set(folder ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels)
    chainer_add_kernel_sources(bfloat_dots ${folder}/bfloat_dots.cpp ${vectors} -mavx512bf16)
    chainer_add_kernel_sources(bfloat_tiles ${folder}/bfloat_tiles.cpp ${vectors} -mamx-tile -mamx-bf16)
    chainer_add_kernel_sources(int8_dots ${folder}/int8_dots.cpp ${vectors} -mavx512vnni)
    chainer_add_kernel_sources(int8_tiles ${folder}/int8_tiles.cpp ${vectors} -mamx-tile -mamx-int8)
    foreach(name bfloat_dots bfloat_tiles int8_dots int8_tiles)
      list(APPEND kernel_objects $<TARGET_OBJECTS:chainer_kernels_${name}>)
    endforeach()
  endif()
endif()

# Before 1.0 a minor version may change the interface, so it is part of the soname.
set(CHAINER_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CHAINER_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()
include(${PROJECT_SOURCE_DIR}/cmake/First.cmake)
if(cuda_later_source)
  list(REMOVE_ITEM first ${cuda_later_source})
endif()
set(later ${sources})
list(REMOVE_ITEM later ${first})
# Trainer, updaters, extensions and pages run at most once per iteration: they are compiled with fewer optimizations,
# which takes less time.
set(seldom ${first})
list(FILTER seldom INCLUDE REGEX "/chainer/(training|viewing)/")
list(REMOVE_ITEM first ${seldom})
add_library(chainer_first_objects OBJECT ${first})
add_library(chainer_seldom_objects OBJECT ${seldom})
target_compile_options(chainer_seldom_objects PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CHAINER_X86_KERNELS)
  # Newer GCCs cannot use a precompiled header if these options differ from those of -O3.
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag("-munroll-only-small-loops -mvzeroupper" CHAINER_OPTIONS_OF_O3)
  if(CHAINER_OPTIONS_OF_O3)
    target_compile_options(chainer_seldom_objects PRIVATE -munroll-only-small-loops -mvzeroupper)
  endif()
endif()
set(first_objects $<TARGET_OBJECTS:chainer_first_objects> $<TARGET_OBJECTS:chainer_seldom_objects>)
add_library(chainer ${later} ${first_objects} ${kernel_objects})
add_library(chainer::chainer ALIAS chainer)
# For projects that contain the sources; the installed package defines its own (chainer-config.cmake.in).
add_library(chainer_for_users_pch INTERFACE)
target_precompile_headers(chainer_for_users_pch INTERFACE <chainer/chainer.h>)
target_link_libraries(chainer_for_users_pch INTERFACE chainer::chainer)
add_library(chainer::pch ALIAS chainer_for_users_pch)
target_compile_features(chainer PUBLIC cxx_std_20)
target_include_directories(chainer PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# A statically linked program keeps only functions that it uses, and links only libraries that these need.
target_compile_options(chainer PRIVATE -ffunction-sections -fdata-sections)
target_link_options(chainer PUBLIC LINKER:--gc-sections LINKER:--as-needed)
# Compiled like the library.
foreach(part chainer_first_objects chainer_seldom_objects)
  target_link_libraries(${part} PRIVATE chainer_options)
  target_include_directories(${part} PRIVATE $<TARGET_PROPERTY:chainer,INCLUDE_DIRECTORIES>)
  target_compile_definitions(${part} PRIVATE $<TARGET_PROPERTY:chainer,COMPILE_DEFINITIONS>)
  target_compile_options(${part} PRIVATE -ffunction-sections -fdata-sections)
  set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()
set_target_properties(chainer PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                                         SOVERSION ${CHAINER_SOVERSION})
if(CHAINER_X86_KERNELS)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/table.cpp
                              ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/image_table.cpp
                              ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/kernels/other_tables.cpp
                              PROPERTIES COMPILE_DEFINITIONS CHAINER_X86_KERNELS)
endif()
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/chainer/backend/cpu/products/blas.cpp PROPERTIES COMPILE_DEFINITIONS
  "CHAINER_ONEDNN_LIBRARY=\"${CHAINER_ONEDNN_LIBRARY}\";CHAINER_ONEDNN_MAJOR=${CHAINER_ONEDNN_MAJOR};CHAINER_OPENBLAS_LIBRARY=\"${CHAINER_OPENBLAS_LIBRARY}\"")
# Plain loops over int64 also wrap around.
set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/backend/cpu/products/gemm.cpp PROPERTIES
                            COMPILE_OPTIONS "-fwrapv;-ffp-contract=fast" SKIP_PRECOMPILE_HEADERS ON)
set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/runtime_info.cpp
                            PROPERTIES COMPILE_DEFINITIONS "CHAINER_VERSION=\"${PROJECT_VERSION}\"")
chainer_precompile(chainer_first_objects <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <span> <string> <vector>
                   <chainer/array/backend.h> <chainer/autograd/function_node.h>)
if(CHAINER_PRECOMPILE)
  foreach(part chainer chainer_seldom_objects)
    target_precompile_headers(${part} REUSE_FROM chainer_first_objects)
    target_compile_options(${part} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endforeach()
endif()
set(joined ${sources})
set(alike ${sources})
list(FILTER alike INCLUDE REGEX "/onnx/(ops|export)_|/backend/common/composed/|/backend/cuda/|/cuda/kernels_nvcc_[a-z]+\\.cpp$|/onednn/version_|/kernels/(image_|other_)?tables?\\.cpp$")
# Sources that need another library are not grouped, so that only programs that use them link it.
set(foreign ${sources})
list(FILTER foreign INCLUDE REGEX "/(get_device|canvas_cairo|fetch_curl|http_server_microhttpd|image_jpeg|image_png|hdf5_file|deflate_libdeflate|unicode_utf8proc|special_boost|[a-z0-9_]+_protobuf)\\.cpp$|/links/caffe/")
list(APPEND foreign ${pages})
list(REMOVE_ITEM joined ${alike} ${foreign})
chainer_apart(${alike} ${foreign})
foreach(part first seldom later)
  set(others ${sources})
  list(REMOVE_ITEM others ${${part}})
  set(its ${joined})
  list(REMOVE_ITEM its ${others})
  chainer_unity_by_folder(12 ${its})
endforeach()
if(CHAINER_UNITY)
  set_target_properties(chainer chainer_first_objects chainer_seldom_objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endif()
# Include folders of headers that one source includes.
function(chainer_headers_for source folder)
  if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set_property(SOURCE ${PROJECT_SOURCE_DIR}/chainer/${source} APPEND PROPERTY COMPILE_OPTIONS "-isystem;${folder}")
  endif()
endfunction()
chainer_headers_for(backend/common/special_boost.cpp "${BOOST_INCLUDE_DIR}")
foreach(source library convolution pieces version_2 version_3)
  chainer_headers_for(backend/cpu/onednn/${source}.cpp "${ONEDNN_INCLUDE_DIR}")
endforeach()
chainer_add_messages(chainer ${sources})
if(HDF5_FOUND)
  chainer_headers_for(serializers/hdf5_file.cpp "${HDF5_INCLUDE_DIRS}")
endif()
if(MICROHTTPD_FOUND)
  chainer_headers_for(viewing/live/http_server_microhttpd.cpp "${MICROHTTPD_INCLUDE_DIRS}")
endif()
if(LIBDEFLATE_FOUND)
  chainer_headers_for(serializers/deflate_libdeflate.cpp "${LIBDEFLATE_INCLUDE_DIRS}")
endif()
if(UTF8PROC_FOUND)
  chainer_headers_for(tokenizers/unicode_utf8proc.cpp "${UTF8PROC_INCLUDE_DIRS}")
endif()

# Other libraries.
set(needs ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
foreach(need CAIRO:PkgConfig::CAIRO CURL:CURL::libcurl TURBOJPEG:PkgConfig::TURBOJPEG PNG:PNG::PNG HDF5:PkgConfig::HDF5
             MICROHTTPD:PkgConfig::MICROHTTPD UTF8PROC:PkgConfig::UTF8PROC LIBDEFLATE:PkgConfig::LIBDEFLATE)
  string(REGEX MATCH "^([A-Z0-9]+):(.*)$" need ${need})
  if(${CMAKE_MATCH_1}_FOUND)
    list(APPEND needs ${CMAKE_MATCH_2})
  endif()
endforeach()
target_link_libraries(chainer PRIVATE $<BUILD_INTERFACE:chainer_options> ${needs})

# For programs of this project that need only the first part.
set(chainer_first chainer)
if(NOT BUILD_SHARED_LIBS)
  set(chainer_first chainer_first)
  add_library(chainer_first STATIC EXCLUDE_FROM_ALL ${first_objects} ${first_only} ${kernel_objects})
  target_link_libraries(chainer_first PRIVATE chainer_options)
  set_target_properties(chainer_first PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(chainer_first PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(chainer_first INTERFACE ${needs})
  target_link_options(chainer_first INTERFACE LINKER:--gc-sections LINKER:--as-needed)
endif()

# Contains the precompiled <chainer/chainer.h> shared by chainer_program().
add_library(chainer_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(chainer_precompiled PRIVATE chainer::chainer chainer_options)
chainer_precompile(chainer_precompiled <chainer/chainer.h>)
