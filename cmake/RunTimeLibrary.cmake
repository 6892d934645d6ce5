# SPDX-License-Identifier: MIT
# Libraries that are opened at run time (chainer/core/system/run_time_library.h). Only this file depends on a system's
# naming of library files; a port to macOS or Windows adds its forms here.

# Finds the file name of a library that is valid for one binary interface, and the version of the interface if it is
# part of the name: libdnnl.so.2 on Debian 12, libdnnl.so.3.6 on Debian 13. Uses the soname of the library, or else the
# usual form of such names.
function(chainer_name_of_library file name major)
  get_filename_component(own "${file}" NAME)
  set(described "")
  if(CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d "${file}" OUTPUT_VARIABLE described ERROR_QUIET)
  endif()
  if(described MATCHES "soname: \\[([^]]+)\\]")
    set(own "${CMAKE_MATCH_1}")
  else()
    string(REGEX REPLACE "\\.so\\.([0-9]+)\\..*$" ".so.\\1" own "${own}")
  endif()
  if(own MATCHES "openblas.*-r")  # libopenblasp-r0.3.21.so is reached through libopenblas.so.0
    set(own "libopenblas.so.0")
  endif()
  set(number "")
  if(own MATCHES "\\.so\\.([0-9]+)")
    set(number ${CMAKE_MATCH_1})
  endif()
  set(${name} "${own}" PARENT_SCOPE)
  set(${major} "${number}" PARENT_SCOPE)
endfunction()

# Sets `variable` to the file name used to open a library, or to an empty string, and `variable`_MAJOR.
function(chainer_find_run_time_library variable)
  set(name "")
  set(major "")
  if(NOT CHAINER_PLAIN_KERNELS)
    find_library(${variable}_FILE NAMES ${ARGN})
    if(${variable}_FILE)
      get_filename_component(real "${${variable}_FILE}" REALPATH)
      chainer_name_of_library("${real}" name major)
    endif()
  endif()
  set(${variable} "${name}" PARENT_SCOPE)
  set(${variable}_MAJOR "${major}" PARENT_SCOPE)
endfunction()
