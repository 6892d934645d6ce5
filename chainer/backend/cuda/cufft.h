// SPDX-License-Identifier: MIT
// Fourier transforms by NVIDIA's cuFFT, which is opened at run time and not needed to build.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/libcuda.h"

namespace chainer::cuda {

// X(member, name in the library, parameters)
#define CHAINER_CUFFT(X)                                                                                         \
  X(version, cufftGetVersion, (int* version))                                                                    \
  X(create, cufftCreate, (int* plan))                                                                            \
  X(allocate_itself, cufftSetAutoAllocation, (int plan, int does))                                               \
  X(make_plan, cufftMakePlanMany64,                                                                              \
    (int plan, int axes, long long* n, long long* from_size, long long from_step, long long from_row,            \
     long long* to_size, long long to_step, long long to_row, int type, long long rows, std::size_t* workspace)) \
  X(set_workspace, cufftSetWorkArea, (int plan, void* workspace))                                                \
  X(set_stream, cufftSetStream, (int plan, CuHandle stream))                                                     \
  X(transform_float32, cufftExecC2C, (int plan, void* from, void* to, int direction))                            \
  X(transform_float64, cufftExecZ2Z, (int plan, void* from, void* to, int direction))                            \
  X(end_plan, cufftDestroy, (int plan))

/// The library for one device, whose context must be current at each call. A plan is made once for each length, number
/// of rows and type.
class Cufft {
 public:
  static constexpr std::size_t kMostPlans = 256;

  /// Opens CHAINER_CUFFT_LIBRARY, or libcufft.so.12 or .11. Returns null if there is none, or if the variable is
  /// "none".
  static std::unique_ptr<Cufft> open();
  /// Returns "cuFFT 12.0.0 (libcufft.so.12)", the version and the name with which it is opened; empty if there is none.
  static std::string description();
  Cufft(const Cufft&) = delete;
  Cufft& operator=(const Cufft&) = delete;
  ~Cufft() { forget_plans(); }

  /// Returns the bytes of workspace that transform() needs; nothing if the library has no plan for this call.
  std::optional<std::size_t> workspace(const FourierCall& call);
  /// Transforms rows for which workspace() has returned a size. Throws DeviceError with the library's status.
  void transform(CuHandle stream, const FourierCall& call, void* workspace);
  /// Returns true if workspace() has made a plan for such a call, which is kept.
  bool has_plan(const FourierCall& call) const { return plans_.contains(key_of(call)); }
  /// forget_plans() may be called while nothing runs on the device.
  std::size_t plans() const { return plans_.size(); }
  void forget_plans();

 private:
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_CUFFT(X)
#undef X
  };
  struct Plan {
    int number = -1;
    std::size_t workspace = 0;
  };
  explicit Cufft(const Functions& f) : f_(f) {}
  using Key = std::array<int64_t, 3>;
  static Key key_of(const FourierCall& call) { return {call.n, call.rows, call.dtype == Dtype::float64}; }
  std::optional<Plan> plan(const FourierCall& call);

  Functions f_;
  std::map<Key, Plan> plans_;
};

}  // namespace chainer::cuda
