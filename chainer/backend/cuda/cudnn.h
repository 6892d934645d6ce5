// SPDX-License-Identifier: MIT
// Convolutions by NVIDIA's cuDNN, which is opened at run time and not needed to build. Uses its graph interface: an
// operation is described, cuDNN offers engines for it, and an engine becomes a plan.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/backend/cuda/driver.h"
#include "chainer/backend/cuda/libcuda.h"

namespace chainer::cuda {

// X(member, name in the library, type of its result, parameters)
#define CHAINER_CUDNN(X)                                                                                           \
  X(version, cudnnGetVersion, std::size_t, ())                                                                     \
  X(create, cudnnCreate, int, (void** handle))                                                                     \
  X(destroy, cudnnDestroy, int, (void* handle))                                                                    \
  X(set_stream, cudnnSetStream, int, (void* handle, CuHandle stream))                                              \
  X(status_name, cudnnGetErrorString, const char*, (int status))                                                   \
  X(last_error, cudnnGetLastErrorString, void, (char* text, std::size_t bytes))                                    \
  X(make, cudnnBackendCreateDescriptor, int, (int kind, void** descriptor))                                        \
  X(end, cudnnBackendDestroyDescriptor, int, (void* descriptor))                                                   \
  X(finish, cudnnBackendFinalize, int, (void* descriptor))                                                         \
  X(set, cudnnBackendSetAttribute, int, (void* descriptor, int name, int type, int64_t count, const void* values)) \
  X(get, cudnnBackendGetAttribute, int,                                                                            \
    (void* descriptor, int name, int type, int64_t room, int64_t* count, void* values))                            \
  X(execute, cudnnBackendExecute, int, (void* handle, void* plan, void* arguments))

struct CudnnFunctions {
#define X(MEMBER, NAME, RESULT, PARAMETERS) RESULT(*MEMBER) PARAMETERS = nullptr;
  CHAINER_CUDNN(X)
#undef X
  void* library = nullptr;  ///< for other functions

  /// Throws DeviceError with the library's reasons if the status of the call `what` is an error.
  void expect_success(int status, const std::string& what) const;
};
/// Returns the library's constant for a floating dtype.
std::optional<int> cudnn_type(Dtype dtype);

/// The library for one device, whose context must be current at each call. A plan is built once per combination of
/// shapes, layouts, types and alignments. Only engines are used that are deterministic, do not round float32 operands
/// unless the call allows it, accumulate at least in float32, and do not use Fourier transforms.
class Cudnn {
 public:
  static constexpr std::size_t kMostWorkspace = std::size_t(1) << 30, kMostPlans = 1024, kMostMeasured = 8;
  /// Returns the seconds that the device takes for the work of its argument.
  using Timer = std::function<double(const std::function<void()>&)>;

  /// Opens CHAINER_CUDNN_LIBRARY, or libcudnn.so.9. Returns null if there is none, if the variable is "none", or if the
  /// library finds no device. `described` is a device as JSON text, for which plans are built without a device (cuDNN
  /// 9.8 and later); they cannot run.
  static std::unique_ptr<Cudnn> open(const std::string& described = {});
  /// Returns "cuDNN 9.19.0" for the library that open() would use; empty if there is none.
  static std::string description();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;
  ~Cudnn();

  /// Returns the bytes of workspace that convolve() needs; nothing if cuDNN has no plan for this call, with the reason
  /// in why_not().
  std::optional<std::size_t> workspace(const LibraryConvolution& call);
  /// Runs a convolution for which workspace() has returned a size. If the call asks for it, up to kMostMeasured plans
  /// are measured first, once, with results in the workspace, and the fastest is kept. Throws DeviceError with the
  /// library's status and the shapes.
  void convolve(CuHandle stream, const LibraryConvolution& call, void* workspace, const Timer& time);
  const std::string& why_not() const { return why_not_; }
  const CudnnFunctions& functions() const { return f_; }
  void* handle() const { return handle_; }
  /// The number of plans, including shapes without one. forget_plans() may be called while nothing runs on the device.
  std::size_t plans() const { return plans_.size(); }
  void forget_plans();

 private:
  using Key = std::vector<int64_t>;
  class Descriptor;
  struct Plan;
  Cudnn(const CudnnFunctions& f, std::string described);
  void expect_success(int status, const std::string& what);
  bool is_allowed(const Descriptor& configuration, const LibraryConvolution& call);
  std::unique_ptr<Plan> build(const LibraryConvolution& call);
  Plan* plan(const LibraryConvolution& call);
  static std::size_t results_in(const Plan& plan);
  void measure(Plan& plan, CuHandle stream, LibraryConvolution call, char* workspace, const Timer& time);
  void execute(CuHandle stream, const Descriptor& plan, const LibraryConvolution& call, void* workspace);

  CudnnFunctions f_;
  std::string described_, why_not_;
  bool was_short_ = false;  // of memory, in the build of a plan
  void* handle_ = nullptr;
  std::map<Key, std::unique_ptr<Plan>> plans_;
  std::vector<std::unique_ptr<Plan>> replaced_;  // captured graphs may use them
};

}  // namespace chainer::cuda
