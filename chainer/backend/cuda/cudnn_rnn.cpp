// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/cudnn_rnn.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chainer/backend/cuda/libraries.h"

namespace chainer::cuda {
namespace {

// The library's constants.
enum CudnnRnnConstants {
  standard_algorithm = 0,
  two_biases = 2,
  one_direction = 0,
  linear_input = 0,
  packed_by_time = 1,
  without_padding = 0,
  for_inference = 0,
  for_training = 1,
  adds_gradients = 0
};
// How products use tensor cores: the default rounds operands of float32 to TF32, and no more.
enum CudnnMath { default_math = 0, without_tensor_cores = 3 };

int cudnn_cell(RnnKind kind) {
  switch (kind) {
    case RnnKind::relu: return 0;
    case RnnKind::tanh: return 1;
    case RnnKind::lstm: return 2;
    case RnnKind::gru: return 3;
  }
  return -1;
}

std::vector<int64_t> key_of_weights(const RecurrentLayer& layer) {
  return {static_cast<int64_t>(layer.kind), static_cast<int64_t>(layer.dtype), layer.inputs, layer.units,
          int64_t{layer.tensor_cores}};
}

// Returns true if the sizes of the layer and of its arrays are ints.
bool has_int_sizes(const RecurrentLayer& layer) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const int64_t gates = weight_count(layer.kind) / 2 * layer.units, row = std::max(layer.inputs, gates);
  return row <= kMost && layer.items() <= kMost / row && layer.inputs + layer.units <= kMost / gates;
}

}  // namespace

