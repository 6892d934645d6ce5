// SPDX-License-Identifier: MIT
// Helpers for tests, in addition to gradient checks (manual: "Testing"): fixed random numbers, saving and loading,
// repetitions, and the whole test of a function of one number. No test framework: failures throw.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/routines/random.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/serializers.h"

namespace chainer::testing {

/// A scope in which the process's random numbers begin at a seed; afterwards they go on as if nothing had happened.
///   const testing::FixRandom fixed = testing::fix_random();
class [[nodiscard]] FixRandom {
 public:
  [[nodiscard]] explicit FixRandom(uint32_t seed) : before_(random::state()) { random::seed(seed); }
  FixRandom(const FixRandom&) = delete;
  FixRandom& operator=(const FixRandom&) = delete;
  ~FixRandom() { random::set_state(before_); }

 private:
  random::State before_;
};
inline FixRandom fix_random(uint32_t seed = 100) { return FixRandom(seed); }

/// A folder of its own, which goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};
/// saver(file, src), then loader(file, dst), in a temporary folder.
template <class Src, class Dst, class Saver, class Loader>
void save_and_load(Src& src, Dst& dst, const std::string& filename, Saver saver, Loader loader) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / filename;
  saver(file, src);
  loader(file, dst);
}
/// save_npz and load_npz.
template <class Src, class Dst>
void save_and_load_npz(Src& src, Dst& dst) {
  save_and_load(
      src, dst, "tmp.npz", [](const auto& file, Src& s) { serializers::save_npz(file, s); },
      [](const auto& file, Dst& d) { serializers::load_npz(file, d); });
}

/// save_hdf5 and load_hdf5.
template <class Src, class Dst>
void save_and_load_hdf5(Src& src, Dst& dst) {
  save_and_load(
      src, dst, "tmp.h5", [](const auto& file, Src& s) { serializers::save_hdf5(file, s); },
      [](const auto& file, Dst& d) { serializers::load_hdf5(file, d); });
}
/// Throws AssertionError unless f() warns (core/error.h), also with a text that was printed before.
void assert_warns(const std::function<void()>& f);

namespace condition {

/// Runs a test up to `times` times and stops as soon as `min_success` of them have passed. Throws AssertionError
/// with the text of the last failure when so many can no longer pass. A test fails by throwing.
void repeat_with_success_at_least(int times, int min_success, const std::function<void()>& test);
/// All must pass.
void repeat(int times, const std::function<void()>& test);
/// One must pass.
void retry(int times, const std::function<void()>& test);

}  // namespace condition

/// Options of unary_math_function_unittest(), in the manual's order.
struct UnaryMathOptions {
  std::function<double(double)> func_expected = {};   ///< the formula on a number
  std::string label_expected = {};                    ///< the function's label in graphs
  std::function<Array(const Shape&)> make_data = {};  ///< inputs in float64; uniform in [-1, 1) by default
};
/// Forward, backward and double backward of an elementwise function of one argument, on shape (3, 2), without axes and
/// empty, in three dtypes (see check_op), and its label.
///   testing::unary_math_function_unittest(F::sin, {[](double x) { return std::sin(x); }, "sin"});
void unary_math_function_unittest(const std::function<Variable(const Variable&)>& func,
                                  const UnaryMathOptions& options = {});

}  // namespace chainer::testing
