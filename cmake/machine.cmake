# SPDX-License-Identifier: MIT
# A toolchain file for programs of another processor, compiled by Debian's cross compilers and run by qemu-user:
#
#   cmake -S . -B build/aarch64 --toolchain cmake/machine.cmake -DCHAINER_MACHINE=aarch64 [-DCHAINER_ROOT=FOLDER]
#
# FOLDER contains the system and libraries of that processor (tests/elsewhere/machine creates it); without it only the
# compiler's libraries are available.
set(CHAINER_MACHINE "aarch64" CACHE STRING "The processor: aarch64, s390x, or another of Debian's")
set(CHAINER_ROOT "" CACHE PATH "The folder with that machine's system")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CHAINER_MACHINE CHAINER_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CHAINER_MACHINE})
set(CMAKE_C_COMPILER ${CHAINER_MACHINE}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${CHAINER_MACHINE}-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${CHAINER_MACHINE}-linux-gnu)
set(root /usr/${CHAINER_MACHINE}-linux-gnu)
if(CHAINER_ROOT)
  set(root ${CHAINER_ROOT})
  set(CMAKE_SYSROOT ${root})
endif()
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${root}/usr/share/pkgconfig)
find_program(CHAINER_QEMU NAMES qemu-${CHAINER_MACHINE} qemu-${CHAINER_MACHINE}-static)
if(CHAINER_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CHAINER_QEMU};-L;${root}")
endif()
