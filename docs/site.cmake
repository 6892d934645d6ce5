# SPDX-License-Identifier: MIT
# Builds the site: cmake -D SOURCE=... -D BINARY=... -D VERSION=... -D REFERENCE=... -D GUIDE=... -D SEARCH=... -P
# site.cmake Searches for Doxygen here, not when the project is configured, so that it may be installed at any time.
find_program(doxygen doxygen)
if(NOT doxygen)
  message(FATAL_ERROR "make docs needs Doxygen: install the packages doxygen and doxygen-awesome-css, then run it again")
endif()
find_path(awesome doxygen-awesome.css PATHS /usr/share /usr/local/share PATH_SUFFIXES doxygen-awesome-css NO_DEFAULT_PATH)
set(CHAINER_DOXYGEN_STYLE "docs/style.css")
if(awesome)
  set(CHAINER_DOXYGEN_STYLE
      "${awesome}/doxygen-awesome.css ${awesome}/doxygen-awesome-sidebar-only.css ${CHAINER_DOXYGEN_STYLE}")
endif()
set(PROJECT_BINARY_DIR ${BINARY})
set(PROJECT_VERSION ${VERSION})
set(site ${BINARY}/docs)
configure_file(${SOURCE}/docs/Doxyfile.in ${site}/Doxyfile @ONLY)
file(REMOVE_RECURSE ${site}/pages ${site}/html)
foreach(command "${REFERENCE};${SOURCE};pages;${site}/pages" "${GUIDE};${SOURCE};index;${site}/pages/guide.md"
                "${doxygen};${site}/Doxyfile" "${SEARCH};${site}/html;${site}/html/search_index.js")
  execute_process(COMMAND ${command} WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
message("The guide and the reference are in ${site}/html/index.html")
