# What is found on this machine. Only zlib is required; each of the others makes something faster or possible.
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig)

# A library that is opened at run time on first use: its soname, or nothing.
function(chainer_find_runtime_library variable)
  set(name "")
  if(NOT CHAINER_PLAIN_KERNELS)
    find_library(${variable}_FILE NAMES ${ARGN})
    if(${variable}_FILE)
      get_filename_component(real "${${variable}_FILE}" REALPATH)
      get_filename_component(name "${real}" NAME)
      # libdnnl.so.2.6 -> libdnnl.so.2: the name that stays valid within one binary interface
      string(REGEX REPLACE "\\.so\\.([0-9]+)\\..*$" ".so.\\1" name "${name}")
      if(name MATCHES "openblas.*-r")  # libopenblasp-r0.3.21.so is reached through libopenblas.so.0
        set(name "libopenblas.so.0")
      endif()
    endif()
  endif()
  set(${variable} "${name}" PARENT_SCOPE)
endfunction()
chainer_find_runtime_library(CHAINER_ONEDNN_LIBRARY dnnl)
chainer_find_runtime_library(CHAINER_OPENBLAS_LIBRARY openblas)

if(PkgConfig_FOUND)
  pkg_check_modules(CAIRO IMPORTED_TARGET cairo)
  pkg_check_modules(TURBOJPEG IMPORTED_TARGET libturbojpeg)
  pkg_search_module(HDF5 IMPORTED_TARGET hdf5-serial hdf5)
  pkg_search_module(MPI ompi-c mpi-c mpich)
endif()
find_package(CURL QUIET)
find_package(PNG QUIET)
find_program(CHAINER_MPIEXEC mpiexec)

# Headers without a library behind them, each used by one source.
find_package(Boost 1.70 QUIET)
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh)
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h)  # the interface of the library above
