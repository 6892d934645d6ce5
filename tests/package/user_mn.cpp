// SPDX-License-Identifier: MIT
// A user's program with chainer::mn that runs without mpiexec: it shows that the library and its MPI are found.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>
#include <chainer/mn/transport.h>

int main() {
  chainer::chainermn::set_wait_limit(5);
  return chainer::chainermn::wait_limit() == 5 && !chainer::chainermn::transport_running() ? 0 : 1;
}
