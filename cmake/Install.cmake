# find_package(chainer) and pkg-config for other projects.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS chainer EXPORT chainer-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/chainer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(chainer_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/chainer)
install(EXPORT chainer-targets NAMESPACE chainer:: DESTINATION ${chainer_cmake_dir})

# A static library passes its own needs on; a shared one has them inside.
set(CHAINER_STATIC_DEPENDENCIES "")
set(CHAINER_PC_REQUIRES "")
set(CHAINER_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(CHAINER_PC_LIBS "-lpthread -ldl")
  string(APPEND CHAINER_STATIC_DEPENDENCIES "find_dependency(ZLIB)\nfind_dependency(Threads)\n")
  set(CHAINER_PC_REQUIRES "zlib")
  if(CAIRO_FOUND)
    string(APPEND CHAINER_STATIC_DEPENDENCIES
           "find_dependency(PkgConfig)\npkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)\n")
    string(APPEND CHAINER_PC_REQUIRES ", cairo")
  endif()
  if(CURL_FOUND)
    string(APPEND CHAINER_STATIC_DEPENDENCIES "find_dependency(CURL)\n")
    string(APPEND CHAINER_PC_REQUIRES ", libcurl")
  endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/chainer-config.cmake.in
                              ${PROJECT_BINARY_DIR}/chainer-config.cmake INSTALL_DESTINATION ${chainer_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chainer-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/chainer.pc.in ${PROJECT_BINARY_DIR}/chainer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/chainer-config.cmake ${PROJECT_BINARY_DIR}/chainer-config-version.cmake
        DESTINATION ${chainer_cmake_dir})
install(FILES ${PROJECT_BINARY_DIR}/chainer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
