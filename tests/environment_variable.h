// SPDX-License-Identifier: MIT
// A variable of the environment for as long as a test lasts.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

/// Has a variable say `value`, and what it said before afterwards.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* v = std::getenv(name)) before_ = v;
    setenv(name, value, 1);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};
