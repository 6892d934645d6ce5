// SPDX-License-Identifier: MIT
// cuFFT's functions on the host's memory, for one axis without gaps.
#include "chainer/backend/cuda/cufft.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

using namespace chainer::cuda;

namespace {

struct FourierPlan {
  long long n = 0, rows = 0;
  int type = 0;
  bool allocates = true, has_stream = false;
  std::size_t room = 0;
  void* workspace = nullptr;
};
std::vector<FourierPlan> plans;
int living_plans = 0, failing_fourier = 0;
bool without_plans = false;

// By the definition, in the workspace.
template <class T>
int transformed_rows(int number, std::complex<T>* data, int type, int direction) {
  const FourierPlan& p = plans[static_cast<std::size_t>(number)];
  if (failing_fourier) return failing_fourier;
  if (p.type != type || p.allocates || !p.has_stream || !p.workspace) return 1;
  auto* const row = static_cast<std::complex<T>*>(p.workspace);
  for (long long r = 0; r < p.rows; ++r, data += p.n) {
    for (long long k = 0; k < p.n; ++k) {
      std::complex<double> sum = 0;
      for (long long j = 0; j < p.n; ++j)
        sum += std::complex<double>(data[j]) *
               std::polar(
                   1.0, direction * 2 * std::numbers::pi * static_cast<double>(j * k % p.n) / static_cast<double>(p.n));
      row[k] = std::complex<T>(sum);
    }
    std::copy(row, row + p.n, data);
  }
  return 0;
}

}  // namespace

extern "C" {

// What tests ask of this library.
void fake_fourier(int status, int none) { failing_fourier = status, without_plans = none != 0; }
int fake_fourier_made() { return static_cast<int>(plans.size()); }
int fake_fourier_living() { return living_plans; }

int cufftGetVersion(int* version) { return *version = 12104, 0; }
int cufftCreate(int* plan) {
  *plan = static_cast<int>(plans.size());
  plans.emplace_back();
  return ++living_plans, 0;
}
int cufftSetAutoAllocation(int plan, int does) { return plans[static_cast<std::size_t>(plan)].allocates = does, 0; }
int cufftMakePlanMany64(int plan, int axes, long long* n, long long* from_size, long long, long long,
                        long long* to_size, long long, long long, int type, long long rows, std::size_t* workspace) {
  FourierPlan& p = plans[static_cast<std::size_t>(plan)];
  p.n = *n, p.rows = rows, p.type = type;
  *workspace = p.room = static_cast<std::size_t>(*n) * 16;
  return axes != 1 || from_size || to_size || without_plans ? 5 : 0;
}
int cufftSetWorkArea(int plan, void* workspace) {
  return plans[static_cast<std::size_t>(plan)].workspace = workspace, 0;
}
int cufftSetStream(int plan, CuHandle stream) {
  return plans[static_cast<std::size_t>(plan)].has_stream = stream != nullptr, 0;
}
int cufftExecC2C(int plan, void* from, void* to, int direction) {
  return from == to ? transformed_rows(plan, static_cast<std::complex<float>*>(to), 0x29, direction) : 4;
}
int cufftExecZ2Z(int plan, void* from, void* to, int direction) {
  return from == to ? transformed_rows(plan, static_cast<std::complex<double>*>(to), 0x69, direction) : 4;
}
int cufftDestroy(int) { return --living_plans, 0; }

}  // extern "C"
