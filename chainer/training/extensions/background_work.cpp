// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/background_work.h"

#include <cstdio>
#include <system_error>
#include <utility>

namespace chainer::training::extensions {

BackgroundWork::~BackgroundWork() {
  try {
    wait();
  } catch (const std::exception& e) { std::fprintf(stderr, "warning: %s\n", e.what()); }
}

void BackgroundWork::start(std::function<void()> work) {
  wait();
  try {
    thread_ = std::thread([this, work] {
      try {
        work();
      } catch (...) { error_ = std::current_exception(); }
    });
  } catch (const std::system_error&) { work(); }
}

void BackgroundWork::wait() {
  if (thread_.joinable()) thread_.join();
  if (const std::exception_ptr error = std::exchange(error_, {})) std::rethrow_exception(error);
}

}  // namespace chainer::training::extensions
