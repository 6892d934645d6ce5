// Whether an export computes what the program computes, on inputs that it was not made from.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chainer/onnx/emitter.h"

namespace chainer::onnx {

/// The inputs' common length of the first axis; -1 if there is none.
int64_t common_batch(const Variables& inputs);
/// Inputs of the same shapes with other elements, for several runs: other floating numbers of the same signs, of other
/// signs, other integers between the least and the greatest, and one more.
std::vector<Variables> disturbed(const Variables& inputs);
/// The inputs' rows again and again, as often as the batch needs, with floating numbers a little apart.
Variables of_batch(const Variables& inputs, int64_t batch);
/// Three lengths of a batch, from `least` on, that are no length of anything else.
std::vector<int64_t> other_batches(const Trace& t, int64_t batch, int64_t least);

/// Throws a ValueError where two runs, on other numbers of the same shapes, differ in more than what functions compute
/// from the inputs.
void compare(const Trace& a, const Trace& b);
/// The same of runs with batches of other lengths: OneBatchOnly where they call other functions.
void align(const Trace& a, const Trace& b);

/// In what results differ from those that are expected, beyond rounding; nothing if they do not.
std::optional<std::string> difference(const Variables& results, const Variables& expected, bool shapes_only,
                                      const std::vector<std::string>& names = {});

/// An export that is run.
class Check {
 public:
  explicit Check(const ModelFile& file);
  ~Check();
  /// In what its outputs on these inputs differ from the expected ones.
  std::optional<std::string> difference(const Variables& inputs, const Variables& expected, bool shapes_only) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chainer::onnx