class CudnnRnn::Descriptor {
 public:
  Descriptor(const CudnnRnn& library, int (*make)(void**), int (*end)(void*), const char* what) : end_(end) {
    library.library_.functions().expect_success(make(&raw), text("creating a descriptor of ", what));
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { end_(raw); }
  void* raw = nullptr;

 private:
  int (*end_)(void*);
};

// What does not depend on the lengths of sequences.
struct CudnnRnn::Weights {
  Descriptor rnn;
  std::size_t bytes = 0;
  std::vector<int64_t> positions = {};  // in elements
  bool refused = false;                 // the library stores them in another way than expected
};

struct CudnnRnn::Plan {
  const Weights& weights;
  Descriptor x, y, state;
  std::size_t workspace = 0, kept = 0;
};

std::unique_ptr<CudnnRnn> CudnnRnn::open(const Cudnn& library) {
  Functions f;
  bool all = library.functions().library;
#define X(MEMBER, NAME, PARAMETERS) all = all && find_function(library.functions().library, #NAME, f.MEMBER);
  CHAINER_CUDNN_RNN(X)
#undef X
  return all ? std::unique_ptr<CudnnRnn>(new CudnnRnn(library, f)) : nullptr;
}
CudnnRnn::CudnnRnn(const Cudnn& library, const Functions& f) : library_(library), f_(f) {}
CudnnRnn::~CudnnRnn() { forget_plans(); }
void CudnnRnn::forget_plans() { plans_.clear(), weights_.clear(); }

std::unique_ptr<CudnnRnn::Weights> CudnnRnn::make_weights(const RecurrentLayer& layer) {
  const CudnnFunctions& library = library_.functions();
  if (!dropout_) {  // a layer has none, but its descriptor refers to one
    auto made = std::make_unique<Descriptor>(*this, f_.make_dropout, f_.end_dropout, "dropout");
    library.expect_success(f_.set_dropout(made->raw, library_.handle(), 0, nullptr, 0, 0), "cudnnSetDropoutDescriptor");
    dropout_ = std::move(made);
  }
  const int type = cudnn_type(layer.dtype).value();
  const auto inputs = static_cast<int32_t>(layer.inputs), units = static_cast<int32_t>(layer.units);
  std::unique_ptr<Weights> out(new Weights{{*this, f_.make_rnn, f_.end_rnn, "a recurrent layer"}});
  library.expect_success(f_.set_rnn(out->rnn.raw, standard_algorithm, cudnn_cell(layer.kind), two_biases, one_direction,
                                    linear_input, type, type, layer.tensor_cores ? default_math : without_tensor_cores,
                                    inputs, units, units, 1, dropout_->raw, without_padding),
                         "cudnnSetRNNDescriptor_v8");
  library.expect_success(f_.weight_bytes(library_.handle(), out->rnn.raw, &out->bytes), "cudnnGetRNNWeightSpaceSize");
  return out;
}

// Matrices must be stored as Chainer's are: a row for each unit.
void CudnnRnn::find_positions(const RecurrentLayer& layer, Weights& weights, const char* at) {
  const CudnnFunctions& library = library_.functions();
  const Descriptor matrix(*this, f_.make_tensor, f_.end_tensor, "a matrix");
  const Descriptor bias(*this, f_.make_tensor, f_.end_tensor, "a bias");
  const int count = weight_count(layer.kind);
  const int64_t bytes = item_size(layer.dtype);
  std::vector<int64_t> matrices, biases;
  const auto expect_layout = [&](const Descriptor& tensor, int64_t columns) {
    int type = -1, axes = 0, size[3] = {}, strides[3] = {};
    library.expect_success(f_.get_tensor(tensor.raw, 3, &type, &axes, size, strides), "cudnnGetTensorNdDescriptor");
    if (type != cudnn_type(layer.dtype) || axes != 3 || size[0] != 1 || size[1] != layer.units || size[2] != columns ||
        (size[1] > 1 && strides[1] != columns) || (size[2] > 1 && strides[2] != 1))
      throw DeviceError("cudnnGetRNNWeightParams: expected (1, ", layer.units, ", ", columns, ") in C order, got (",
                        size[0], ", ", size[1], ", ", size[2], ") with strides (", strides[0], ", ", strides[1], ", ",
                        strides[2], ")");
  };
  const auto position = [&](const void* address) {
    const std::ptrdiff_t offset = static_cast<const char*>(address) - at;
    if (!address || offset < 0 || offset % bytes || offset >= static_cast<std::ptrdiff_t>(weights.bytes))
      throw DeviceError("cudnnGetRNNWeightParams: expected a position in ", weights.bytes, " bytes, got ", offset);
    return offset / bytes;
  };
  for (int k = 0; k < count; ++k) {
    void *of_matrix = nullptr, *of_bias = nullptr;
    library.expect_success(f_.weight_place(library_.handle(), weights.rnn.raw, 0, weights.bytes, at, k, matrix.raw,
                                           &of_matrix, bias.raw, &of_bias),
                           "cudnnGetRNNWeightParams");
    expect_layout(matrix, k < count / 2 ? layer.inputs : layer.units);
    expect_layout(bias, 1);
    matrices.push_back(position(of_matrix)), biases.push_back(position(of_bias));
  }
  matrices.insert(matrices.end(), biases.begin(), biases.end());
  weights.positions = std::move(matrices);
}

std::unique_ptr<CudnnRnn::Plan> CudnnRnn::make_plan(const RecurrentLayer& layer, const Weights& weights) {
  const CudnnFunctions& library = library_.functions();
  const int type = cudnn_type(layer.dtype).value(), steps = static_cast<int>(layer.sizes.size());
  const auto batch = static_cast<int>(layer.sizes[0]), units = static_cast<int>(layer.units);
  std::unique_ptr<Plan> out(new Plan{weights,
                                     {*this, f_.make_data, f_.end_data, "sequences"},
                                     {*this, f_.make_data, f_.end_data, "sequences"},
                                     {*this, f_.make_tensor, f_.end_tensor, "states"}});
  std::vector<int> lengths(static_cast<std::size_t>(batch), 0);
  for (const int64_t n : layer.sizes)
    for (int64_t b = 0; b < n; ++b) ++lengths[static_cast<std::size_t>(b)];
  for (const auto& [data, columns] : {std::pair{&out->x, static_cast<int>(layer.inputs)}, std::pair{&out->y, units}})
    library.expect_success(f_.set_data(data->raw, type, packed_by_time, steps, batch, columns, lengths.data(), nullptr),
                           "cudnnSetRNNDataDescriptor");
  const int size[] = {1, batch, units}, strides[] = {batch * units, units, 1};
  library.expect_success(f_.set_tensor(out->state.raw, type, 3, size, strides), "cudnnSetTensorNdDescriptor");
  library.expect_success(f_.room_bytes(library_.handle(), weights.rnn.raw, layer.trains ? for_training : for_inference,
                                       out->x.raw, &out->workspace, &out->kept),
                         "cudnnGetRNNTempSpaceSizes");
  return out;
}

CudnnRnn::Weights* CudnnRnn::weights(const RecurrentLayer& layer) {
  const Key key = key_of_weights(layer);
  if (const auto found = weights_.find(key); found != weights_.end()) return found->second.get();
  std::unique_ptr<Weights> made;
  try {
    made = make_weights(layer);
  } catch (const DeviceError& e) { why_not_ = e.what(); }
  return weights_.emplace(key, std::move(made)).first->second.get();
}
CudnnRnn::Plan* CudnnRnn::plan(const RecurrentLayer& layer) {
  Key key = key_of_weights(layer);
  key.push_back(layer.trains);
  key.insert(key.end(), layer.sizes.begin(), layer.sizes.end());
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second.get();
  std::unique_ptr<Plan> made;
  if (const Weights* const w = weights(layer)) try {
      made = make_plan(layer, *w);
    } catch (const DeviceError& e) { why_not_ = e.what(); }
  return plans_.emplace(std::move(key), std::move(made)).first->second.get();
}

std::optional<std::size_t> CudnnRnn::workspace(const RecurrentLayer& layer, RecurrentSpaces* spaces,
                                               const Lender& lend) {
  if (!has_int_sizes(layer)) {
    why_not_ = text("the layer has ", layer.items(), " items, ", layer.inputs, " inputs and ", layer.units, " units");
    return {};
  }
  const Plan* const p = plan(layer);
  if (!p) return {};
  if (spaces) {
    Weights& w = *weights(layer);
    if (w.refused) return {};
    if (w.positions.empty()) try {
        if (!lend(w.bytes, [&](void* at) { find_positions(layer, w, static_cast<const char*>(at)); })) {
          why_not_ = text("there is no memory for ", w.bytes, " bytes of weights");
          return {};
        }
      } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
        why_not_ = e.what();
        w.refused = true;
        return {};
      }
    const auto elements = [](std::size_t bytes, int64_t of) { return (static_cast<int64_t>(bytes) + of - 1) / of; };
    *spaces = {elements(w.bytes, item_size(layer.dtype)), elements(p->kept, item_size(Dtype::int64)), w.positions};
  }
  return p->workspace;
}

