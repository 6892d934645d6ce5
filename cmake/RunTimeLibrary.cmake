# Libraries that are opened at run time (chainer/core/run_time_library.h): the one place that knows how files of libraries
# are called on a system. A port to macOS or Windows adds its forms here.

# The name of a library's file that stays valid within one binary interface, and the number of that interface where the
# name has it. Debian 12 says libdnnl.so.2, Debian 13 libdnnl.so.3.6: what the library calls itself, or else the usual
# form of such names.
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

# Sets `variable` to the name under which a library is opened on first use, or to nothing, and `variable`_MAJOR.
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
