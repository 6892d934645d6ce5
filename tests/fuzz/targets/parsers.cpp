// SPDX-License-Identifier: MIT
// Parsers of arrays and states.
#include <chainer/chainer.h>

#include <cstdlib>

#include "../targets.h"
#include "chainer/core/json.h"
#include "chainer/datasets/idx.h"
#include "chainer/onnx/model_file.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/zip.h"
#include "chainer/tokenizers/tables.h"

using namespace chainer;

namespace fuzz {

void npy(std::string_view bytes) {
  try {
    const Array a = from_npy(bytes);
    const std::string written = to_npy(a);
    if (to_npy(from_npy(written)) != written) std::abort();
    if (a.size() > 0) (void)sum(a.astype(float64)).item<double>();
  } catch (const Error&) {}
}

void zip(std::string_view bytes) {
  try {
    const chainer::zip::Reader reader(std::string(bytes), "fuzzed");
    for (const std::string& name : reader.names()) {
      try {
        (void)reader.read(name);
      } catch (const FileError&) {}
    }
  } catch (const FileError&) {}
}

void json(std::string_view bytes) {
  try {
    const std::string written = chainer::json::dump(chainer::json::parse(bytes));
    if (chainer::json::dump(chainer::json::parse(written)) != written) std::abort();
  } catch (const ValueError&) {}
}

void idx(std::string_view bytes) {
  if (bytes.empty()) return;
  try {
    const Array a = datasets::parse_idx(bytes.substr(1), bytes[0] & 3, "fuzzed");
    if (a.size() > 0) (void)sum(a).item<double>();
  } catch (const FileError&) {}
}

void onnx(std::string_view bytes) {
  try {
    chainer::onnx::Model model = chainer::onnx::Model::from_bytes(bytes);
    for (const auto& [path, p] : model.namedparams()) (void)chainer::onnx::write_tensor(p.array(), path);
  } catch (const Error&) {}
}

void tokenizer(std::string_view bytes) {
  try {
    const tokenizers::Tokenizer t = tokenizers::from_json(std::string(bytes));
    for (const char* text : {"The cat's 12 caf\u00e9s.", "\xf0\x9f\x98 \u4e2d [MASK]<|endoftext|>", ""}) {
      const std::vector<int32_t> ids = t.encode(text);
      (void)t.decode(ids);
      if (t.encode(text) != ids) std::abort();
    }
    (void)t.encode_pair("a b", "c");
  } catch (const Error&) {}
}

}  // namespace fuzz
