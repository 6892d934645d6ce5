// SPDX-License-Identifier: MIT
// Inverses, determinants and singular values on a device, compared with the host.
#include <limits>

#include "as_on_the_host.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/routines/linalg.h"
#include "environment_variable.h"
#include "fake_library.h"

using namespace chainer;

namespace {

Array matrices_of(const Shape& s, uint32_t seed = 1) { return random::RandomState(seed).randn(s); }

// Checks that a = u diag(s) vt with orthonormal vectors, on the device.
void expect_decomposition(const Array& a, double tolerance = 1e-12) {
  const Svd d = svd(a.to_device(emulated_number(0)));
  EXPECT(!d.u.device().is_host() && !d.s.device().is_host() && !d.vt.device().is_host());
  const Array u = to_host(d.u), s = to_host(d.s), vt = to_host(d.vt), want = svd(a).s;
  const double scale = max(abs(a)).item<double>() + std::numeric_limits<double>::min();
  EXPECT_EQ(s.shape(), want.shape());
  EXPECT_CLOSE(s / scale, want / scale, {.atol = tolerance, .rtol = tolerance});
  EXPECT_CLOSE(matmul(u * expand_dims(s / scale, -2), vt), a / scale, {.atol = tolerance, .rtol = tolerance});
  const Array one = broadcast_to(eye(s.shape(-1), {}, 0, float64), matmul(vt, swapaxes(vt, -1, -2)).shape());
  if (min(s).item<double>() == 0) return;  // vectors may be zero
  EXPECT_CLOSE(matmul(vt, swapaxes(vt, -1, -2)), one, {.atol = tolerance, .rtol = 0});
  EXPECT_CLOSE(matmul(swapaxes(u, -1, -2), u), one, {.atol = tolerance, .rtol = 0});
}

}  // namespace

TEST(inverses_and_determinants_stay_on_the_device) {
  for (const Dtype dtype : {float32, float64, float16})
    for (const auto& [count, n] : {std::pair<int64_t, int64_t>{1, 1},
                                   {3, 2},
                                   {2, 5},
                                   {3, 31},
                                   {1, 32},
                                   {2, 33},
                                   {1, 70},
                                   {0, 4},
                                   {2, 0},
                                   {2200, 3}}) {
      if (n > 33 && dtype != float64) continue;
      const Array x = (matrices_of({count, n, n}) + eye(n, {}, 0, float64) * 3.0).astype(dtype);
      expect_as_on_the_host(dtype == float64   ? 1e-9
                            : dtype == float32 ? 1e-3
                                               : 0.1,
                            [&](const Device& d) {
                              const Variable in(count == 2 ? reversed_in_memory(x, d) : x.to_device(d));
                              Arrays out;
                              for (const Variable& y : {F::batch_inv(in), F::batch_det(in)})
                                for (const Array& a : with_gradients(y, {in})) out.push_back(a);
                              return out;
                            });
    }
}

// Rows are exchanged; elements of zero on the diagonal do not matter.
TEST(inverses_with_exchanged_rows_on_the_device) {
  const Array swapped = array({{0, 0, 2}, {3, 0, 0}, {0, 4, 0}}).astype(float64);
  const Array hilbert = 1.0 / (expand_dims(arange(8).astype(float64), 1) + arange(8).astype(float64) + 1.0);
  for (const Array& a : {swapped, hilbert})
    expect_as_on_the_host(1e-5, [&](const Device& d) {
      const Array there = a.to_device(d);
      return Arrays{matmul(inv(there), there), det(there) / (a.shape()[0] == 8 ? 2.7e-33 : 1.0)};
    });
  EXPECT_EQ(to_host(det(swapped.to_device(emulated_number(0)))).item<double>(), 24.0);
}

TEST(singular_matrices_are_found_on_the_device) {
  const Device d = emulated_number(0);
  Array x = matrices_of({5, 4, 4});
  x[{3, Slice(), 2}].fill(0), x[{4}].fill(1);
  const Array y = inv(x.to_device(d));
  EXPECT_THROW(ValueError, "inv: matrix 3 is singular", (void)to_host(y));
  const Array after = to_host(y);
  EXPECT(all(isnan(after[{3}])).item<bool>() && all(isnan(after[{4}])).item<bool>());
  EXPECT_CLOSE(after[{2}], inv(x[{2}]), {.atol = 1e-9, .rtol = 1e-9});
  EXPECT_EQ(to_host(det(x.to_device(d))).to_vector<double>()[3], 0.0);
  EXPECT_EQ(to_host(det(x.to_device(d))).to_vector<double>()[4], 0.0);
  x.set({3}, eye(4, {}, 0, float64)), x.set({4}, eye(4, {}, 0, float64));
  x[{1, 0, 0}].fill(std::numeric_limits<double>::quiet_NaN());
  const Array z = to_host(inv(x.to_device(d)));  // a NaN is not singular
  EXPECT(std::isnan(z[{1, 0, 0}].item<double>()));
  EXPECT_CLOSE(z[{2}], inv(x[{2}]), {.atol = 1e-9, .rtol = 1e-9});
  EXPECT_THROW(ValueError, "inv: matrix 0 is singular",
               (void)to_host(F::inv(Variable(zeros({3, 3}).to_device(d))).array()));
}

