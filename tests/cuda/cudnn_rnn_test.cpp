// SPDX-License-Identifier: MIT
// Recurrent layers by a fake of cuDNN that computes on the host and checks its arguments. No result is computed by
// cuDNN.
#include "chainer/backend/cuda/cudnn_rnn.h"

#include <chainer/chainer.h>

#include <cstdio>

#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/driver_cuda.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/libraries.h"
#include "chainer/core/sanitizer.h"
#include "environment_variable.h"
#include "fake_library.h"
#include "recurrent_case.h"
#include "test.h"

using namespace chainer;

namespace {

struct FakeRecurrent : FakeLibrary {
  void (*fail)(const char*, int) = find<void(const char*, int)>("fake_rnn_fail");
  int (*forwards)() = find<int()>("fake_rnn_forwards");
  int (*backwards)() = find<int()>("fake_rnn_backwards");
  int (*living)() = find<int()>("fake_rnn_living");
  int (*math)() = find<int()>("fake_rnn_math");
  int (*mode)() = find<int()>("fake_rnn_mode");
  const EnvironmentVariable named{"CHAINER_CUDNN_LIBRARY", FAKE_LIBCUDA};
  FakeRecurrent() = default;
  FakeRecurrent(const FakeRecurrent&) = delete;
  FakeRecurrent& operator=(const FakeRecurrent&) = delete;
  ~FakeRecurrent() { fail("", 0); }
};

// An emulated device whose recurrent layers the fake computes.
struct EmulatedRecurrent : FakeRecurrent {
  cuda::CudaBackend backend;
  Device device{backend, 0};
  EmulatedRecurrent() : backend(made(), "@emulated") {}
  static std::unique_ptr<cuda::Driver> made() {
    auto driver = std::make_unique<cuda::emulation::EmulatedDriver>(
        cuda::emulation::EmulatedDriver::Options{.devices = 1, .memory = std::size_t(64) << 20});
    driver->convolutions_by(cuda::Cudnn::open());
    return driver;
  }
};
void expect_results(const Arrays& got, const Arrays& want, double tolerance) {
  EXPECT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_CLOSE(to_host(got[i]), want[i], {.atol = tolerance, .rtol = tolerance});
}

bool lend_memory(std::size_t bytes, const std::function<void(void*)>& use) {
  std::vector<char> memory(bytes);
  use(memory.data());
  return true;
}
RecurrentLayer small_layer(RnnKind kind = RnnKind::lstm, bool trains = true) {
  return {kind, float32, 2, 3, {2, 1}, false, trains, true};
}

}  // namespace

TEST(recurrent_networks_by_the_library) {
  EmulatedRecurrent fake;
  int layers = 0;
  const int before = fake.forwards(), gradients = fake.backwards();
  for (const RnnKind kind : {RnnKind::lstm, RnnKind::gru, RnnKind::tanh, RnnKind::relu})
    for (const bool both : {false, true})
      for (const Dtype dtype : {float32, float64, float16})
        for (const bool first_states : {false, true}) {
          const double tolerance = dtype == float64 ? 1e-10 : dtype == float32 ? 2e-4 : 3e-2;
          const RecurrentCase unequal{kind, both, 2, 3, 5, 4, {3, 2, 2, 1, 0}, first_states, dtype},
              equal{kind, both, 1, 33, 33, 2, {2, 2, 2}, first_states, dtype};
          for (const RecurrentCase& c : {unequal, equal}) {
            expect_results(c.results(fake.device), c.results(Device()), tolerance);
            layers += static_cast<int>(c.layers) * (both ? 2 : 1);
          }
        }
  EXPECT_EQ(fake.forwards() - before, layers);
  EXPECT_EQ(fake.backwards() - gradients, layers);
}

TEST(modes_of_the_recurrent_library) {
  EmulatedRecurrent fake;
  const RecurrentCase c{RnnKind::gru};
  const auto compute = [&] {
    (void)c.results(fake.device);
    fake.device.synchronize();
  };
  compute();
  EXPECT_EQ(fake.math(), 0);  // TF32 is allowed, narrower types are not
  EXPECT_EQ(fake.mode(), 1);
  {
    const NoBackpropMode inference;
    (void)c.apply(c.drawn(fake.device));
    fake.device.synchronize();
    EXPECT_EQ(fake.mode(), 0);
  }
  {
    const UsingConfig exact(&Config::use_cudnn_tensor_core, "never");
    compute();
    EXPECT_EQ(fake.math(), 3);
  }
  const int before = fake.forwards();
  const UsingConfig never(&Config::use_cudnn, "never");
  compute();
  EXPECT_EQ(fake.forwards(), before);
}

