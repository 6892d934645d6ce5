// SPDX-License-Identifier: MIT
// Exceptions that end all ranks (manual: "MPI process hangs after an unhandled Python exception").
#pragma once
#include <functional>

namespace chainer::mn {

namespace global_except_hook {
/// Makes an uncaught exception print rank, host and message, and end the processes of all ranks, which would otherwise
/// wait for this one. A second call warns. create_communicator() calls this if the environment variable
/// CHAINERMN_FORCE_ABORT_ON_EXCEPTION (or ..._EXCEPTIONS) is not empty.
void add_hook();
}  // namespace global_except_hook

/// The body of main(): runs `body` and returns 0, or another status if standard output cannot be written. An exception
/// is printed with program, rank, host and message and ends the processes of all ranks with status 1. A program is
/// `int main() { return chainermn::run("train", train); }`.
int run(const char* program, const std::function<void()>& body);

}  // namespace chainer::mn