template <class Call>
void CudnnRnn::run(CuHandle stream, const RecurrentCall& call, const char* what, const Call& calls) {
  const RecurrentLayer& layer = *call.layer;
  const Plan* const p = plan(layer);
  try {
    if (!p) throw DeviceError("cuDNN has no plan: ", why_not_);
    library_.functions().expect_success(library_.functions().set_stream(library_.handle(), stream), "cudnnSetStream");
    calls(*p);
  } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
    throw DeviceError(e.what(), " for a recurrent layer (", what, ") of ", layer.sizes.size(), " steps, ",
                      layer.sizes[0], " sequences, ", layer.inputs, " inputs and ", layer.units, " units of ",
                      layer.dtype);
  }
}

// (The library has the lengths of sequences from their descriptors: it ignores those on the device since
// version 8.9.1.)
void CudnnRnn::forward(CuHandle stream, const RecurrentCall& c) {
  run(stream, c, "forward", [&](const Plan& p) {
    void* const of_cells = c.layer->has_cell() ? p.state.raw : nullptr;
    library_.functions().expect_success(
        f_.forward(library_.handle(), p.weights.rnn.raw, c.layer->trains ? for_training : for_inference, nullptr,
                   p.x.raw, c.x, p.y.raw, c.y, p.state.raw, c.h, c.h_last, of_cells, c.c, c.c_last, p.weights.bytes,
                   c.weights, p.workspace, c.workspace, p.kept, c.kept),
        "cudnnRNNForward");
  });
}
void CudnnRnn::backward(CuHandle stream, const RecurrentCall& c) {
  run(stream, c, "gradients", [&](const Plan& p) {
    void* const of_cells = c.layer->has_cell() ? p.state.raw : nullptr;
    library_.functions().expect_success(
        f_.backward_data(library_.handle(), p.weights.rnn.raw, nullptr, p.y.raw, c.y, c.gy, p.x.raw, c.gx, p.state.raw,
                         c.h, c.gh_last, c.gh, of_cells, c.c, c.gc_last, c.gc, p.weights.bytes, c.weights, p.workspace,
                         c.workspace, p.kept, c.kept),
        "cudnnRNNBackwardData_v8");
    if (!c.gweights) return;
    library_.functions().expect_success(
        f_.backward_weights(library_.handle(), p.weights.rnn.raw, adds_gradients, nullptr, p.x.raw, c.x, p.state.raw,
                            c.h, p.y.raw, c.y, p.weights.bytes, c.gweights, p.workspace, c.workspace, p.kept, c.kept),
        "cudnnRNNBackwardWeights_v8");
  });
}

}  // namespace chainer::cuda
