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
  epilogue = 7,
  bias_address = 8,
  batch_count = 5,
  batch_offset = 6,
  workspace_bytes = 1,
  schemes = 3,
  alignment_a = 5
};
enum Types { r_32f = 0, r_64f = 1, r_16f = 2, r_16bf = 14, compute_32f = 68, compute_64f = 70 };
// Schemes for sums of parts: in the workspace in the compute type, and also in the result's type if it has 32 bits or
// more; in-place schemes use atomics.
constexpr uint32_t kOrderedSchemes = 6, kWideSchemes = 2;
constexpr uint32_t kBiasEpilogue = 4;
constexpr std::size_t kMostChoices = 1024;

}  // namespace

// A stack of matrices one of whose axes has stride one, see is_row_major.
struct CublasLt::Matrices {
  char* data;
  int64_t count, rows, columns, stack, row, column;
  bool is_row_major() const { return column == 1 && (row >= columns || rows == 1); }
  bool is_column_major() const { return row == 1 && (column >= rows || columns == 1); }
  int64_t leading() const { return is_row_major() ? std::max(row, columns) : std::max(column, rows); }
  Matrices transposed() const { return {data, count, columns, rows, stack, column, row}; }
};
CublasLt::Matrices CublasLt::matrices_of(const ProductCall::Matrices& m) {
  const int n = m.shape.ndim();
  Matrices out{static_cast<char*>(m.data), n == 3 ? m.shape[0] : 1, m.shape[n - 2],  m.shape[n - 1],
               n == 3 ? m.strides[0] : 0,  m.strides[n - 2],        m.strides[n - 1]};
  if (out.columns == 1 && out.row != 1) out.column = 1;
  if (out.rows == 1 && out.column != 1) out.row = 1;
  return out;
}
namespace {

int64_t alignment(const void* p) {
  return int64_t(1) << std::min(std::countr_zero(reinterpret_cast<std::uintptr_t>(p) | 256), 8);
}

}  // namespace

// The library's objects for products of one shape.
struct CublasLt::Choice {
  const Functions& f;
  void* product = nullptr;
  std::array<void*, 3> layouts{};
  CublasLtChoice best{};
  explicit Choice(const Functions& functions) : f(functions) {}
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;
  ~Choice() {
    for (void* l : layouts)
      if (l) f.end_layout(l);
    if (product) f.end_product(product);
  }
};

CublasLt::CublasLt(const Functions& f) : f_(f) {}

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

// Describes the product left * right and asks for its best algorithm; `best.state` is not 0 if there is none.
std::unique_ptr<CublasLt::Choice> CublasLt::choose(const std::array<const Matrices*, 3>& all, int type, int compute,
                                                   int scale, const void* bias, bool has_workspace) {
  auto made = std::make_unique<Choice>(f_);
  int status = f_.make_product(&made->product, compute, scale);
  const auto then = [&](auto&& f) {
    if (status == 0) status = f();
  };
  const auto count = static_cast<int32_t>(all[2]->count);
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrices& m = *all[i];
    const int32_t transposed = !m.is_row_major();
    if (i < 2)
      then([&] {
        return f_.set_product(made->product, i == 0 ? transpose_a : transpose_b, &transposed, sizeof transposed);
      });
    const auto rows = static_cast<uint64_t>(transposed ? m.rows : m.columns),
               columns = static_cast<uint64_t>(transposed ? m.columns : m.rows);
    then([&] { return f_.make_layout(&made->layouts[i], type, rows, columns, m.leading()); });
    then([&] { return f_.set_layout(made->layouts[i], batch_count, &count, sizeof count); });
    then([&] { return f_.set_layout(made->layouts[i], batch_offset, &m.stack, sizeof m.stack); });
  }
  if (bias) {
    then([&] { return f_.set_product(made->product, epilogue, &kBiasEpilogue, sizeof kBiasEpilogue); });
    then([&] { return f_.set_product(made->product, bias_address, &bias, sizeof bias); });
  }
  const std::size_t room = has_workspace ? kWorkspace : 0;
  void* wish = nullptr;
  then([&] { return f_.make_wish(&wish); });
  then([&] { return f_.set_wish(wish, workspace_bytes, &room, sizeof room); });
  const uint32_t& sums = type == r_16f || type == r_16bf ? kWideSchemes : kOrderedSchemes;
  then([&] { return f_.set_wish(wish, schemes, &sums, sizeof sums); });
  for (int i = 0; i < 4; ++i) {  // a, b, c, d: the last two are the same
    const auto bytes = static_cast<uint32_t>(alignment(all[static_cast<std::size_t>(std::min(i, 2))]->data));
    then([&] { return f_.set_wish(wish, alignment_a + i, &bytes, sizeof bytes); });
  }
  int choices = 0;
  then([&] {
    return f_.choose(handle_, made->product, made->layouts[0], made->layouts[1], made->layouts[2], made->layouts[2],
                     wish, 1, &made->best, &choices);
  });
  if (wish) f_.end_wish(wish);
  if (status != 0)
    made->best.state = status;
  else if (choices == 0)
    made->best.state = -1;
  return made;
}

CublasLt::~CublasLt() {
  choices_.clear();
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
    if (call.bias) return false;  // the library adds it to the columns of its own result
    std::swap(a, b);
    a = a.transposed(), b = b.transposed(), out = out.transposed();
  }
  const auto fits = [](const Matrices& m) { return m.is_row_major() || m.is_column_major(); };
  if (!out.is_row_major() || !fits(a) || !fits(b) || a.columns == 0 || out.rows == 0 || out.columns == 0) return false;

  const std::array<const Matrices*, 3> all{&b, &a, &out};  // left, right, result
  Key key{type,
          out.count,
          out.rows,
          out.columns,
          a.columns,
          call.beta != 0,
          workspace != nullptr,
          call.bias ? alignment(call.bias) : 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrices& m = *all[i];
    key[8 + 4 * i] = m.is_row_major(), key[9 + 4 * i] = m.leading(), key[10 + 4 * i] = m.stack;
    key[11 + 4 * i] = alignment(m.data);
  }

  auto found = choices_.find(key);
  if (found == choices_.end()) {
    if (choices_.size() >= kMostChoices) choices_.clear();
    found = choices_.emplace(key, choose(all, type, compute, scale, call.bias, workspace != nullptr)).first;
  }
  const Choice& c = *found->second;
  if (c.best.state != 0) return false;  // no algorithm: a kernel computes the product
  const float alpha32 = static_cast<float>(call.alpha), beta32 = static_cast<float>(call.beta);
  const bool wide = scale == r_64f;
  const void *alpha = wide ? static_cast<const void*>(&call.alpha) : &alpha32,
             *beta = wide ? static_cast<const void*>(&call.beta) : &beta32;
  int status = 0;
  if (call.bias) status = f_.set_product(c.product, bias_address, &call.bias, sizeof call.bias);
  if (status == 0)
    status =
        f_.multiply(handle_, c.product, alpha, b.data, c.layouts[0], a.data, c.layouts[1], beta, out.data, c.layouts[2],
                    out.data, c.layouts[2], &c.best.algorithm, workspace, workspace ? kWorkspace : 0, stream);
  if (status != 0)
    throw DeviceError("cublasLtMatmul: status ", status, " for (", out.rows, ", ", a.columns, ") x (", a.columns, ", ",
                      out.columns, ") of ", call.dtype);
  return true;
}

}  // namespace chainer::cuda
