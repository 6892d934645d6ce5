// SPDX-License-Identifier: MIT
// An environment variable for the duration of a test.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

/// Sets an environment variable; restores it afterwards.
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
