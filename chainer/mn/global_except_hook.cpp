// SPDX-License-Identifier: MIT
#include "chainer/mn/global_except_hook.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "chainer/core/error.h"
#include "chainer/core/system/machine.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {
namespace {

std::string what_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) { return x.what(); } catch (...) {
    return "an exception that is not derived from std::exception";
  }
}

// Prints the message and ends all processes. Returns if there is only one process.
void report(const char* program, const std::string& message) {
  std::fflush(stdout);
  if (!transport_running()) {
    std::fprintf(stderr, "%s: %s\n", program, message.c_str());
    return;
  }
  const std::string host = machine::host_name();
  const std::unique_ptr<Transport> world = world_transport();
  std::fprintf(stderr, "%s: rank %d of %d on %s: %s\n", program, world->rank(), world->size(), host.c_str(),
               message.c_str());
  std::fflush(stderr);
  world->abort(1);
}

std::terminate_handler before = nullptr;
void on_terminate() {
  const std::exception_ptr e = std::current_exception();
  report("uncaught exception", e ? what_of(e) : "std::terminate was called");
  if (before) before();
  std::abort();
}

}  // namespace

void global_except_hook::add_hook() {
  static std::atomic<bool> added{false};
  if (added.exchange(true)) return warn("global_except_hook::add_hook() has been called already");
  before = std::set_terminate(on_terminate);
}

int run(const char* program, const std::function<void()>& body) {
  try {
    body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw FileError("cannot write to standard output");
    return 0;
  } catch (...) { report(program, what_of(std::current_exception())); }
  return 1;
}

}  // namespace chainer::mn
