// A variable of the environment for as long as a library reads it.
#pragma once

namespace chainer {

/// Sets a variable that nobody has set, where `wanted`, and takes it away again.
class TemporaryVariable {
 public:
  TemporaryVariable(bool wanted, const char* name, const char* value);
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;
  ~TemporaryVariable();

 private:
  const char* ours_ = nullptr;
};

}  // namespace chainer