TEST(descriptors_of_recurrent_layers_are_made_once) {
  const FakeRecurrent fake;
  const int before = fake.living();
  {
    const std::unique_ptr<cuda::Cudnn> cudnn = cuda::Cudnn::open();
    const std::unique_ptr<cuda::CudnnRnn> library = cuda::CudnnRnn::open(*cudnn);
    int lent = 0;
    const auto lend = [&](std::size_t bytes, const std::function<void(void*)>& use) {
      ++lent;
      return lend_memory(bytes, use);
    };
    RecurrentSpaces spaces;
    RecurrentLayer layer = small_layer();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(*library->workspace(layer, &spaces, lend), 2u * 8 + 100);
      EXPECT_EQ(library->plans(), 1u);
    }
    EXPECT_EQ(spaces.positions.size(), 16u);
    EXPECT_EQ(spaces.weights, 4 + 8 * 3 + 4 * 3 * (2 + 3));
    EXPECT_EQ(spaces.kept, (3 * 3 * 5 * 4 + 3 + 7) / 8);
    EXPECT_EQ(fake.living() - before, 1 + 1 + 3);  // dropout, a layer, sequences and states
    layer.sizes = {2, 2, 2};
    EXPECT(library->workspace(layer, &spaces, lend));
    layer.trains = false;
    EXPECT(library->workspace(layer, &spaces, lend));
    EXPECT_EQ(spaces.kept, 0);
    EXPECT_EQ(library->plans(), 3u);
    EXPECT_EQ(lent, 1);
    layer.tensor_cores = false;
    EXPECT(library->workspace(layer, &spaces, lend));
    EXPECT_EQ(lent, 2);
    library->forget_plans();
    EXPECT_EQ(fake.living() - before, 1);
    EXPECT(library->workspace(layer, &spaces, lend));
  }
  EXPECT_EQ(fake.living(), before);
}

TEST(what_the_recurrent_library_does_not_support) {
  EmulatedRecurrent fake;
  for (const char* call : {"cudnnCreateRNNDescriptor", "cudnnSetRNNDescriptor_v8", "cudnnSetDropoutDescriptor",
                           "cudnnCreateDropoutDescriptor", "cudnnGetRNNWeightSpaceSize", "cudnnGetRNNWeightParams",
                           "cudnnCreateRNNDataDescriptor", "cudnnSetRNNDataDescriptor", "cudnnSetTensorNdDescriptor",
                           "cudnnCreateTensorDescriptor", "cudnnGetRNNTempSpaceSizes", "transposed weights"}) {
    EmulatedRecurrent other;
    const int before = fake.forwards();
    fake.fail(call, 3000);
    const RecurrentCase c{RnnKind::gru, true, 1};
    expect_results(c.results(other.device), c.results(Device()), 2e-4);
    EXPECT_EQ(fake.forwards(), before);
    const std::unique_ptr<cuda::Cudnn> cudnn = cuda::Cudnn::open();
    const int living = fake.living();
    {
      const std::unique_ptr<cuda::CudnnRnn> library = cuda::CudnnRnn::open(*cudnn);
      RecurrentSpaces spaces;
      EXPECT(!library->workspace(small_layer(), &spaces, lend_memory));
      EXPECT(!library->why_not().empty());
    }
    EXPECT_EQ(fake.living(), living);
    fake.fail("", 0);
  }
  const std::unique_ptr<cuda::Cudnn> cudnn = cuda::Cudnn::open();
  const std::unique_ptr<cuda::CudnnRnn> library = cuda::CudnnRnn::open(*cudnn);
  RecurrentSpaces spaces;
  RecurrentLayer large = small_layer();
  large.units = 10000;
  EXPECT(library->workspace(large, nullptr, lend_memory));
  large.units = int64_t(1) << 20;
  EXPECT(!library->workspace(large, &spaces, lend_memory));
  EXPECT(library->why_not().find("1048576 units") != std::string::npos);
  // Without memory for the weights once, the library is asked again.
  EXPECT(!library->workspace(small_layer(), &spaces, [](std::size_t, const auto&) { return false; }));
  EXPECT(library->workspace(small_layer(), &spaces, lend_memory));
}

