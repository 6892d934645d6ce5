// Names of C++ types, for messages, graphs and registered names.
#pragma once
#include <string>
#include <typeinfo>

namespace chainer {

/// The unqualified name of a type: "Linear" for chainer::links::Linear.
std::string type_name(const std::type_info& type);

}  // namespace chainer
