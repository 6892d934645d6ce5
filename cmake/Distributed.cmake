# SPDX-License-Identifier: MIT
# chainer::mn, training with several processes: a separate library, so that other programs do not load MPI.
file(GLOB_RECURSE mn_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chainer/mn/*.cpp)
if(MPI_FOUND)
  list(FILTER mn_sources EXCLUDE REGEX "/transport_none\\.cpp$")
else()
  list(FILTER mn_sources EXCLUDE REGEX "/transport_mpi\\.cpp$")
endif()
add_library(chainer_mn ${mn_sources})
add_library(chainer::mn ALIAS chainer_mn)
target_link_libraries(chainer_mn PUBLIC chainer PRIVATE $<BUILD_INTERFACE:chainer_options> Threads::Threads)
set_target_properties(chainer_mn PROPERTIES POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION} EXPORT_NAME mn
                                            SOVERSION ${CHAINER_SOVERSION})
# The mean of gradients is a loop over memory.
set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/mn/mean.cpp PROPERTIES COMPILE_OPTIONS -O3)
chainer_precompile(chainer_mn <algorithm> <map> <memory> <string> <vector> <chainer/autograd/function_node.h>
                   <chainer/links/link.h>)
chainer_unity(chainer_mn 12)
if(MPI_FOUND)
  target_link_libraries(chainer_mn PRIVATE PkgConfig::MPI)
  set(folders "")
  foreach(folder ${MPI_INCLUDE_DIRS})
    list(APPEND folders -isystem ${folder})
  endforeach()
  set_source_files_properties(${PROJECT_SOURCE_DIR}/chainer/mn/transport_mpi.cpp PROPERTIES COMPILE_OPTIONS "${folders}")
endif()
