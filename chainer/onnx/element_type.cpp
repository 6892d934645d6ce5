// SPDX-License-Identifier: MIT
#include "chainer/onnx/model_file.h"

namespace chainer::onnx {
namespace {

// ONNX's element types by number, and the Dtype that represents them.
struct ElementType {
  std::string_view name;
  int dtype;  // -1 if there is no such Dtype
};
constexpr int held(Dtype d) { return static_cast<int>(d); }
constexpr ElementType kTypes[] = {{"undefined", -1},
                                  {"float32", held(float32)},
                                  {"uint8", held(uint8)},
                                  {"int8", held(int8)},
                                  {"uint16", -1},
                                  {"int16", held(int16)},
                                  {"int32", held(int32)},
                                  {"int64", held(int64)},
                                  {"string", -1},
                                  {"bool", held(bool_)},
                                  {"float16", held(float16)},
                                  {"float64", held(float64)},
                                  {"uint32", -1},
                                  {"uint64", -1},
                                  {"complex64", -1},
                                  {"complex128", -1},
                                  {"bfloat16", held(bfloat16)},
                                  {"float8e4m3fn", -1},
                                  {"float8e4m3fnuz", -1},
                                  {"float8e5m2", -1},
                                  {"float8e5m2fnuz", -1},
                                  {"uint4", -1},
                                  {"int4", -1},
                                  {"float4e2m1", -1}};

}  // namespace

int element_type(Dtype dtype) {
  for (int i = 0; i < static_cast<int>(std::size(kTypes)); ++i)
    if (kTypes[i].name == name(dtype)) return i;
  throw TypeError("onnx: no element type for ", dtype);
}

Dtype dtype_of_element(int64_t type, std::string_view what) {
  const bool known = type >= 0 && type < static_cast<int64_t>(std::size(kTypes));
  if (!known || kTypes[type].dtype < 0)
    throw TypeError(what, ": elements of ONNX type ", type, known ? text(" (", kTypes[type].name, ")") : std::string(),
                    " cannot be held by an array of this library");
  return static_cast<Dtype>(kTypes[type].dtype);
}

}  // namespace chainer::onnx
