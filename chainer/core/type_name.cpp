#include "chainer/core/type_name.h"

#include <cxxabi.h>

#include <cstdlib>

namespace chainer {

std::string type_name(const std::type_info& type) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string s = status == 0 ? demangled : type.name();
  std::free(demangled);
  if (const std::size_t at = s.rfind("::"); at != s.npos) s = s.substr(at + 2);
  return s;
}

}  // namespace chainer
