// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/operations/indices.h"
#include "chainer/functions/sparse.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/routines/sorting.h"

namespace chainer::utils {
namespace {

bool sorted(const Array& major, const Array& minor) {
  const int64_t last = major.ndim() > 0 ? major.shape(-1) - 1 : 0;
  if (last < 1) return true;
  const Index before = Slice(0, last), after = Slice(1, last + 1);
  const Array a = major[{Ellipsis(), before}], b = major[{Ellipsis(), after}];
  const Mask falls = (b < a) | ((b == a) & (minor[{Ellipsis(), after}] < minor[{Ellipsis(), before}]));
  return !any(falls & (a >= 0) & (b >= 0)).item<bool>();  // not at padding
}

[[noreturn]] void outside(int64_t entry, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  throw ValueError("CooMatrix: entry ", entry, " at (", row, ", ", col, ") is outside shape ", Shape{rows, cols});
}

void check_on_host(const Array& row, const Array& col, const Shape& s) {
  const std::vector<int64_t> rows = row.to_vector<int64_t>(), cols = col.to_vector<int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == -1 && cols[i] == -1) continue;
    if (rows[i] < 0 || rows[i] >= s[0] || cols[i] < 0 || cols[i] >= s[1])
      outside(static_cast<int64_t>(i), rows[i], cols[i], s[0], s[1]);
  }
}

// The device throws the error when it is next waited for. Entries outside become padding, which nothing reads. A wrong
// entry is checked as one number, not 0, of its row and column.
void check_on_device(const Array& row, const Array& col, CooMatrix& m) {
  constexpr int64_t far = int64_t(1) << 31;
  const Array r = chainer::minimum(chainer::maximum(row.astype(int64), 1 - far), far - 1),
              c = chainer::minimum(chainer::maximum(col.astype(int64), 1 - far), far - 1);
  const Mask inside = (r >= 0) & (r < m.shape[0]) & (c >= 0) & (c < m.shape[1]), padding = (r == -1) & (c == -1);
  const Array good = Array(inside | padding).astype(int64);
  const Array wrong = ((r * (2 * far) + c + far) * (1 - good)).contiguous();
  m.row = ((r + 1) * good - 1).astype(int32), m.col = ((c + 1) * good - 1).astype(int32);
  const auto fail = [](int64_t value, int64_t position, const IndexCheck& check) {
    outside(position, value >> 32, (value & (2 * far - 1)) - far, check.lengths[0], check.lengths[1]);
  };
  Array checked(wrong.shape(), int64, wrong.device());
  wrong.device().backend().check_indices({.size = 1, .lengths = {m.shape[0], m.shape[1]}, .fail = fail}, wrong,
                                         checked);
}

}  // namespace

std::string get_order(const Array& row, const Array& col) {
  if (row.shape() != col.shape())
    throw ValueError("get_order: row and col have shapes ", row.shape(), " and ", col.shape());
  return sorted(row, col) ? "C" : sorted(col, row) ? "F" : "other";
}

CooMatrix::CooMatrix(const Array& d, const Array& r, const Array& c, const Shape& s, const CooMatrixOptions& o)
    : data(d, o.requires_grad), row(r.astype(int32)), col(c.astype(int32)), shape(s), order(o.order) {
  if (d.ndim() < 1 || d.ndim() > 2) throw ValueError("CooMatrix: data must have 1 or 2 axes, not shape ", d.shape());
  if (r.shape() != d.shape() || c.shape() != d.shape())
    throw ValueError("CooMatrix: data, row and col must have the same shape, got ", d.shape(), ", ", r.shape(), " and ",
                     c.shape());
  if (s.ndim() != 2 || s[0] <= 0 || s[1] <= 0)
    throw ValueError("CooMatrix: shape must be two positive numbers, not ", s);
  if (!order.empty() && order != "C" && order != "F" && order != "other")
    throw ValueError("CooMatrix: order must be 'C', 'F' or 'other', not '", order, "'");
  if (r.device().is_host() || !(r.device() == c.device()))
    check_on_host(r, c, s);
  else
    check_on_device(r, c, *this);
  if (order.empty()) order = get_order(row, col);
}

Array CooMatrix::to_dense() const {
  const bool batched = data.ndim() == 2;
  const int64_t batch = batched ? data.shape()[0] : 1, width = data.shape(-1);
  const Device device = data.device();
  Array out = zeros({batch, shape[0], shape[1]}, data.dtype(), device);
  if (data.size() > 0) {
    const auto there = [&](const Array& a) { return a.to_device(device).astype(int64).reshape({batch, width}); };
    const Array r = there(row), matrix = arange(batch).to_device(device).reshape({batch, 1});
    const Mask used = r >= 0;  // padding adds 0 to the first element
    const Array place = ((matrix * shape[0] + r) * shape[1] + there(col)) * Array(used).astype(int64);
    const Array values = chainer::where(used, data.array().reshape({batch, width}), zeros({}, data.dtype(), device));
    Array flat = out.reshape({-1});
    add_at(flat, {place.reshape({-1})}, values.reshape({-1}));
  }
  return batched ? out : out.reshape(shape);
}

CooMatrix to_coo(const Array& x, std::optional<int64_t> ldnz, bool requires_grad) {
  if (x.ndim() != 2 && x.ndim() != 3) throw ValueError("to_coo: x must have 2 or 3 axes, not shape ", x.shape());
  const Array all = x.ndim() == 2 ? x.reshape({1, x.shape()[0], x.shape()[1]}) : x;
  const int64_t batch = all.shape()[0];
  std::vector<Arrays> entries;
  int64_t width = ldnz.value_or(0);
  for (int64_t b = 0; b < batch; ++b) {
    entries.push_back(nonzero(all[b]));
    width = std::max(width, entries.back()[0].size());
  }
  Array data = zeros({batch, width}, x.dtype(), x.device()), row = full({batch, width}, -1, int32, x.device());
  Array col = row.copy();
  for (int64_t b = 0; b < batch; ++b) {
    const Arrays& at = entries[static_cast<std::size_t>(b)];
    const Slice used(0, at[0].size());
    data.set({b, used}, get_item(all[b], {at[0], at[1]}));
    row.set({b, used}, at[0]);
    col.set({b, used}, at[1]);
  }
  const Shape shape = {all.shape()[1], all.shape()[2]};
  if (x.ndim() == 2) data = data.reshape({-1}), row = row.reshape({-1}), col = col.reshape({-1});
  return CooMatrix(data, row, col, shape, {.order = "C", .requires_grad = requires_grad});
}

}  // namespace chainer::utils
