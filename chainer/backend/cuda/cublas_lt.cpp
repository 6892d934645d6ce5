// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cublas_lt.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "chainer/backend/cuda/libraries.h"

namespace chainer::cuda {
namespace {

// The library's constants.
enum Names {
  transpose_a = 3,
  transpose_b = 4,
  batch_count = 5,
  batch_offset = 6,
  workspace_bytes = 1,
  schemes = 3,
  alignment_a = 5
};
enum Types { r_32f = 0, r_64f = 1, r_16f = 2, r_16bf = 14, compute_32f = 68, compute_64f = 70 };
constexpr uint32_t kOrderedSchemes = 6;  // sums of parts in the workspace; in-place schemes use atomics
constexpr std::size_t kMostChoices = 1024;

// A stack of matrices one of whose axes has stride one, see is_row_major.
struct Matrices {
  char* data;
  int64_t count, rows, columns, stack, row, column;
  bool is_row_major() const { return column == 1 && (row >= columns || rows == 1); }
  bool is_column_major() const { return row == 1 && (column >= rows || columns == 1); }
  int64_t leading() const { return is_row_major() ? std::max(row, columns) : std::max(column, rows); }
  Matrices transposed() const { return {data, count, columns, rows, stack, column, row}; }
};
Matrices matrices_of(const ProductCall::Matrices& m) {
  const int n = m.shape.ndim();
  Matrices out{static_cast<char*>(m.data), n == 3 ? m.shape[0] : 1, m.shape[n - 2],  m.shape[n - 1],
               n == 3 ? m.strides[0] : 0,  m.strides[n - 2],        m.strides[n - 1]};
  if (out.columns == 1 && out.row != 1) out.column = 1;
  if (out.rows == 1 && out.column != 1) out.row = 1;
  return out;
}
int64_t alignment(const void* p) {
  return int64_t(1) << std::min(std::countr_zero(reinterpret_cast<std::uintptr_t>(p) | 256), 8);
}

}  // namespace

std::unique_ptr<CublasLt> CublasLt::open() {
  return open_library("CHAINER_CUBLASLT_LIBRARY", {"libcublasLt.so.13", "libcublasLt.so.12"},
                      [](void* library, const std::string&) -> std::unique_ptr<CublasLt> {
                        Functions f;
                        bool all = true;
#define X(MEMBER, NAME, PARAMETERS) all = find_function(library, #NAME, f.MEMBER) && all;
                        CHAINER_CUBLAS_LT(X)
#undef X
                        if (!all) return nullptr;
                        std::unique_ptr<CublasLt> made(new CublasLt(f));
                        return f.create(&made->handle_) == 0 ? std::move(made) : nullptr;
                      });
}
std::string CublasLt::description() {
  const auto found =
      open_library("CHAINER_CUBLASLT_LIBRARY", {"libcublasLt.so.13", "libcublasLt.so.12"},
                   [](void* library, const std::string& path) -> std::optional<std::string> {
                     std::size_t (*version)() = nullptr;
                     if (!find_function(library, "cublasLtGetVersion", version)) return {};
                     const std::size_t v = version();
                     return text("cuBLASLt ", v / 10000, ".", v / 100 % 100, ".", v % 100, " (", path, ")");
                   });
  return found.value_or("");
}

CublasLt::~CublasLt() {
  if (handle_) f_.destroy(handle_);
}

// The library's matrices are column-major: it computes out^T = b^T a^T of the row-major matrices.
bool CublasLt::multiply(CuHandle stream, const ProductCall& call, void* workspace) {
  int type = 0, compute = compute_32f, scale = r_32f;
  switch (call.dtype) {
    case Dtype::float32: type = r_32f; break;
    case Dtype::float64: type = r_64f, compute = compute_64f, scale = r_64f; break;
    case Dtype::float16: type = r_16f; break;
    case Dtype::bfloat16: type = r_16bf; break;
    default: return false;
  }
  Matrices a = matrices_of(call.a), b = matrices_of(call.b), out = matrices_of(call.out);
  if (!out.is_row_major()) {
    std::swap(a, b);
    a = a.transposed(), b = b.transposed(), out = out.transposed();
  }
  const auto fits = [](const Matrices& m) { return m.is_row_major() || m.is_column_major(); };
  if (!out.is_row_major() || !fits(a) || !fits(b) || a.columns == 0 || out.rows == 0 || out.columns == 0) return false;

  const std::array<const Matrices*, 3> all{&b, &a, &out};  // left, right, result
  Key key{type, out.count, out.rows, out.columns, a.columns, call.beta != 0, workspace != nullptr};
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrices& m = *all[i];
    key[7 + 4 * i] = m.is_row_major(), key[8 + 4 * i] = m.leading(), key[9 + 4 * i] = m.stack;
    key[10 + 4 * i] = alignment(m.data);
  }

