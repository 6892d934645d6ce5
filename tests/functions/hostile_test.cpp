// SPDX-License-Identifier: MIT
// Every row of the table with inputs of other numbers of axes, lengths, dtypes and values: a function must return a
// result or throw one of the library's errors. It must not crash or access memory outside its arrays, which the
// address-sanitized build detects.
#include <limits>

#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

struct Change {
  const char* name;
  Array (*apply)(const Array&);
};

Array with_value(const Array& a, Scalar value) {
  Array b = a.copy();
  if (b.size()) b.reshape({-1}).set(-1, value);
  return b;
}
constexpr double kInf = std::numeric_limits<double>::infinity();

const Change kChanges[] = {
    {"a number", [](const Array& a) { return a.size() ? a.ravel()[0].copy() : zeros({}, a.dtype()); }},
    {"nothing", [](const Array& a) { return zeros({0}, a.dtype()); }},
    {"no rows", [](const Array& a) { return a.ndim() ? a[Slice(0, 0)].copy() : a; }},
    {"no columns",
     [](const Array& a) {
       return a.ndim() ? zeros_like(a)[{ellipsis, Slice(0, 0)}].copy() : a;
     }},
    {"another axis", [](const Array& a) { return expand_dims(a, 0); }},
    {"a last axis", [](const Array& a) { return expand_dims(a, -1); }},
    {"flat", [](const Array& a) { return a.ravel().copy(); }},
    {"a row less", [](const Array& a) { return a.ndim() ? a[Slice(1, std::nullopt)].copy() : a; }},
    {"a row more",
     [](const Array& a) {
       return a.ndim() && a.shape()[0] ? concatenate({a, a[Slice(0, 1)]}) : a;
     }},
    {"transposed", [](const Array& a) { return a.T(); }},
    {"another dtype", [](const Array& a) { return a.astype(is_floating(a.dtype()) ? int32 : float64); }},
    {"float32", [](const Array& a) { return is_floating(a.dtype()) ? a.astype(float32) : a.astype(int64); }},
    {"bytes", [](const Array& a) { return a.astype(uint8); }},
    {"not a number", [](const Array& a) { return is_floating(a.dtype()) ? with_value(a, NAN) : a; }},
    {"infinite", [](const Array& a) { return is_floating(a.dtype()) ? with_value(a, -kInf) : a; }},
    {"zeros", [](const Array& a) { return zeros_like(a); }},
    {"negative", [](const Array& a) { return a.dtype() == bool_ ? a : with_value(a, -7); }},
    {"large", [](const Array& a) { return a.dtype() == bool_ ? a : with_value(a, 3000000); }},
};

void take_or_refuse() {
  int64_t taken = 0, refused = 0;
  for (const testing::OpCase& c : table::rows()) {
    for (const Change& change : kChanges) {
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        Variables xs;
        for (std::size_t k = 0; k < c.inputs.size(); ++k) {
          const Array a = k == i ? change.apply(c.inputs[k]) : c.inputs[k];
          xs.push_back(Variable(a, is_floating(a.dtype())));
        }
        ++test::expectations;
        try {
          const Variables ys = F::identity(c.function(xs));
          Variables sums;
          for (const Variable& y : ys) {
            (void)y.array().raw();
            if (y.requires_grad()) sums.push_back(F::sum(y));
          }
          for (const Variable& s : sums) s.backward();
          for (const Variable& x : xs)
            if (x.grad()) (void)x.grad().raw();
          ++taken;
        } catch (const Error&) { ++refused; } catch (const std::exception& e) {
          test::fail(c.name.c_str(), 0, text(c.python, " with input ", i, " as ", change.name, ": ", e.what()));
        }
      }
    }
  }
  EXPECT(taken > 1000);
  EXPECT(refused > 1000);
}

}  // namespace

TEST(functions_take_or_refuse_whatever_comes) { take_or_refuse(); }

// Without type checks messages may be less specific, but nothing outside the arrays is read or written.
TEST(functions_without_type_checks_are_safe) {
  const UsingConfig off(&Config::type_check, false);
  take_or_refuse();
  EXPECT_THROW(Error, "", F::linear(zeros({2, 1000}), zeros({3, 4})));
  EXPECT_THROW(Error, "", F::linear(zeros({2}), zeros({3, 4})));
  EXPECT_THROW(Error, "", F::embed_id(array({0, 1}), zeros({7})));
  EXPECT_THROW(Error, "", F::softmax_cross_entropy(zeros({2, 3}), array({0, 1, 2, 1, 0, 2})));
  EXPECT_THROW(Error, "", F::black_out(zeros({2, 3}), array({0}), zeros({4, 3}), array({{1, 2}, {0, 1}})));
  EXPECT_THROW(Error, "", F::connectionist_temporal_classification(zeros({5, 2, 3}), array({1, 2}), 0));
  // Kernels that exist for floating types only.
  const Array whole = array({{1, 2}, {3, 4}}), samples = array({{0, 1}, {1, 0}});
  EXPECT_THROW(DtypeError, "rows_dot: the dtype must be floating, not int32",
               F::negative_sampling(
                   whole, array({0, 1}), whole, [=](const Shape&) { return samples; }, 1));
}

// Without type checks kernels still check the dtypes that they expect.
TEST(dtypes_are_checked_where_type_checks_are_off) {
  const UsingConfig off(&Config::type_check, false);
  const auto sampler = [](const Shape& s) { return zeros(s, int32); };
  EXPECT_THROW(DtypeError, "float16 and float32",
               F::negative_sampling(ones({2, 3}), array({0, 1}), ones({4, 3}, float16), sampler, 2));
  EXPECT_THROW(ValueError, "label_num must not be negative: -1",
               F::classification_summary(ones({2, 3}), array({0, 1}), {.label_num = -1}));
}
