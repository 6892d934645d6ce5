// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/sparse.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/routines/sorting.h"

namespace chainer::utils {
namespace {

bool sorted(const Array& major, const Array& minor) {
  const std::vector<int64_t> a = major.to_vector<int64_t>(), b = minor.to_vector<int64_t>();
  const auto width = static_cast<std::size_t>(major.ndim() == 2 ? major.shape()[1] : major.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % width == 0 || a[i] < 0 || a[i - 1] < 0) continue;  // the next matrix, or padding
    if (a[i] < a[i - 1] || (a[i] == a[i - 1] && b[i] < b[i - 1])) return false;
  }
  return true;
}

}  // namespace

std::string get_order(const Array& row, const Array& col) {
  if (row.shape() != col.shape())
    throw ValueError("get_order: row and col have shapes ", row.shape(), " and ", col.shape());
  return sorted(row, col) ? "C" : sorted(col, row) ? "F" : "other";
}

CooMatrix::CooMatrix(const Array& d, const Array& r, const Array& c, const Shape& s, const CooMatrixOptions& o)
    : data(d, o.requires_grad), row(r.astype(int32, false)), col(c.astype(int32, false)), shape(s), order(o.order) {
  if (d.ndim() < 1 || d.ndim() > 2) throw ValueError("CooMatrix: data must have 1 or 2 axes, not shape ", d.shape());
  if (r.shape() != d.shape() || c.shape() != d.shape())
    throw ValueError("CooMatrix: data, row and col must have the same shape, got ", d.shape(), ", ", r.shape(), " and ",
                     c.shape());
  if (s.ndim() != 2 || s[0] <= 0 || s[1] <= 0)
    throw ValueError("CooMatrix: shape must be two positive numbers, not ", s);
  if (!order.empty() && order != "C" && order != "F" && order != "other")
    throw ValueError("CooMatrix: order must be 'C', 'F' or 'other', not '", order, "'");
  const std::vector<int64_t> rows = r.to_vector<int64_t>(), cols = c.to_vector<int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == -1 && cols[i] == -1) continue;
    if (rows[i] < 0 || rows[i] >= s[0] || cols[i] < 0 || cols[i] >= s[1])
      throw ValueError("CooMatrix: entry ", i, " at (", rows[i], ", ", cols[i], ") is outside shape ", s);
  }
  if (order.empty()) order = get_order(row, col);
}

Array CooMatrix::to_dense() const {
  const bool batched = data.ndim() == 2;
  const int64_t batch = batched ? data.shape()[0] : 1, width = data.shape(-1);
  Array out = zeros({batch, shape[0], shape[1]}, data.dtype(), data.device());
  const std::vector<int64_t> r = row.to_vector<int64_t>(), c = col.to_vector<int64_t>();
  std::vector<int64_t> place, from;
  for (int64_t i = 0; i < data.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (r[k] < 0) continue;
    place.push_back(((i / std::max<int64_t>(width, 1)) * shape[0] + r[k]) * shape[1] + c[k]);
    from.push_back(i);
  }
  if (!place.empty()) {
    Array flat = out.reshape({-1});
    add_at(flat, {array(place)}, take(data.array().reshape({-1}), array(from)));
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
  return CooMatrix(data, row, col, shape, {.requires_grad = requires_grad});
}

}  // namespace chainer::utils
