// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cufft.h"

#include "chainer/backend/cuda/libraries.h"

namespace chainer::cuda {
namespace {

// The library's constants.
constexpr int kComplex64 = 0x29, kComplex128 = 0x69, kFourierForward = -1, kFourierInverse = 1;

}  // namespace

std::unique_ptr<Cufft> Cufft::open() {
  return open_library("CHAINER_CUFFT_LIBRARY", {"libcufft.so.12", "libcufft.so.11"},
                      [](void* library, const std::string&) -> std::unique_ptr<Cufft> {
                        Functions f;
                        bool all = true;
#define X(MEMBER, NAME, PARAMETERS) all = find_function(library, #NAME, f.MEMBER) && all;
                        CHAINER_CUFFT(X)
#undef X
                        return all ? std::unique_ptr<Cufft>(new Cufft(f)) : nullptr;
                      });
}
std::string Cufft::description() {
  return library_description("cuFFT", "cufftGetVersion", "CHAINER_CUFFT_LIBRARY", {"libcufft.so.12", "libcufft.so.11"});
}

// Rows follow each other without gaps, which is what the library assumes without sizes (the null pointers). A plan that
// could not be made, perhaps for want of memory, is tried again by the next call.
std::optional<Cufft::Plan> Cufft::plan(const FourierCall& call) {
  const bool wide = call.dtype == Dtype::float64;
  const Key key = key_of(call);
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  Plan made;
  if (f_.create(&made.number) != 0) return {};
  long long n = call.n;
  if (f_.allocate_itself(made.number, 0) != 0 ||
      f_.make_plan(made.number, 1, &n, nullptr, 1, n, nullptr, 1, n, wide ? kComplex128 : kComplex64, call.rows,
                   &made.workspace) != 0) {
    f_.end_plan(made.number);
    return {};
  }
  return plans_.emplace(key, made).first->second;
}

std::optional<std::size_t> Cufft::workspace(const FourierCall& call) {
  const std::optional<Plan> p = plan(call);
  return p ? std::optional(p->workspace) : std::nullopt;
}

void Cufft::transform(CuHandle stream, const FourierCall& call, void* workspace) {
  const Plan p = plan(call).value();
  const char* name = "cufftSetStream";
  int status = f_.set_stream(p.number, stream);
  if (status == 0) name = "cufftSetWorkArea", status = f_.set_workspace(p.number, workspace);
  if (status == 0) {
    const bool wide = call.dtype == Dtype::float64;
    name = wide ? "cufftExecZ2Z" : "cufftExecC2C";
    status = (wide ? f_.transform_float64 : f_.transform_float32)(p.number, call.data, call.data,
                                                                  call.inverse ? kFourierInverse : kFourierForward);
  }
  if (status != 0)
    throw DeviceError(name, ": status ", status, " for ", call.rows, " transforms of length ", call.n, " of ",
                      call.dtype);
}

void Cufft::forget_plans() {
  for (const auto& [key, plan] : plans_) f_.end_plan(plan.number);
  plans_.clear();
}

}  // namespace chainer::cuda
