// Names of C++ types, for messages, graphs and registered names.
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace chainer {

/// The unqualified name of a type: "Linear" for chainer::links::Linear.
std::string type_name(const std::type_info& type);
/// Whether a type is declared in a namespace ("chainer::functions") or in one inside of it.
bool is_declared_in(const std::type_info& type, std::string_view scope);
/// The unqualified name of the type of the exception that is being handled; "unknown" where that cannot be told.
std::string current_exception_type();

}  // namespace chainer
