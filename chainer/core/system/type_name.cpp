// SPDX-License-Identifier: MIT
#include "chainer/core/system/type_name.h"

#include <cxxabi.h>

#include <cstdlib>

namespace chainer {
namespace {

std::string qualified_name(const std::type_info& type) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string s = status == 0 ? demangled : type.name();
  std::free(demangled);
  return s;
}

}  // namespace

bool is_declared_in(const std::type_info& type, std::string_view scope) {
  return qualified_name(type).starts_with(std::string(scope) + "::");
}

std::string type_name(const std::type_info& type) {
  std::string s = qualified_name(type);
  if (const std::size_t at = s.rfind("::"); at != s.npos) s = s.substr(at + 2);
  return s;
}

std::string current_exception_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type ? type_name(*type) : "unknown";
}

}  // namespace chainer
