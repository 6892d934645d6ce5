// SPDX-License-Identifier: MIT
// An environment variable that is set while a library reads it.
#pragma once

namespace chainer {

/// Sets a variable during its lifetime if `wanted` is true and the variable is not set.
class TemporaryVariable {
 public:
  [[nodiscard]] TemporaryVariable(bool wanted, const char* name, const char* value);
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;
  ~TemporaryVariable();

 private:
  const char* ours_ = nullptr;
};

}  // namespace chainer
