// SPDX-License-Identifier: MIT
#include "chainer/routines/text_kernels/parameters.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace chainer::backends::cuda {
namespace {

struct TypeRow {
  const char *name, *cpp;
  Dtype dtype;
};
constexpr TypeRow kTypes[] = {{"bool", "bool", bool_},
                              {"int8", "signed char", int8},
                              {"int16", "short", int16},
                              {"int32", "int", int32},
                              {"int64", "long long", int64},
                              {"uint8", "unsigned char", uint8},
                              {"uint16", "unsigned short", int16},
                              {"uint32", "unsigned int", int32},
                              {"uint64", "unsigned long long", int64},
                              {"float16", "float16", float16},
                              {"float32", "float", float32},
                              {"float64", "double", float64},
                              {"bfloat16", "bfloat16", bfloat16}};
constexpr int kTypeCount = static_cast<int>(std::size(kTypes));
const TypeRow& row_of(NumberType t) { return kTypes[static_cast<int>(t)]; }

std::string names_of_types() {
  std::string all;
  for (const TypeRow& r : kTypes) all += (all.empty() ? "" : ", ") + std::string(r.name);
  return all;
}

bool is_name(std::string_view s) {
  return !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

Parameter parsed_parameter(const std::string& entry, bool input, std::string_view kernel) {
  const auto refuse = [&](const auto&... why) {
    throw ValueError("kernel '", kernel, "': the parameter '", entry, "': ", why...);
  };
  std::istringstream in(entry);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.size() < 2) refuse("expected a type and a name, as in 'float32 x'");
  Parameter p;
  p.input = input;
  p.written = !input;
  p.name = words.back();
  const std::string& type = words[words.size() - 2];
  for (std::size_t k = 0; k + 2 < words.size(); ++k) {
    if (words[k] != "raw" && words[k] != "_non_const") refuse("unknown word '", words[k], "'; expected raw");
    (words[k] == "raw" ? p.raw : p.written) = true;
  }
  if (!is_name(p.name)) refuse("'", p.name, "' is not a name");
  if (p.name == "i" || p.name[0] == '_') refuse("the name i, and names that begin with _, are reserved");
  if (type.size() == 1 && std::isalpha(static_cast<unsigned char>(type[0]))) {
    p.letter = type[0];
    return p;
  }
  for (int k = 0; k < kTypeCount; ++k)
    if (type == kTypes[k].name) p.type = static_cast<NumberType>(k);
  if (!p.type) refuse("unknown type '", type, "'; expected one letter, or one of ", names_of_types());
  return p;
}

}  // namespace

std::string_view name(NumberType t) { return row_of(t).name; }
std::string_view cpp_name(NumberType t) { return row_of(t).cpp; }
Dtype dtype_of(NumberType t) { return row_of(t).dtype; }
int64_t size_of(NumberType t) { return item_size(dtype_of(t)); }
NumberType type_of(Dtype d) {
  int k = 0;
  while (kTypes[k].dtype != d) ++k;
  return static_cast<NumberType>(k);
}

void parse_parameters(std::string_view list, bool input, std::string_view kernel, std::vector<Parameter>& to) {
  const std::string all(list);
  if (std::all_of(all.begin(), all.end(), [](unsigned char c) { return std::isspace(c); })) return;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    Parameter p = parsed_parameter(all.substr(at, end - at), input, kernel);
    for (const Parameter& other : to)
      if (other.name == p.name) throw ValueError("kernel '", kernel, "': two parameters are named ", p.name);
    to.push_back(std::move(p));
    at = end + 1;
  }
}

CallTypes types_of_call(std::string_view kernel, std::span<const Parameter> parameters,
                        std::span<const KernelArgument* const> args) {
  CallTypes types;
  std::map<char, const Parameter*> given_by;
  const auto determine = [&](std::size_t k) {
    const Parameter& p = parameters[k];
    const Array* a = args[k] ? args[k]->array() : nullptr;
    if (!a) return;
    std::string expected = p.type_text();
    if (!p.type) {
      const auto [at, is_new] = types.letters.emplace(p.letter, type_of(a->dtype()));
      if (is_new) given_by[p.letter] = &p;
      if (holds(a->dtype(), at->second)) return;
      expected += text(", which is ", cuda::name(at->second), " as in ", given_by[p.letter]->name);
    } else if (holds(a->dtype(), *p.type)) {
      return;
    }
    if (p.type && cuda::name(*p.type) != chainer::name(dtype_of(*p.type)))
      expected += text(" (in memory ", dtype_of(*p.type), ")");
    throw TypeError("kernel '", kernel, "': ", p.name, " must be an array of ", expected, ", not of ", a->dtype());
  };
  for (const bool input : {false, true})
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].input == input) determine(k);
  for (const Parameter& p : parameters) {
    if (!p.type && !types.letters.count(p.letter))
      throw TypeError("kernel '", kernel, "': no array determines the type ", std::string(1, p.letter), " of ", p.name);
    types.of.push_back(p.type ? *p.type : types.letters[p.letter]);
  }
  return types;
}

}  // namespace chainer::backends::cuda
