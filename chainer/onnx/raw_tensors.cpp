// SPDX-License-Identifier: MIT
#include "chainer/onnx/raw_tensors.h"

#include <algorithm>

#include "chainer/core/protobuf_wire.h"

namespace chainer::onnx {
namespace {

constexpr std::size_t kLarge = 1024;  // smaller copies of smaller elements cost nothing
constexpr uint64_t kGraphOfModel = 7, kInitializerOfGraph = 5, kRawDataOfTensor = 9;

// Copies a message to `to`, field by field. change(field) returns true if it has written the field itself. Returns
// false if the message is not valid.
template <class F>
bool copy_message(std::string_view message, std::string& to, F&& change) {
  while (!message.empty()) {
    const auto field = wire::take_field(message);
    if (!field) return false;
    if (!change(*field)) to.append(field->all);
  }
  return true;
}

void put_message(uint64_t number, std::string_view content, std::string& to) {
  wire::put_varint(to, number << 3 | wire::kBytes);
  wire::put_varint(to, content.size());
  to.append(content);
}

bool is(const wire::Field& field, uint64_t number) { return field.tag == (number << 3 | wire::kBytes); }

}  // namespace

SplitModel split_model(std::string_view bytes) {
  SplitModel out;
  bool valid = true;
  const auto tensor = [&](const wire::Field& outer, std::string& to) {
    std::string rest;
    std::string_view elements;
    valid &= copy_message(outer.content, rest, [&](const wire::Field& f) {
      if (!is(f, kRawDataOfTensor)) return false;
      elements = f.content.size() >= kLarge ? f.content : std::string_view();  // the last of several counts
      return elements.data() != nullptr;
    });
    put_message(kInitializerOfGraph, rest, to);
    out.of_weights.push_back(elements);
  };
  const auto graph = [&](const wire::Field& outer, std::string& to) {
    std::string rest;
    valid &= copy_message(outer.content, rest, [&](const wire::Field& f) {
      if (!is(f, kInitializerOfGraph)) return false;
      tensor(f, rest);
      return true;
    });
    put_message(kGraphOfModel, rest, to);
  };
  valid &= copy_message(bytes, out.rest, [&](const wire::Field& f) {
    if (!is(f, kGraphOfModel)) return false;
    graph(f, out.rest);
    return true;
  });
  const auto taken = [](std::string_view v) { return v.data() != nullptr; };
  out.valid = valid;
  if (!valid || std::none_of(out.of_weights.begin(), out.of_weights.end(), taken)) out.rest = {}, out.of_weights = {};
  return out;
}

}  // namespace chainer::onnx
