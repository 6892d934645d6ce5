// SPDX-License-Identifier: MIT
// Runs the operator tests of the published onnx package from files: a folder with model.onnx and test_data_set_<n>/.
#pragma once
#include <chainer/chainer.h>
#include <chainer/core/system/file.h>
#include <chainer/onnx/model_file.h>

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>

namespace onnx_cases {

using namespace chainer;
namespace fs = std::filesystem;

enum class Outcome { passed, failed, not_supported, other_elements };
struct Result {
  Outcome outcome;
  std::string message;
};

inline fs::path numbered(const fs::path& folder, const char* what, int i) {
  return folder / (what + ("_" + std::to_string(i) + ".pb"));
}

// Returns true if an error message says that the library does not support elements (strings, 8-bit floating numbers) or
// values (sequences) of the file.
inline bool about_elements(std::string_view message) {
  return message.find("cannot be held by an array") != std::string_view::npos ||
         message.find("expected a tensor") != std::string_view::npos;
}

// Random results are compared by shape only.
inline bool random_results(const std::string& name) {
  return name.find("bernoulli") != std::string::npos || name.find("random") != std::string::npos;
}

// Sums of many terms of both signs round relative to their largest result, not to each.
inline bool rounds_by_largest(const std::string& name) {
  return name.find("_dft") != std::string::npos || name.find("_stft") != std::string::npos;
}

inline std::string difference(const Array& ours, const Array& theirs, double rtol, double atol, bool by_shape) {
  if (ours.shape() != theirs.shape()) return text("shape ", ours.shape(), " instead of ", theirs.shape());
  if (ours.dtype() != theirs.dtype()) return text("dtype ", ours.dtype(), " instead of ", theirs.dtype());
  if (by_shape) return {};
  const auto a = ours.to_vector<double>(), b = theirs.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] || std::abs(a[i] - b[i]) <= atol + rtol * std::abs(b[i])) continue;
    return text("element ", i, " is ", a[i], " instead of ", b[i]);
  }
  return {};
}

inline Result run_case(const fs::path& folder) {
  double rtol = 1e-3, atol = 1e-7;
  if (std::ifstream in(folder / "tolerance"); in) in >> rtol >> atol;
  UsingConfig test_mode(&Config::train, false);
  try {
    onnx::Model model(folder / "model.onnx");
    for (int set = 0; fs::exists(folder / ("test_data_set_" + std::to_string(set))); ++set) {
      const fs::path at = folder / ("test_data_set_" + std::to_string(set));
      Variables in;
      std::vector<Array> expected;
      for (std::size_t i = 0; i < model.inputs().size(); ++i) {
        const fs::path file = numbered(at, "input", static_cast<int>(i));
        in.push_back(Variable(onnx::read_tensor(read_file(file), file.string()), false));
      }
      for (std::size_t i = 0; i < model.outputs().size(); ++i) {
        const fs::path file = numbered(at, "output", static_cast<int>(i));
        expected.push_back(onnx::read_tensor(read_file(file), file.string()));
      }
      // Unmodified, and simplified: run, recorded and replayed.
      for (const bool backprop : {true, false, false, false}) {
        UsingConfig graph(&Config::enable_backprop, backprop);
        const Variables out = model(in);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const Array& want = expected[i];
          // 16-bit results differ from the reference by the order of operations.
          const double least = want.dtype() == bfloat16 ? 2e-2 : want.dtype() == float16 ? 2e-3 : 0;
          double absolute = std::max(atol, least);
          if (rounds_by_largest(folder.filename().string()))
            for (const double v : want.to_vector<double>()) absolute = std::max(absolute, 1e-6 * std::abs(v));
          const std::string d = difference(out[i].array(), want, std::max(rtol, least), absolute,
                                           random_results(folder.filename().string()));
          if (!d.empty()) return {Outcome::failed, text("output ", i, ": ", d)};
        }
      }
    }
    return {Outcome::passed, {}};
  } catch (const std::exception& e) {
    const std::string_view message = e.what();
    if (message.find("operators that are not supported") != std::string_view::npos)
      return {Outcome::not_supported, std::string(message)};
    if (about_elements(message)) return {Outcome::other_elements, std::string(message)};
    return {Outcome::failed, std::string(message)};
  }
}

}  // namespace onnx_cases