TEST(errors_of_the_recurrent_library_have_names) {
  const FakeRecurrent fake;
  const std::unique_ptr<cuda::Cudnn> cudnn = cuda::Cudnn::open();
  const std::unique_ptr<cuda::CudnnRnn> library = cuda::CudnnRnn::open(*cudnn);
  const RecurrentLayer layer = small_layer();
  RecurrentSpaces spaces;
  EXPECT(library->workspace(layer, &spaces, lend_memory));
  std::vector<float> numbers(1000);
  void* const at = numbers.data();
  cuda::RecurrentCall call{&layer, at, at, at, at, at, at, at, at, at};
  const char* const sizes = " of 2 steps, 2 sequences, 2 inputs and 3 units of float32";
  fake.fail("cudnnRNNForward", 2000);
  EXPECT_THROW(DeviceError,
               text("cudnnRNNForward: CUDNN_STATUS_BAD_PARAM (as it was told) for a recurrent layer (forward)", sizes),
               library->forward(nullptr, call));
  call.gy = call.gh_last = call.gc_last = call.gx = call.gh = call.gc = call.gweights = at;
  fake.fail("cudnnRNNBackwardData_v8", 2000);
  EXPECT_THROW(DeviceError,
               text("cudnnRNNBackwardData_v8: CUDNN_STATUS_BAD_PARAM (as it was told) for a recurrent ",
                    "layer (gradients)", sizes),
               library->backward(nullptr, call));
  fake.fail("cudnnRNNBackwardWeights_v8", 3000);
  EXPECT_THROW(DeviceError, "cudnnRNNBackwardWeights_v8: CUDNN_STATUS_NOT_SUPPORTED", library->backward(nullptr, call));
  fake.fail("cudnnSetRNNDataDescriptor", 2000);
  RecurrentLayer other = layer;
  other.sizes = {1};
  EXPECT(!library->workspace(other, nullptr, lend_memory));
  call.layer = &other;
  EXPECT_THROW(DeviceError, "cuDNN has no plan: cudnnSetRNNDataDescriptor: CUDNN_STATUS_BAD_PARAM",
               library->forward(nullptr, call));
}

