// SPDX-License-Identifier: MIT
// Plans of cuDNN (9.8 and later, if installed) for described GPUs: checks that graphs are well formed, and that engines
// have the properties required by backend/cuda/cudnn.h. Nothing is computed.
#include <chainer/chainer.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "chainer/array/operations/convolution.h"
#include "chainer/backend/cuda/cudnn.h"
#include "chainer/core/sanitizer.h"
#include "test.h"

using namespace chainer;
using chainer::cuda::LibraryConvolution;

namespace {

// Returns the description of a device for cuDNN.
std::string described_gpu(int capability, int processors, int64_t shared, int64_t memory, const char* name) {
  return text(R"({"deviceVer":)", capability, R"(, "multiProcessorCount":)", processors,
              R"(, "warpSize":32, "maxSharedMemoryPerBlock":49152, "maxSharedMemoryPerBlockOptin":)", shared,
              R"(, "reservedSharedMemoryPerBlock":1024, "maxRegistersPerSM":65536, "maxCtasPerSM":32,
"maxThreadsPerBlock":1024, "maxThreadsPerSM":2048, "regsPerBlock":65536, "totalGlobalMem":)",
              memory, R"(, "smClockRateKHz":1410000, "l2CacheSize":41943040, "maxBlockSize":[1024,1024,64],
"memClockRateKHz":1215000, "maxGridSize":[2147483647,65535,65535], "supportCoopLaunch":1, "pciDeviceId":0,
"isTccDriver":0, "cudaDeviceId":0, "driverVer":13000, "deviceName":")",
              name, R"("})");
}

struct PlannedConvolution {
  Dims x, w, stride, pad, dilate;  // for cuDNN: two or three axes
};
// Square images n x c x size x size under k filters of f x f.
PlannedConvolution square(int64_t n, int64_t c, int64_t size, int64_t k, int64_t f, int64_t stride = 1, int64_t pad = 0,
                          int64_t groups = 1, int64_t dilate = 1) {
  return {{n, c, size, size}, {k, c / groups, f, f}, {stride, stride}, {pad, pad}, {dilate, dilate}};
}