  struct Ends {  // destroys the library's objects of this call
    const Functions& f;
    void *product = nullptr, *wish = nullptr;
    std::array<void*, 3> layouts{};
    ~Ends() {
      for (void* l : layouts)
        if (l) f.end_layout(l);
      if (product) f.end_product(product);
      if (wish) f.end_wish(wish);
    }
  } made{f_};
  int status = f_.make_product(&made.product, compute, scale);
  const auto then = [&](auto&& f) {
    if (status == 0) status = f();
  };
  const auto count = static_cast<int32_t>(out.count);
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrices& m = *all[i];
    const int32_t transposed = !m.is_row_major();
    if (i < 2)
      then([&] {
        return f_.set_product(made.product, i == 0 ? transpose_a : transpose_b, &transposed, sizeof transposed);
      });
    const auto rows = static_cast<uint64_t>(transposed ? m.rows : m.columns),
               columns = static_cast<uint64_t>(transposed ? m.columns : m.rows);
    then([&] { return f_.make_layout(&made.layouts[i], type, rows, columns, m.leading()); });
    then([&] { return f_.set_layout(made.layouts[i], batch_count, &count, sizeof count); });
    then([&] { return f_.set_layout(made.layouts[i], batch_offset, &m.stack, sizeof m.stack); });
  }
  auto found = choices_.find(key);
  if (status == 0 && found == choices_.end()) {
    const std::size_t room = workspace ? kWorkspace : 0;
    then([&] { return f_.make_wish(&made.wish); });
    then([&] { return f_.set_wish(made.wish, workspace_bytes, &room, sizeof room); });
    then([&] { return f_.set_wish(made.wish, schemes, &kOrderedSchemes, sizeof kOrderedSchemes); });
    for (int i = 0; i < 4; ++i) {  // a, b, c, d: the last two are the same
      const auto bytes = static_cast<uint32_t>(alignment(all[static_cast<std::size_t>(std::min(i, 2))]->data));
      then([&] { return f_.set_wish(made.wish, alignment_a + i, &bytes, sizeof bytes); });
    }
    CublasLtChoice choice{};
    int choices = 0;
    if (status == 0)
      status = f_.choose(handle_, made.product, made.layouts[0], made.layouts[1], made.layouts[2], made.layouts[2],
                         made.wish, 1, &choice, &choices);
    if (choices == 0) choice.state = -1;
    if (choices_.size() >= kMostChoices) choices_.clear();
    found = choices_.emplace(key, choice).first;
    if (status != 0) found->second.state = status;
  }
  if (status != 0 || found->second.state != 0) return false;  // no algorithm: a kernel computes the product
  const float alpha32 = static_cast<float>(call.alpha), beta32 = static_cast<float>(call.beta);
  const bool wide = scale == r_64f;
  const void *alpha = wide ? static_cast<const void*>(&call.alpha) : &alpha32,
             *beta = wide ? static_cast<const void*>(&call.beta) : &beta32;
  status = f_.multiply(handle_, made.product, alpha, b.data, made.layouts[0], a.data, made.layouts[1], beta, out.data,
                       made.layouts[2], out.data, made.layouts[2], &found->second.algorithm, workspace,
                       workspace ? kWorkspace : 0, stream);
  if (status != 0)
    throw DeviceError("cublasLtMatmul: status ", status, " for (", out.rows, ", ", a.columns, ") x (", a.columns, ", ",
                      out.columns, ") of ", call.dtype);
  return true;
}

}  // namespace chainer::cuda
