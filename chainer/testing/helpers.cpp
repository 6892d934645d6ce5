// SPDX-License-Identifier: MIT
#include "chainer/testing/helpers.h"

#include <atomic>
#include <chrono>

#include "chainer/autograd/function_node.h"
#include "chainer/routines/creation.h"
#include "chainer/testing/op_case.h"

namespace chainer::testing {

TemporaryFolder::TemporaryFolder() {
  static std::atomic<int> count{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  path_ = std::filesystem::temp_directory_path() / text("chainer_test_", now, "_", count++);
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // failing to remove a folder must not end the program
  std::filesystem::remove_all(path_, ignored);
}

void assert_warns(const std::function<void()>& f) {
  const int64_t before = warning_count();
  f();
  if (warning_count() == before) throw AssertionError("assert_warns: there was no warning");
}

namespace condition {

void repeat_with_success_at_least(int times, int min_success, const std::function<void()>& test) {
  if (times < 1 || min_success < 0 || min_success > times)
    throw ValueError("repeat_with_success_at_least: ", min_success, " of ", times, " is not possible");
  int passed = 0, failed = 0;
  std::string last;
  while (passed < min_success && failed <= times - min_success) {
    try {
      test();
      ++passed;
    } catch (const std::exception& e) {
      ++failed;
      last = e.what();
    }
  }
  if (passed < min_success)
    throw AssertionError(passed, " of ", passed + failed, " runs passed, ", min_success, " of ", times,
                         " must; the last failure: ", last);
}

void repeat(int times, const std::function<void()>& test) { repeat_with_success_at_least(times, times, test); }
void retry(int times, const std::function<void()>& test) { repeat_with_success_at_least(times, 1, test); }

}  // namespace condition

void unary_math_function_unittest(const std::function<Variable(const Variable&)>& func, const UnaryMathOptions& o) {
  random::RandomState generator(0);
  const Shape shape = {3, 2};
  OpCase c{.name = o.label_expected.empty() ? "function" : o.label_expected,
           .python = {},
           .function = [func](const Variables& x) { return Variables{func(x[0])}; },
           .inputs = {o.make_data ? o.make_data(shape) : generator.uniform(-1, 1, shape)}};
  c.elementwise = true;
  if (o.func_expected)
    c.reference = [f = o.func_expected](const Arrays& x) {
      std::vector<double> v = x[0].to_vector<double>();
      for (double& e : v) e = f(e);
      return Arrays{array(v, x[0].shape())};
    };
  check_op(c);
  const Variable y = func(Variable(c.inputs[0]));
  if (!o.label_expected.empty() && (!y.creator() || y.creator()->label() != o.label_expected))
    throw AssertionError("the label is '", y.creator() ? y.creator()->label() : "", "', expected '", o.label_expected,
                         "'");
}

}  // namespace chainer::testing