// The driver of real devices opens the library for the first convolution or the first layer.
TEST(recurrent_layers_of_the_real_driver) {
  const FakeRecurrent fake;
  const int living = fake.living();
  {
    const std::unique_ptr<cuda::CudaDriver> made = fake_driver();
    cuda::CudaDriver& driver = *made;
    const cuda::Stream stream = driver.make_stream(0);
    const RecurrentCase c{RnnKind::lstm, false, 1, 2, 3, 2, {2, 1}};
    const Variables in = c.drawn(Device());
    const Arrays want = c.results(Device());
    const RecurrentLayer layer = small_layer();
    RecurrentSpaces spaces;
    const std::size_t room = driver.recurrent_workspace(stream, layer, &spaces).value();
    EXPECT_EQ(*driver.recurrent_workspace(stream, layer, nullptr), room);
    Array weights = zeros({spaces.weights}, float32), gradients = zeros({spaces.weights}, float32);
    const auto part = [&](const Array& joined, std::size_t k) {
      const Shape shape = in[3 + k].shape();
      return joined[Slice(spaces.positions[k], spaces.positions[k] + shape.product())].reshape(shape);
    };
    for (std::size_t k = 0; k < spaces.positions.size(); ++k) {
      Array to = part(weights, k);
      copy_elements(in[3 + k].array(), to);
    }
    const auto given = [](const Array& a) { return const_cast<void*>(a.raw()); };
    Array y({3, 3}), h({2, 3}), cell({2, 3}), kept({spaces.kept}, int64), workspace({int64_t(room)}, uint8);
    Array gx({3, 2}), gh({2, 3}), gc({2, 3});
    const Array h0 = in[1].array()[0].copy(), c0 = in[2].array()[0].copy();
    cuda::RecurrentCall call{
        &layer,          given(in[0].array()), given(weights),     given(h0),          given(c0),
        y.mutable_raw(), h.mutable_raw(),      cell.mutable_raw(), kept.mutable_raw(), workspace.mutable_raw()};
    driver.recurrent_forward(stream, call);
    const auto weighted = [](const Shape& s) { return random::RandomState(77).randn(s).astype(float32); };
    const Array gy = weighted({3, 3}), g_last = weighted({1, 2, 3});
    call.gy = given(gy), call.gh_last = call.gc_last = given(g_last);
    call.gx = gx.mutable_raw(), call.gh = gh.mutable_raw(), call.gc = gc.mutable_raw();
    call.gweights = gradients.mutable_raw();
    driver.recurrent_backward(stream, call);
    Arrays got{y, h.reshape({1, 2, 3}), cell.reshape({1, 2, 3}), gx, gh.reshape({1, 2, 3}), gc.reshape({1, 2, 3})};
    for (std::size_t k = 0; k < spaces.positions.size(); ++k) got.push_back(part(gradients, k));
    expect_results(got, want, 1e-4);
    // The descriptors are bounded.
    const int before = fake.living();
    for (int64_t n = 1; n <= int64_t(cuda::CudnnRnn::kMostPlans) + 1; ++n) {
      RecurrentLayer other = layer;
      other.sizes = {n};
      EXPECT(driver.recurrent_workspace(stream, other, &spaces));
    }
    EXPECT(fake.living() - before < 3 * int(cuda::CudnnRnn::kMostPlans));
    driver.end_stream(stream);
  }
  EXPECT_EQ(fake.living(), living);
}

// The library itself, if there is one, has the functions and accepts the descriptors, which need no device.
TEST(cudnn_accepts_descriptors_of_recurrent_layers) {
  if (kSanitized || cuda::Cudnn::description().empty()) {  // cuDNN itself leaks memory
    std::printf("left out: there is no cuDNN, or a sanitizer would watch it\n");
    return;
  }
  cuda::open_library("CHAINER_CUDNN_LIBRARY", {"libcudnn.so.9"}, [](void* library, const std::string&) {
    const auto find = [&](auto*& function, const char* name) { EXPECT(cuda::find_function(library, name, function)); };
    struct {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
      CHAINER_CUDNN_RNN(X)
#undef X
    } f;
#define X(MEMBER, NAME, PARAMETERS) find(f.MEMBER, #NAME);
    CHAINER_CUDNN_RNN(X)
#undef X
    void *rnn = nullptr, *data = nullptr, *state = nullptr, *dropout = nullptr;
    EXPECT_EQ(f.make_rnn(&rnn), 0);
    EXPECT_EQ(f.make_data(&data), 0);
    EXPECT_EQ(f.make_tensor(&state), 0);
    EXPECT_EQ(f.make_dropout(&dropout), 0);
    for (int cell = 0; cell < 4; ++cell)
      for (const int type : {0, 1}) {
        for (const int math : {0, 3})
          EXPECT_EQ(f.set_rnn(rnn, 0, cell, 2, 0, 0, type, type, math, 5, 7, 7, 1, dropout, 0), 0);
        const int lengths[] = {4, 2, 1}, empty[] = {4, 2, 0}, unsorted[] = {2, 4, 1};
        EXPECT_EQ(f.set_data(data, type, 1, 4, 3, 5, lengths, nullptr), 0);
        EXPECT(f.set_data(data, type, 1, 4, 3, 5, empty, nullptr) != 0);
        EXPECT(f.set_data(data, type, 1, 4, 3, 5, unsorted, nullptr) != 0);
        const int size[] = {1, 3, 7}, strides[] = {21, 7, 1};
        EXPECT_EQ(f.set_tensor(state, type, 3, size, strides), 0);
      }
    EXPECT_EQ(f.end_rnn(rnn), 0);
    EXPECT_EQ(f.end_data(data), 0);
    EXPECT_EQ(f.end_tensor(state), 0);
    EXPECT_EQ(f.end_dropout(dropout), 0);
    return true;
  });
}
