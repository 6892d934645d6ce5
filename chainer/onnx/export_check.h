// SPDX-License-Identifier: MIT
// Checks that an export computes the results of the program, on inputs other than those of the export.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chainer/onnx/emitter.h"

namespace chainer::onnx {

/// Returns the common length of the first axes of the inputs; -1 if there is none.
int64_t common_batch(const Variables& inputs);
/// Returns inputs of the same shapes with other elements, for several runs: other floating numbers of the same signs,
/// of other signs, other integers between the smallest and the largest, and integers beyond the largest.
std::vector<Variables> disturbed(const Variables& inputs);
/// A choice of lengths for axes of inputs: (input, axis, length).
struct AxisLength {
  std::size_t input;
  int axis;
  int64_t length;
};
/// Returns inputs with these lengths, repeating the given elements, with slightly different floating numbers.
Variables of_lengths(const Variables& inputs, const std::vector<AxisLength>& lengths);
/// Returns `count` batch lengths, at least `least`, that differ from all other lengths in the trace.
std::vector<int64_t> other_batches(const Trace& t, int64_t batch, int64_t least, std::size_t count);

/// Throws ValueError if two runs, on different numbers of the same shapes, differ in more than the results of functions
/// of the inputs.
void compare(const Trace& a, const Trace& b);
/// Throws FixedLengths if two runs with different free lengths call different functions.
void align(const Trace& a, const Trace& b);

/// Describes how results differ from the expected ones, beyond rounding; nothing if they do not.
std::optional<std::string> difference(const Variables& results, const Variables& expected, bool shapes_only,
                                      const std::vector<std::string>& names = {});

/// Runs an export.
class Check {
 public:
  explicit Check(const ModelFile& file);
  ~Check();
  /// Describes how the outputs for these inputs differ from the expected ones; nothing if they do not.
  std::optional<std::string> difference(const Variables& inputs, const Variables& expected, bool shapes_only) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chainer::onnx