TEST(singular_values_stay_on_the_device) {
  using cuda::emulation::Order;
  for (const auto order : {Order::forward, Order::backward, Order::shuffled}) {
    cuda::emulation::set_order(order, 5);
    for (const Shape& s : std::vector<Shape>{
             {1, 1}, {1, 5}, {5, 1}, {2, 2}, {5, 3}, {3, 5}, {7, 7}, {33, 40}, {40, 33}, {3, 4, 6}, {2, 2, 6, 4}})
      expect_decomposition(matrices_of(s));
    Array low = matmul(matrices_of({6, 2}), matrices_of({2, 9}, 2));
    expect_decomposition(low);
    low[{Slice(), 3}].fill(0);
    expect_decomposition(low);
    expect_decomposition(zeros({4, 3}, float64));
    expect_decomposition(eye(6, {}, 0, float64) * -2.0);
    for (const double scale : {1e-200, 1e200, 1e-310})
      expect_decomposition(matrices_of({5, 4}) * scale, scale < 1e-300 ? 1e-5 : 1e-12);
  }
  cuda::emulation::set_order(Order::forward);
}

TEST(singular_values_of_nan_on_the_device) {
  Array x = matrices_of({2, 3, 4});
  x[{1, 2, 0}].fill(std::numeric_limits<double>::quiet_NaN());
  const Svd d = svd(x.to_device(emulated_number(0)));
  EXPECT_CLOSE(to_host(d.s)[{0}], svd(x[{0}]).s, {.atol = 1e-12, .rtol = 1e-12});
  EXPECT(std::isnan(to_host(d.s)[{1, 0}].item<double>()));
}

TEST(decorrelated_normalization_stays_on_the_device) {
  const Array x = random::RandomState(3).randn({9, 8}).astype(float64), gamma = random::RandomState(4).rand({8});
  for (const int64_t groups : {1, 2, 4})
    expect_as_on_the_host(1e-8, [&](const Device& d) {
      const Variable in(x.to_device(d));
      return with_gradients(F::decorrelated_batch_normalization(in, {.groups = groups, .eps = 1e-3}), {in});
    });
}

// A few large matrices are decomposed by the library, here by loops and the host's backend in its place; without it by
// the host. Many are decomposed by kernels.
TEST(large_matrices_are_decomposed_by_the_library) {
  const Device d = emulated_number(0);
  auto& backend = dynamic_cast<cuda::CudaBackend&>(d.backend());
  for (const bool library : {true, false}) {
    const EnvironmentVariable named("CHAINER_CUSOLVER_LIBRARY", library ? "" : "none");
    for (const Shape& s : {Shape{1, 129, 129}, {2, 130, 130}, {1, 128, 128}, {3, 129, 129}}) {
      const Array x = (matrices_of(s) + eye(s[1], {}, 0, float64) * 12.0) * 0.08, there = x.to_device(d);
      const int64_t fetched = transfers().to_host;
      const Array inverses = inv(there), determinants = det(there);
      (void)inverses.raw(), (void)determinants.raw();
      const bool is_large = s[1] > 128 && s[1] > 64 * s[0];
      EXPECT_EQ(transfers().to_host > fetched, is_large && !library);
      EXPECT_CLOSE(to_host(inverses), inv(x), {.atol = 1e-10, .rtol = 1e-9});
      EXPECT_CLOSE(to_host(determinants), det(x), {.atol = 0, .rtol = 1e-9});
    }
    Array singular = matrices_of({2, 140, 140});
    singular[{1, Slice(), 3}].fill(0);
    EXPECT_THROW(ValueError, "inv: matrix 1 is singular", (void)to_host(inv(singular.to_device(d))));
    EXPECT_EQ(to_host(det(singular.to_device(d))).to_vector<double>()[1], 0.0);
    for (const Shape& s : {Shape{257, 260}, {258, 257}, {257, 257}}) expect_decomposition(matrices_of(s), 1e-11);
  }
  // Without memory for the library's two copies, the host computes.
  const Array x = matrices_of({1, 300, 300}) + eye(300, {}, 0, float64) * 20.0, there = x.to_device(d);
  const Array other = x.to_device(d);
  backend.empty_cache(0);
  const memory::Statistics before = backend.memory_statistics(0);
  backend.set_memory_limit(before.in_use + before.cached + (int64_t(2) << 20), 0);  // room for two matrices
  const int64_t fetched = transfers().to_host;
  Array result;
  try {
    result = inv(there);
    (void)result.raw();
  } catch (const MemoryError&) {}
  backend.set_memory_limit(0, 0);
  EXPECT_EQ(transfers().to_host - fetched, 1);
  EXPECT(result);
  EXPECT_CLOSE(to_host(result), inv(x), {.atol = 1e-12, .rtol = 1e-9});
  EXPECT_THROW(RuntimeError, "svd: cuSOLVER's gesvd did not converge for matrix 0",
               (void)to_host(svd(full({257, 257}, std::numeric_limits<double>::quiet_NaN()).to_device(d)).s));
}

