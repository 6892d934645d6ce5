// Exceptions that end all ranks (manual: "MPI process hangs after an unhandled Python exception").
#pragma once
#include <functional>

namespace chainer::mn {

namespace global_except_hook {
/// From now on an exception that nobody catches is printed with rank, host and message, and ends the processes of all
/// ranks, which would wait for this one otherwise. A second call warns. create_communicator() calls it where the
/// environment's CHAINERMN_FORCE_ABORT_ON_EXCEPTION (or ..._EXCEPTIONS) is not empty.
void add_hook();
}  // namespace global_except_hook

/// The body of main(): runs `body` and returns 0, or the status of a program that could not write its output. An
/// exception is printed with program, rank, host and message and ends the processes of all ranks with status 1.
/// A program is `int main() { return chainermn::run("train", train); }`.
int run(const char* program, const std::function<void()>& body);

}  // namespace chainer::mn
