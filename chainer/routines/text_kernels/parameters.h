// SPDX-License-Identifier: MIT
// The lists of parameters of kernels written as text, and the types of a call.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chainer/routines/text_kernels.h"

namespace chainer::backends::cuda {

/// One entry of a list.
struct Parameter {
  std::string name;
  std::optional<NumberType> type;  ///< empty for a type given by a letter
  char letter = 0;
  bool raw = false, input = true, written = false;
  std::string type_text() const { return type ? std::string(cuda::name(*type)) : std::string(1, letter); }
};

/// Appends the parameters of a list. Throws ValueError naming `kernel` and the entry.
void parse_parameters(std::string_view list, bool input, std::string_view kernel, std::vector<Parameter>& to);

/// Returns the type in CUDA C++: "float", "long long".
std::string_view cpp_name(NumberType type);
int64_t size_of(NumberType type);
/// Returns the dtype of arrays with elements of this type.
Dtype dtype_of(NumberType type);
NumberType type_of(Dtype dtype);
/// Returns true if an array of this dtype can be given for a parameter of this type.
inline bool holds(Dtype dtype, NumberType type) { return dtype_of(type) == dtype; }

/// The types of the parameters in one call, and of the letters.
struct CallTypes {
  std::vector<NumberType> of;
  std::map<char, NumberType> letters;
};
/// Determines the types: from output arrays first, then from input arrays. `args` has nullptr for outputs that were not
/// given. Throws TypeError naming the parameter for an array of another type, and for a letter that no array
/// determines.
CallTypes types_of_call(std::string_view kernel, std::span<const Parameter> parameters,
                        std::span<const KernelArgument* const> args);

}  // namespace chainer::backends::cuda
