# SPDX-License-Identifier: MIT
# find_package(chainer) and pkg-config for other projects. Installed files contain no absolute paths, unless
# CMAKE_INSTALL_LIBDIR or CMAKE_INSTALL_INCLUDEDIR is absolute.
include(CMakePackageConfigHelpers)

# chainer::mn has separate targets, so that other programs need no MPI.
install(TARGETS chainer EXPORT chainer-targets)
install(TARGETS chainer_mn EXPORT chainer-mn-targets)
if(BUILD_SHARED_LIBS)
  # Programs find the libraries by a relative path. (CMAKE_SKIP_INSTALL_RPATH is for distributions.)
  set_target_properties(chainer_mn PROPERTIES INSTALL_RPATH "$ORIGIN")
  if(TARGET chainer_tool)
    file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(chainer_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
  endif()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/chainer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
# Old paths of headers stay available until the next minor version.
foreach(moved core/file.h:core/system/file.h training/live/commands.h:viewing/live/commands.h
              training/tensorboard/writer.h:viewing/tensorboard/writer.h)
  string(REGEX MATCH "^([^:]+)/([^:]+):(.*)$" moved ${moved})
  file(CONFIGURE OUTPUT moved/${CMAKE_MATCH_1}/${CMAKE_MATCH_2} CONTENT "#pragma once\n#include <chainer/${CMAKE_MATCH_3}>\n")
  install(FILES ${PROJECT_BINARY_DIR}/moved/${CMAKE_MATCH_1}/${CMAKE_MATCH_2}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chainer/${CMAKE_MATCH_1})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The guide, and the pages that it links to.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "*.svg" PATTERN "*.png" PATTERN coverage EXCLUDE PATTERN tool EXCLUDE)
set(chainer_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/chainer)
install(EXPORT chainer-targets NAMESPACE chainer:: DESTINATION ${chainer_cmake_dir})
install(EXPORT chainer-mn-targets NAMESPACE chainer:: DESTINATION ${chainer_cmake_dir})

# Programs must link the dependencies of a static library, but not those of a shared one.
set(CHAINER_STATIC_DEPENDENCIES "")
set(CHAINER_MN_STATIC_DEPENDENCIES "")
set(CHAINER_PC_REQUIRES "")
set(CHAINER_MN_PC_REQUIRES "chainer = ${PROJECT_VERSION}")
set(CHAINER_PC_LIBS "")
set(CHAINER_PC_LINK_OPTIONS "")
if(NOT BUILD_SHARED_LIBS)
  set(CHAINER_PC_LINK_OPTIONS "-Wl,--gc-sections -Wl,--as-needed ")
  set(CHAINER_PC_LIBS "-lpthread -ldl")
  string(APPEND CHAINER_STATIC_DEPENDENCIES "find_dependency(ZLIB)\nfind_dependency(Threads)\n")
  set(CHAINER_PC_REQUIRES "zlib")
  foreach(module CAIRO:cairo TURBOJPEG:libturbojpeg HDF5:${HDF5_MODULE_NAME} MICROHTTPD:libmicrohttpd PROTOBUF:protobuf-lite)
    string(REPLACE ":" ";" module ${module})
    list(GET module 0 variable)
    list(GET module 1 name)
    if(${variable}_FOUND)
      string(APPEND CHAINER_STATIC_DEPENDENCIES
             "find_dependency(PkgConfig)\npkg_check_modules(${variable} REQUIRED IMPORTED_TARGET ${name})\n")
      string(APPEND CHAINER_PC_REQUIRES ", ${name}")
    endif()
  endforeach()
  if(PNG_FOUND)
    string(APPEND CHAINER_STATIC_DEPENDENCIES "find_dependency(PNG)\n")
    string(APPEND CHAINER_PC_REQUIRES ", libpng")
  endif()
  if(CURL_FOUND)
    string(APPEND CHAINER_STATIC_DEPENDENCIES "find_dependency(CURL)\n")
    string(APPEND CHAINER_PC_REQUIRES ", libcurl")
  endif()
  if(MPI_FOUND)
    set(CHAINER_MN_STATIC_DEPENDENCIES
        "find_package(PkgConfig QUIET)\n  if(PkgConfig_FOUND)\n    pkg_check_modules(MPI QUIET IMPORTED_TARGET ${MPI_MODULE_NAME})\n  endif()")
    string(APPEND CHAINER_MN_PC_REQUIRES ", ${MPI_MODULE_NAME}")
  endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/chainer-config.cmake.in
                              ${PROJECT_BINARY_DIR}/chainer-config.cmake INSTALL_DESTINATION ${chainer_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chainer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/chainer-config.cmake ${PROJECT_BINARY_DIR}/chainer-config-version.cmake
        DESTINATION ${chainer_cmake_dir})

# The .pc files compute folders relative to their own location, if these are relative to the prefix.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(CHAINER_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  set(CHAINER_PC_PREFIX "\${pcfiledir}/${to_prefix}")
endif()
foreach(kind LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(CHAINER_PC_${kind}DIR "${CMAKE_INSTALL_${kind}DIR}")
  else()
    set(CHAINER_PC_${kind}DIR "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
foreach(file chainer chainer-mn)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
