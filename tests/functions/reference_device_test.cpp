// The table of functions on "@reference", a device whose memory the host cannot reach: code that goes around the
// backends' interface ends the program here, code that mixes devices throws.
#include <chainer/array/host.h>
#include <chainer/routines/npy.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

const Device& reference() {
  static const Device d = get_device("@reference");
  return d;
}

Variables on_device(const Arrays& in, Dtype dtype, const Device& device) {
  Variables out;
  for (const Array& a : in) {
    const bool floating = is_floating(a.dtype());
    out.push_back(Variable((floating ? a.astype(dtype) : a).to_device(device), floating));
  }
  return out;
}

// Results, gradients for random output gradients and gradients of their sums on a device, one behind the other, brought
// to the host.
Arrays outcome(const testing::OpCase& c, Dtype dtype, const Device& device) {
  random::seed(1);
  Arrays out;
  const auto keep = [&](const Variable& v) {
    if (v && v.device() != device && c.name != "copy")
      throw RuntimeError("a result on ", v.device(), " of inputs on ", device);
    out.push_back(v ? to_host(v.array()) : Array());
  };
  const Variables xs = on_device(c.inputs, dtype, device), ys = F::identity(c.function(xs));
  for (const Variable& y : ys) keep(y);
  if (!c.differentiable) return out;
  random::RandomState r(3);
  Variables gy, sources;
  for (const Variable& y : ys) gy.push_back(Variable(r.randn(y.shape()).astype(y.dtype()).to_device(device)));
  for (const Variable& x : xs)
    if (x.requires_grad()) sources.push_back(x);
  for (const Variable& g : grad(ys, sources, {.grad_outputs = gy})) keep(g);
  const Variables gx = grad(ys, sources, {.grad_outputs = gy, .enable_double_backprop = true});
  for (const Variable& g : gx) keep(g);
  if (!c.twice) return out;
  Variable total;
  for (const Variable& g : gx) {
    if (!g) continue;
    const Variable term = F::sum(F::cast(g, float64) * Variable(r.randn(g.shape()).to_device(device)));
    total = total ? total + term : term;
  }
  for (const Variable& y : gy) sources.push_back(y);
  if (total && total.requires_grad())
    for (const Variable& g : grad({total}, sources)) keep(g);
  return out;
}

}  // namespace

TEST(the_table_on_the_reference_device) {
  int rows = 0;
  for (const testing::OpCase& c : table::rows()) {
    for (Dtype dtype : {float64, float32}) {
      try {
        const Arrays here = outcome(c, dtype, Device()), there = outcome(c, dtype, reference());
        if (here.size() != there.size()) throw RuntimeError(there.size(), " results instead of ", here.size());
        const double tolerance = dtype == float64 ? 1e-9 : 50 * c.tolerance;
        for (std::size_t i = 0; i < here.size(); ++i) {
          if (static_cast<bool>(here[i]) != static_cast<bool>(there[i]))
            throw RuntimeError("result ", i, " is ", here[i] ? "missing" : "there");
          if (here[i]) testing::assert_allclose(there[i], here[i], {.atol = tolerance, .rtol = tolerance});
        }
        ++rows;
      } catch (const MissingPartError&) {  // named by the harness
      } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, text(c.python, " ", dtype, ": ", e.what())); }
    }
  }
  EXPECT(rows > 900);
}

// Memory order, views, casts, assignment and printing go through the interface, too.
TEST(arrays_on_the_reference_device) {
  const Array a = arange(24).astype(float32).reshape({2, 3, 4}), b = a.to_device(reference());
  EXPECT(b.device().name() == "@reference");
  EXPECT(b.to_device(Device()).to_vector<float>() == a.to_vector<float>());
  EXPECT(b.T().to_device(Device()).to_vector<float>() == a.T().to_vector<float>());
  EXPECT(b.T().to_device(Device()).strides() == a.T().strides());
  EXPECT(repr(b) == repr(a));
  EXPECT_EQ((b[{1, 2, 3}].item<int>()), 23);
  EXPECT(to_npy(b) == to_npy(a));
  Array c = b.copy();
  c.set({0, Slice(), 1}, -1);
  c += 1.0;
  EXPECT_EQ((c[{0, 2, 1}].item<int>()), 0);
  EXPECT(b[{b > 20}].to_vector<float>() == a[{a > 20}].to_vector<float>());
  EXPECT(argsort(-b, 0).to_vector<int>() == argsort(-a, 0).to_vector<int>());
  EXPECT(concatenate({a, b}).device() == reference());
  EXPECT(to_host(b + a).to_vector<float>() == (a + a).to_vector<float>());
  EXPECT_THROW(DeviceError, "@reference", b.data<float>());
}

// Whoever goes around the interface does not get far.
TEST(pointers_of_the_reference_device_lead_nowhere) {
  const Array b = ones({4}).to_device(reference());
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);  // a sanitizer's report
    _exit(*static_cast<const volatile char*>(b.raw()) == 0 ? 0 : 0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

TEST(large_arrays_wait_and_run_on_the_reference_device) {
  const Array a = random::RandomState(2).randn({64, 100}), b = a.to_device(reference());
  const auto expression = [](const Array& x) { return sum(where(x > 0, exp(x) * 2.0, x.astype(float32)), 0); };
  const deferred::Statistics before = deferred::statistics();
  const Array result = expression(b);
  EXPECT(deferred::statistics().waiting > before.waiting);
  EXPECT_CLOSE(to_host(result), expression(a), {});
  EXPECT_CLOSE(to_host(sum(square(b) + b, 1)), sum(square(a) + a, 1), {});
}

TEST(transfers_are_counted) {
  const Transfers before = transfers();
  const Array a = ones({3}).to_device(reference());
  (void)to_host(a + a);
  EXPECT_EQ(transfers().to_device, before.to_device + 1);
  EXPECT_EQ(transfers().to_host, before.to_host + 1);
}
