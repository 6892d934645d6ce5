// SPDX-License-Identifier: MIT
// Parsers of the file formats of datasets.
#include <chainer/chainer.h>

#include <cstdlib>

#include "../targets.h"
#include "chainer/datasets/archive.h"
#include "chainer/datasets/csv.h"
#include "chainer/datasets/image.h"
#include "chainer/datasets/matlab.h"
#include "chainer/datasets/pickle.h"

using namespace chainer;

namespace fuzz {

void csv(std::string_view bytes) {
  try {
    const datasets::CsvTable table(std::string(bytes), "fuzzed");
    for (const std::string& name : table.names()) {
      if (table.categories(name).first.size() != table.size()) std::abort();
      for (const Dtype d : {float32, int32}) {
        try {
          (void)table.column(name, d);
        } catch (const ValueError&) {}
      }
    }
  } catch (const Error&) {}
}

void pickle(std::string_view bytes) {
  try {
    const Example example = dataset::parse_pickle(bytes, "fuzzed");
    for (const Array& a : example.arrays())
      if (a && a.size() > 0) (void)sum(a).item<double>();
  } catch (const Error&) {}
}

void matlab(std::string_view bytes) {
  try {
    for (const auto& [name, a] : dataset::parse_matlab(bytes, "fuzzed"))
      if (a.size() > 0) (void)sum(a).item<double>();
  } catch (const Error&) {}
}

void tar(std::string_view bytes) {
  try {
    std::size_t total = 0;
    for (const dataset::TarMember& m : dataset::tar_members(bytes, "fuzzed"))
      for (const char c : m.bytes) total += c != 0;
    if (total > bytes.size() * bytes.size()) std::abort();
  } catch (const Error&) {}
}

void picture(std::string_view bytes) {
  for (const int64_t least_side : {0, 9}) try {
      const dataset::Picture p = dataset::decode_picture(bytes, "fuzzed", least_side);
      const auto values = static_cast<std::size_t>(p.height * p.width * p.channels);
      if (p.bytes.size() + p.words.size() != values) std::abort();
      (void)dataset::picture_array(p, float32);
    } catch (const Error&) {}
}

}  // namespace fuzz
