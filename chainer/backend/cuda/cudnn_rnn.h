// SPDX-License-Identifier: MIT
// Recurrent layers by NVIDIA's cuDNN, whose functions for them are not part of its graph interface.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainer/backend/cuda/cudnn.h"

namespace chainer::cuda {

// X(member, name in the library, parameters)
#define CHAINER_CUDNN_RNN(X)                                                                                           \
  X(make_tensor, cudnnCreateTensorDescriptor, (void** tensor))                                                         \
  X(set_tensor, cudnnSetTensorNdDescriptor, (void* tensor, int type, int axes, const int* size, const int* strides))   \
  X(get_tensor, cudnnGetTensorNdDescriptor, (void* tensor, int room, int* type, int* axes, int* size, int* strides))   \
  X(end_tensor, cudnnDestroyTensorDescriptor, (void* tensor))                                                          \
  X(make_dropout, cudnnCreateDropoutDescriptor, (void** dropout))                                                      \
  X(set_dropout, cudnnSetDropoutDescriptor,                                                                            \
    (void* dropout, void* handle, float ratio, void* states, std::size_t bytes, unsigned long long seed))              \
  X(end_dropout, cudnnDestroyDropoutDescriptor, (void* dropout))                                                       \
  X(make_data, cudnnCreateRNNDataDescriptor, (void** data))                                                            \
  X(set_data, cudnnSetRNNDataDescriptor,                                                                               \
    (void* data, int type, int layout, int steps, int batch, int units, const int* lengths, void* padding))            \
  X(end_data, cudnnDestroyRNNDataDescriptor, (void* data))                                                             \
  X(make_rnn, cudnnCreateRNNDescriptor, (void** rnn))                                                                  \
  X(set_rnn, cudnnSetRNNDescriptor_v8,                                                                                 \
    (void* rnn, int algorithm, int cell, int biases, int directions, int input, int type, int compute, int math,       \
     int32_t inputs, int32_t units, int32_t projected, int32_t layers, void* dropout, uint32_t flags))                 \
  X(end_rnn, cudnnDestroyRNNDescriptor, (void* rnn))                                                                   \
  X(weight_bytes, cudnnGetRNNWeightSpaceSize, (void* handle, void* rnn, std::size_t* bytes))                           \
  X(weight_place, cudnnGetRNNWeightParams,                                                                             \
    (void* handle, void* rnn, int32_t layer, std::size_t bytes, const void* weights, int32_t number, void* matrix,     \
     void** matrix_at, void* bias, void** bias_at))                                                                    \
  X(room_bytes, cudnnGetRNNTempSpaceSizes,                                                                             \
    (void* handle, void* rnn, int mode, void* x, std::size_t* workspace, std::size_t* kept))                           \
  X(forward, cudnnRNNForward,                                                                                          \
    (void* handle, void* rnn, int mode, const int32_t* lengths, void* x, const void* x_data, void* y, void* y_data,    \
     void* h, const void* h_first, void* h_last, void* c, const void* c_first, void* c_last, std::size_t weight_bytes, \
     const void* weights, std::size_t workspace_bytes, void* workspace, std::size_t kept_bytes, void* kept))           \
  X(backward_data, cudnnRNNBackwardData_v8,                                                                            \
    (void* handle, void* rnn, const int32_t* lengths, void* y, const void* y_data, const void* gy, void* x, void* gx,  \
     void* h, const void* h_first, const void* gh_last, void* gh_first, void* c, const void* c_first,                  \
     const void* gc_last, void* gc_first, std::size_t weight_bytes, const void* weights, std::size_t workspace_bytes,  \
     void* workspace, std::size_t kept_bytes, void* kept))                                                             \
  X(backward_weights, cudnnRNNBackwardWeights_v8,                                                                      \
    (void* handle, void* rnn, int mode, const int32_t* lengths, void* x, const void* x_data, void* h,                  \
     const void* h_first, void* y, const void* y_data, std::size_t weight_bytes, void* gweights,                       \
     std::size_t workspace_bytes, void* workspace, std::size_t kept_bytes, void* kept))

/// The library's recurrent layers for one device, whose context must be current at each call. Descriptors are made once
/// per layer, and per lengths of sequences. The standard algorithm is used.
class CudnnRnn {
 public:
  static constexpr std::size_t kMostPlans = 1024;
  /// Calls its second argument with device memory of a number of bytes. Returns false if there is none.
  using Lender = std::function<bool(std::size_t, const std::function<void(void*)>&)>;

  /// Returns null if a function is missing. `library` must outlive the result.
  static std::unique_ptr<CudnnRnn> open(const Cudnn& library);
  CudnnRnn(const CudnnRnn&) = delete;
  CudnnRnn& operator=(const CudnnRnn&) = delete;
  ~CudnnRnn();

  /// Returns the bytes of workspace for a layer, and the sizes of its arrays in `spaces` unless that is null; nothing
  /// if cuDNN does not support the layer, with the reason in why_not(). Memory is borrowed once per layer, for the
  /// positions of weights.
  std::optional<std::size_t> workspace(const RecurrentLayer& layer, RecurrentSpaces* spaces, const Lender& lend);
  /// forward() and backward() are for layers for which workspace() has returned a size. They throw DeviceError with the
  /// library's status and the sizes.
  void forward(CuHandle stream, const RecurrentCall& call);
  void backward(CuHandle stream, const RecurrentCall& call);
  const std::string& why_not() const { return why_not_; }
  /// The number of combinations of layers and lengths. forget_plans() may be called while nothing runs on the device.
  std::size_t plans() const { return plans_.size(); }
  void forget_plans();

 private:
  struct Functions {
#define X(MEMBER, NAME, PARAMETERS) int(*MEMBER) PARAMETERS = nullptr;
    CHAINER_CUDNN_RNN(X)
#undef X
  };
  using Key = std::vector<int64_t>;
  class Descriptor;
  struct Weights;
  struct Plan;
  CudnnRnn(const Cudnn& library, const Functions& f);
  Weights* weights(const RecurrentLayer& layer);
  Plan* plan(const RecurrentLayer& layer);
  std::unique_ptr<Weights> make_weights(const RecurrentLayer& layer);
  std::unique_ptr<Plan> make_plan(const RecurrentLayer& layer, const Weights& weights);
  void find_positions(const RecurrentLayer& layer, Weights& weights, const char* at);
  template <class Call>
  void run(CuHandle stream, const RecurrentCall& call, const char* what, const Call& calls);

  const Cudnn& library_;
  Functions f_;
  std::string why_not_;
  std::unique_ptr<Descriptor> dropout_;
  std::map<Key, std::unique_ptr<Weights>> weights_;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

}  // namespace chainer::cuda
