// SPDX-License-Identifier: MIT
// Products, decompositions, Fourier transforms.
#include "../table.h"

namespace bench {
namespace {
/// Matrices of width d with n elements in total.
Inputs square(const Size& s, int64_t d) { return {normal({s.n / d / d, d, d})}; }
Inputs squares(const Size& s) { return square(s, s.n == 64 ? 4 : 32); }
Inputs one_square(const Size& s) { return {normal({s.matrix[0], s.matrix[0]})}; }
Inputs products(const Size& s) {
  const int64_t d = s.n == 64 ? 4 : 64;
  return {normal({s.n / d / d, d, d}), normal({s.n / d / d, d, d})};
}
Inputs complex_rows(const Size& s) {
  const int64_t d = s.n == 64 ? 16 : 4096;
  return {normal({s.n / d, d}), normal({s.n / d, d})};
}
}  // namespace

void linear_algebra(Table& t) {
  t.add(
      "matmul", "x[0] @ x[1]", [](const Variables& x) { return F::matmul(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal({s.columns(), std::min<int64_t>(s.columns(), 64)})};
      });
  t.add(
      "batch_matmul", "torch.bmm(x[0], x[1])", [](const Variables& x) { return F::batch_matmul(x[0], x[1]); },
      products);
  t.add(
      "einsum", "torch.einsum('bij,bjk->bik', *x)",
      [](const Variables& x) {
        return F::einsum("bij,bjk->bik", {x[0], x[1]});
      },
      products);
  t.add(
      "tensordot", "torch.tensordot(x[0], x[1], 1)", [](const Variables& x) { return F::tensordot(x[0], x[1], 1); },
      [](const Size& s) {
        const int64_t d = s.n == 64 ? 4 : 64;
        return Inputs{normal({s.n / d / 4, 4, d}), normal({d, d})};
      });
  t.add(
       "sparse_matmul", "sparse_matmul(*x)",
       [](const Variables& x) {
         static std::map<int64_t, utils::CooMatrix> made;  // by size, one element in ten
         const int64_t rows = x[0].shape(0);
         auto found = made.find(rows);
         if (found == made.end()) {
           const Array a = x[1].array();
           found = made.emplace(rows, utils::to_coo(where(less(a, -1.2816), a, zeros_like(a)))).first;
         }
         return F::sparse_matmul(found->second, x[0]);
       },
       [](const Size& s) {
         return Inputs{normal({s.rows(), std::min<int64_t>(s.columns(), 64)}), fixed(normal({s.rows(), s.rows()}))};
       })
      .up_to(1);
  t.add(
       "det", "torch.linalg.det(x[0])", [](const Variables& x) { return F::det(x[0]); },
       [](const Size& s) {
         return Inputs{normal({s.n == 64 ? 8 : 64, s.n == 64 ? 8 : 64})};
       })
      .up_to(1);
  t.add(
       "batch_det", "torch.linalg.det(x[0])", [](const Variables& x) { return F::batch_det(x[0]); }, squares)
      .up_to(1);
  t.add(
       "inv", "torch.linalg.inv(x[0])", [](const Variables& x) { return F::inv(x[0]); }, one_square)
      .up_to(1);
  t.add(
       "batch_inv", "torch.linalg.inv(x[0])", [](const Variables& x) { return F::batch_inv(x[0]); }, squares)
      .up_to(1);
  t.add(
      "fft", "fft(x, torch.fft.fft)", [](const Variables& x) { return F::fft(x); }, complex_rows);
  t.add(
      "ifft", "fft(x, torch.fft.ifft)", [](const Variables& x) { return F::ifft(x); }, complex_rows);
}

}  // namespace bench