namespace {

// A driver with the fake, which decomposes matrices in columns on the host.
struct FakeSolver : FakeLibrary {
  void (*answer)(int, int) = find<void(int, int)>("fake_solver");
  int (*living)() = find<int()>("fake_solver_living");
  int (*solved)() = find<int()>("fake_solved");
  const EnvironmentVariable named{"CHAINER_CUSOLVER_LIBRARY", FAKE_LIBCUDA};
  std::unique_ptr<cuda::CudaDriver> driver = fake_driver();
  cuda::Stream stream = driver->make_stream(0);
  ~FakeSolver() {
    answer(0, 0);
    driver->end_stream(stream);
  }
  void solve(const cuda::SolverCall& call) {
    std::vector<char> room(driver->solver_workspace(stream, call).value());
    driver->solve(stream, call, room.data());
  }
};

}  // namespace

TEST(calls_of_the_library_that_decomposes) {
  FakeSolver fake;
  const auto numbers = [](Array& a) { return a.mutable_data<double>(); };
  const Array x = matrices_of({6, 6});
  Array a = x.T().copy().contiguous(), inverse = eye(6, {}, 0, float64), exchanged({6}, int32);
  int32_t info[2] = {7, 7};
  cuda::SolverCall call{cuda::SolverCall::Kind::factors, 6, 6};
  call.a = numbers(a), call.inverse = numbers(inverse), call.exchanged = exchanged.mutable_data<int32_t>();
  call.info = info;
  fake.solve(call);
  EXPECT_EQ(info[0], 0);
  EXPECT_CLOSE(inverse.T(), inv(x), {.atol = 1e-10, .rtol = 1e-10});
  a.fill(1);
  fake.solve(call);
  EXPECT_EQ(info[0], 2);   // what getrs() says does not replace it
  call.inverse = nullptr;  // the factors only
  fake.solve(call);

  const Array y = matrices_of({5, 3});
  Array columns = y.T().copy().contiguous(), u({3, 5}, float64), s({3}, float64), vt({3, 3}, float64);
  cuda::SolverCall values{cuda::SolverCall::Kind::svd, 5, 3};
  values.a = numbers(columns), values.u = numbers(u), values.s = numbers(s), values.vt = numbers(vt);
  values.info = info;
  fake.solve(values);
  EXPECT_CLOSE(s, svd(y).s, {.atol = 1e-10, .rtol = 1e-10});
  EXPECT_CLOSE(matmul(u.T() * s, vt.T()), y, {.atol = 1e-10, .rtol = 1e-10});
  EXPECT_EQ(fake.solved(), 3);
  EXPECT_EQ(fake.living(), 1);

  fake.answer(6, 0);
  EXPECT_THROW(DeviceError, "cusolverDnDgetrf: status 6 for a matrix of 6 x 6 of float64", fake.solve(call));
  EXPECT_THROW(DeviceError, "cusolverDnDgesvd: status 6 for a matrix of 5 x 3 of float64", fake.solve(values));
  call.rows = call.columns = int64_t(1) << 16;  // more elements than its integers count
  EXPECT(!fake.driver->solver_workspace(fake.stream, call));
  EXPECT(cuda::Cusolver::description().starts_with("cuSOLVER 12.0.4 ("));
  fake.answer(0, 1);
  EXPECT(!cuda::Cusolver::open());
  const EnvironmentVariable none("CHAINER_CUSOLVER_LIBRARY", "none");
  EXPECT(!cuda::Cusolver::open());
  EXPECT_EQ(cuda::Cusolver::description(), "");
}
