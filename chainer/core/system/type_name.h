// SPDX-License-Identifier: MIT
// Names of C++ types, for messages, graphs and registered names.
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace chainer {

/// Returns the unqualified name of a type: "Linear" for chainer::links::Linear.
std::string type_name(const std::type_info& type);
/// Returns true if a type is declared in a namespace ("chainer::functions") or in a nested one.
bool is_declared_in(const std::type_info& type, std::string_view scope);
/// Returns the unqualified type name of the exception being handled, or "unknown".
std::string current_exception_type();

}  // namespace chainer