std::vector<PlannedConvolution> convolutions_of_the_manual() {
  std::vector<PlannedConvolution> all{
      // LeNet5, the CIFAR example's VGG at its ends
      square(128, 1, 28, 6, 5), square(128, 6, 12, 16, 5), square(128, 16, 4, 120, 4), square(64, 3, 32, 64, 3, 1, 1),
      square(64, 512, 2, 512, 3, 1, 1),
      // DCGAN: generator (gradients by images are its forward) and discriminator
      square(50, 256, 8, 512, 4, 2, 1), square(50, 128, 16, 256, 4, 2, 1), square(50, 64, 32, 128, 4, 2, 1),
      square(50, 3, 32, 64, 3, 1, 1),
      // GoogLeNet's first layers and an inception
      square(32, 3, 224, 64, 7, 2, 3), square(32, 64, 56, 64, 1), square(32, 64, 56, 192, 3, 1, 1),
      square(32, 192, 28, 16, 1), square(32, 16, 28, 32, 5, 1, 2),
      // AlexNet of the ImageNet example, NIN
      square(32, 3, 227, 96, 11, 4), square(32, 96, 27, 256, 5, 1, 2), square(32, 96, 27, 96, 1),
      // groups: ResNeXt, depthwise; dilated
      square(32, 128, 56, 128, 3, 1, 1, 32), square(16, 32, 28, 32, 3, 1, 1, 32), square(8, 64, 32, 64, 3, 1, 2, 1, 2)};
  for (const auto& [c, k, size] : {std::array<int64_t, 3>{3, 64, 224},
                                   {64, 64, 224},
                                   {64, 128, 112},
                                   {128, 128, 112},
                                   {128, 256, 56},
                                   {256, 256, 56},
                                   {256, 512, 28},
                                   {512, 512, 28},
                                   {512, 512, 14}})
    all.push_back(square(16, c, size, k, 3, 1, 1));  // VGG16
  for (const auto& [in, middle, size] :
       {std::array<int64_t, 3>{64, 64, 56}, {256, 128, 56}, {512, 256, 28}, {1024, 512, 14}}) {  // ResNet50
    const int64_t stride = in == 64 ? 1 : 2, out = 4 * middle, after = size / stride;
    all.push_back(square(32, in, size, middle, 1, stride));
    all.push_back(square(32, middle, after, middle, 3, 1, 1));
    all.push_back(square(32, middle, after, out, 1));
    all.push_back(square(32, in, size, out, 1, stride));
    all.push_back(square(32, out, after, middle, 1));
  }
  // convolution_1d (text classification), convolution_3d, a filter that is not square, one of its padding's parts only
  all.push_back({{64, 300, 1, 40}, {100, 300, 1, 5}, {1, 1}, {0, 0}, {1, 1}});
  all.push_back({{4, 8, 16, 16, 16}, {16, 8, 3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  all.push_back({{16, 32, 20, 30}, {32, 32, 1, 7}, {1, 1}, {0, 3}, {1, 1}});
  return all;
}

// Channels last for images; filters in C order.
LibraryConvolution::Tensor planned_tensor(const Dims& size, bool last) {
  Dims strides = size;
  int64_t step = last ? size[1] : 1;
  if (last) strides[1] = 1;
  for (int d = size.ndim() - 1; d >= 0; --d) {
    if (last && d == 1) continue;
    strides[d] = step;
    step *= size[d];
  }
  return {nullptr, size, strides, 16};
}

}  // namespace

TEST(cudnn_has_plans_for_the_convolutions_of_the_manual) {
  int major = 0, minor = 0;
  const std::string version = kSanitized ? "" : cuda::Cudnn::description();  // cuDNN itself leaks memory
  if (std::sscanf(version.c_str(), "cuDNN %d.%d", &major, &minor) != 2 || major * 100 + minor < 908) {
    std::printf("left out: %s\n",
                version.empty() ? "there is no cuDNN, or a sanitizer would watch it" : (version + " cannot").c_str());
    return;
  }
  const std::string gpus[] = {described_gpu(900, 132, 232448, int64_t(85520809984), "NVIDIA H100 80GB HBM3"),
                              described_gpu(800, 108, 166912, int64_t(42298834944), "NVIDIA A100-SXM4-40GB")};
  int plans = 0;
  std::string missing;
  std::size_t most = 0;
  for (const std::string& gpu : gpus) {
    const std::unique_ptr<cuda::Cudnn> library = cuda::Cudnn::open(gpu);
    EXPECT(library != nullptr);
    for (const PlannedConvolution& c : convolutions_of_the_manual())
      for (const Dtype dtype : {float32, float16, bfloat16, float64})
        for (const Convolution op : {Convolution::forward, Convolution::backward_data, Convolution::backward_weights})
          for (const int sum : {0, 1, 2}) {  // of the result alone, with the elements before, with a bias
            const bool accumulate = sum == 1, biased = sum == 2;
            if (biased && op != Convolution::forward) continue;
            if (&gpu != gpus && (sum || item_size(dtype) != 4)) continue;  // only the GPU differs
            Dims y{c.x[0], c.w[0]};
            for (int d = 0; d < c.pad.ndim(); ++d)
              y.push_back((c.x[d + 2] + 2 * c.pad[d] - (c.w[d + 2] - 1) * c.dilate[d] - 1) / c.stride[d] + 1);
            LibraryConvolution call{op,
                                    planned_tensor(c.x, true),
                                    planned_tensor(c.w, false),
                                    planned_tensor(y, true),
                                    dtype,
                                    c.stride,
                                    c.pad,
                                    c.pad,
                                    c.dilate,
                                    accumulate,
                                    dtype != float32};
            if (biased) {
              Dims size = Dims::filled(y.ndim(), 1);
              size[1] = c.w[0];
              call.bias = planned_tensor(size, true);
            }
            const auto workspace = library->workspace(call);
            plans += workspace.has_value();
            most = std::max(most, workspace.value_or(0));
            if (!workspace)
              missing += text("x ", c.x, ", W ", c.w, ", ", static_cast<int>(op), ", ", sum, ", ", dtype, ": ",
                              library->why_not(), "\n");
          }
  }
  std::printf("%s: %d plans, at most %zu MiB of working memory\n%s", version.c_str(), plans, most >> 20,
              missing.c_str());
  EXPECT_EQ(missing, "");
}
