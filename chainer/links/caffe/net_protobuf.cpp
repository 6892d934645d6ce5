// SPDX-License-Identifier: MIT
// Converts between Caffe's messages and plain values. A model has hundreds of megabytes of blobs and little else: the
// outer messages are walked here, blobs are read directly into arrays, and the rest of a layer is parsed by protobuf.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <bit>
#include <cstring>

#include "chainer/core/system/input_file.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/protobuf_wire.h"
#include "chainer/links/caffe/net.h"
#include "chainer/links/caffe/net.pb.h"
#include "chainer/routines/manipulation.h"

namespace chainer::caffe {

using namespace wire;
namespace {

using google::protobuf::io::CodedInputStream;

class Reader {
 public:
  Reader(CodedInputStream& in, uint64_t size, const std::string& what, BlobShapes shapes = BlobShapes::checked)
      : in_(in), size_(size), what_(what), shapes_(shapes) {}

  Net net() {
    Net net;
    std::vector<Layer> old;
    while (const uint32_t tag = next_tag()) {
      if (tag == (1 << 3 | kBytes)) {
        net.name = bytes(length());
      } else if (tag == (100 << 3 | kBytes)) {
        net.layers.push_back(layer<message::LayerParameter>(7));
      } else if (tag == (2 << 3 | kBytes)) {
        old.push_back(layer<message::V1LayerParameter>(6));
      } else {
        skip(tag, nullptr);
      }
    }
    if (!in_.ConsumedEntireMessage()) damaged("a field is not valid");
    if (net.layers.empty()) net.layers = std::move(old);
    return net;
  }

 private:
  [[noreturn]] void damaged(std::string_view why) const {
    throw FileError(what_, " is not a Caffe model, or it is damaged: ", where_, why, ", near byte ",
                    in_.CurrentPosition());
  }
  uint32_t next_tag() { return in_.ReadTag(); }
  uint64_t varint() {
    uint64_t v = 0;
    if (!in_.ReadVarint64(&v)) damaged("a number is missing");
    return v;
  }
  // The length of the field that follows; throws if the file ends before it.
  int length() {
    const uint64_t n = varint();
    const auto at = static_cast<uint64_t>(in_.CurrentPosition());
    const int limit = in_.BytesUntilLimit();
    if (n > size_ - std::min(at, size_) || (limit >= 0 && n > static_cast<uint64_t>(limit)))
      damaged(text("a field would have ", n, " bytes"));
    return static_cast<int>(n);
  }
  std::string bytes(int n) {
    std::string out;
    if (!in_.ReadString(&out, n)) damaged("it ends early");
    return out;
  }
  // Skips a field, and appends its bytes to `keep` if given.
  void skip(uint32_t tag, std::string* keep) {
    if (keep) put_varint(*keep, tag);
    switch (tag & 7) {
      case kVarint: {
        const uint64_t v = varint();
        if (keep) put_varint(*keep, v);
        return;
      }
      case kFixed64:
      case kFixed32: {
        const std::string raw = bytes((tag & 7) == kFixed64 ? 8 : 4);
        if (keep) *keep += raw;
        return;
      }
      case kBytes: {
        const int n = length();
        if (keep) {
          put_varint(*keep, static_cast<uint64_t>(n));
          *keep += bytes(n);
        } else if (!in_.Skip(n)) {
          damaged("it ends early");
        }
        return;
      }
      default: damaged(text("a field of kind ", tag & 7));
    }
  }

  template <class Message>
  Layer layer(uint32_t blob_field) {
    const int n = length();
    const auto limit = in_.PushLimit(n);
    std::string rest;
    Layer out;
    where_ = text("layer ", ++count_, ": ");
    while (const uint32_t tag = next_tag()) {
      if (tag == (blob_field << 3 | kBytes))
        blob(out);
      else
        skip(tag, &rest);
    }
    if (!in_.ConsumedEntireMessage()) damaged("a field is not valid");
    in_.PopLimit(limit);
    Message m;
    if (!m.ParseFromString(rest)) damaged("its parameters cannot be read");
    out.name = m.name();
    where_ = text("layer '", out.name, "': ");
    out.bottoms.assign(m.bottom().begin(), m.bottom().end());
    out.tops.assign(m.top().begin(), m.top().end());
    if constexpr (std::is_same_v<Message, message::LayerParameter>) {
      out.type = m.type();
    } else {
      const std::string_view name = old_type_name(m.type());
      out.type = name.empty() ? text("V1:", m.type()) : std::string(name);
    }
    parameters(m, out);
    where_.clear();
    return out;
  }

  void blob(Layer& layer) {
    const int n = length();
    const auto limit = in_.PushLimit(n);
    Arrays parts;
    std::vector<float> single;
    std::array<int64_t, 4> old_shape = {0, 0, 0, 0};
    std::optional<std::vector<int64_t>> shape;
    bool old = false;
    while (const uint32_t tag = next_tag()) {
      const uint32_t field = tag >> 3, wire = tag & 7;
      if (field >= 1 && field <= 4 && wire == kVarint) {
        old_shape[field - 1] = static_cast<int32_t>(varint());
        old = true;
      } else if (field == 5 && wire == kBytes) {
        parts.push_back(numbers(float32));
      } else if (field == 5 && wire == kFixed32) {
        uint32_t bits = 0;
        if (!in_.ReadLittleEndian32(&bits)) damaged("it ends early");
        single.push_back(std::bit_cast<float>(bits));
      } else if (field == 8 && wire == kBytes) {
        parts.push_back(numbers(float64).astype(float32));
      } else if (field == 7 && wire == kBytes) {
        message::BlobShape m;
        if (!m.ParseFromString(bytes(length()))) damaged("a blob's shape cannot be read");
        shape.emplace(m.dim().begin(), m.dim().end());
      } else {
        skip(tag, nullptr);
      }
    }
    if (!in_.ConsumedEntireMessage()) damaged("a field is not valid");
    in_.PopLimit(limit);
    if (!single.empty()) {
      Array a({static_cast<int64_t>(single.size())}, float32);
      std::memcpy(a.mutable_raw(), single.data(), single.size() * sizeof(float));
      parts.push_back(a);
    }
    Array all = parts.empty() ? Array(Shape{0}, float32) : parts.size() == 1 ? parts[0] : concatenate(parts, 0);
    if (!shape && old) shape.emplace(old_shape.begin(), old_shape.end());
    if (shapes_ == BlobShapes::declared) {
      layer.blobs.push_back(all);
      layer.blob_shapes.push_back(shape.value_or(std::vector<int64_t>{all.size()}));
      return;
    }
    if (!shape) return layer.blobs.push_back(all);
    if (shape->size() > kMaxNdim) damaged(text("a blob of ", shape->size(), " axes"));
    int64_t product = 1;
    for (int64_t d : *shape)
      if (d < 0 || __builtin_mul_overflow(product, d, &product)) damaged(text("a blob of shape ", Shape(*shape)));
    if (product != all.size()) damaged(text("a blob of shape ", Shape(*shape), " with ", all.size(), " numbers"));
    layer.blobs.push_back(all.reshape(*shape));
  }
  Array numbers(Dtype dtype) {
    const int n = length();
    if (n % item_size(dtype) != 0) damaged(text(n, " bytes of numbers"));
    Array a({n / item_size(dtype)}, dtype);
    if (n && !in_.ReadRaw(a.mutable_raw(), n)) damaged("it ends early");
    if constexpr (!kLittleEndian)
      swap_bytes(a.mutable_raw(), static_cast<std::size_t>(n), static_cast<std::size_t>(item_size(dtype)));
    return a;
  }

  // A window's size: `h` and `w` if given, else from the list of numbers.
  template <class List>
  std::array<int64_t, 2> both(const List& list, int64_t otherwise, std::string_view name) const {
    if (list.size() > 2) damaged(text(list.size(), " values of ", name, " in a layer of two spatial axes"));
    if (list.empty()) return {otherwise, otherwise};
    return {static_cast<int64_t>(list[0]), static_cast<int64_t>(list[list.size() - 1])};
  }
  template <class P>
  Window window(const P& p) const {
    Window w;
    if constexpr (requires { p.kernel_size().size(); }) {
      w.kernel = both(p.kernel_size(), 0, "kernel_size");
      w.stride = both(p.stride(), 1, "stride");
      w.pad = both(p.pad(), 0, "pad");
      w.dilation = both(p.dilation(), 1, "dilation");
    } else {
      w.kernel.fill(p.kernel_size());
      w.stride.fill(p.stride());
      w.pad.fill(p.pad());
    }
    if (p.kernel_h() || p.kernel_w()) w.kernel = {p.kernel_h(), p.kernel_w()};
    if (p.has_stride_h() || p.has_stride_w()) w.stride = {p.stride_h(), p.stride_w()};
    if (p.has_pad_h() || p.has_pad_w()) w.pad = {p.pad_h(), p.pad_w()};
    return w;
  }
  // Returns the parameters of a layer. Notes fields of other versions of Caffe and unknown values of enumerations,
  // which may change what the layer computes; protobuf keeps both as unknown fields.
  template <class P>
  const P& noted(const P& p, std::string_view name, Layer& l) const {
    const std::string& unknown = p.unknown_fields();
    if (unknown.empty() || !l.unsupported.empty()) return p;
    CodedInputStream in(reinterpret_cast<const uint8_t*>(unknown.data()), static_cast<int>(unknown.size()));
    l.unsupported = text("field ", in.ReadTag() >> 3, " of ", name, ", or its value, is not known");
    return p;
  }
  void loss(const message::LossParameter& p, Layer& l) const {
    using Loss = message::LossParameter;
    if (p.has_ignore_label()) l.ignore_label = p.ignore_label();
    const bool old = p.has_normalize() && !p.has_normalization();
    const auto how = !old ? p.normalization() : p.normalize() ? Loss::VALID : Loss::BATCH_SIZE;
    l.by_batch_size = how == Loss::BATCH_SIZE;
    if (how == Loss::NONE || (how == Loss::FULL && l.ignore_label))
      l.unsupported =
          text("normalization ", how == Loss::NONE ? "NONE" : "FULL with ignore_label", " is not supported");
  }
  template <class Message>
  void parameters(const Message& m, Layer& l) const {
    switch (type_of(l.type)) {
      case LayerType::convolution:
      case LayerType::deconvolution: {
        const auto& p = noted(m.convolution_param(), "convolution_param", l);
        l.window = window(p), l.num_output = p.num_output(), l.group = p.group(), l.bias_term = p.bias_term();
        l.axis = p.axis();
        break;
      }
      case LayerType::pooling: {
        const auto& p = noted(m.pooling_param(), "pooling_param", l);
        l.window = window(p), l.pool = static_cast<Pool>(p.pool()), l.global_pooling = p.global_pooling();
        l.round_down = p.round_mode() == message::PoolingParameter::FLOOR;
        break;
      }
      case LayerType::inner_product: {
        const auto& p = noted(m.inner_product_param(), "inner_product_param", l);
        l.num_output = p.num_output(), l.bias_term = p.bias_term(), l.axis = p.axis(), l.transpose = p.transpose();
        break;
      }
      case LayerType::lrn: {
        const auto& p = noted(m.lrn_param(), "lrn_param", l);
        l.local_size = p.local_size(), l.alpha = p.alpha(), l.beta = p.beta(), l.k = p.k();
        l.within_channel = p.norm_region() == message::LRNParameter::WITHIN_CHANNEL;
        break;
      }
      case LayerType::concat: {
        const auto& p = noted(m.concat_param(), "concat_param", l);
        l.axis = p.axis();
        if (l.axis == 1 && p.has_concat_dim()) l.axis = p.concat_dim();
        break;
      }
      case LayerType::dropout: l.dropout_ratio = noted(m.dropout_param(), "dropout_param", l).dropout_ratio(); break;
      case LayerType::eltwise: {
        const auto& p = noted(m.eltwise_param(), "eltwise_param", l);
        l.operation = static_cast<Operation>(p.operation());
        l.coefficients.assign(p.coeff().begin(), p.coeff().end());
        break;
      }
      case LayerType::relu: l.negative_slope = noted(m.relu_param(), "relu_param", l).negative_slope(); break;
      case LayerType::sigmoid: l.engine = noted(m.sigmoid_param(), "sigmoid_param", l).engine(); break;
      case LayerType::softmax:
      case LayerType::softmax_with_loss: {
        const auto& p = noted(m.softmax_param(), "softmax_param", l);
        l.engine = p.engine(), l.axis = p.axis();
        if (type_of(l.type) == LayerType::softmax_with_loss) loss(noted(m.loss_param(), "loss_param", l), l);
        break;
      }
      case LayerType::slice: {
        const auto& p = noted(m.slice_param(), "slice_param", l);
        l.axis = p.axis();
        if (!p.has_axis() && p.has_slice_dim()) l.axis = p.slice_dim();
        l.slice_points.assign(p.slice_point().begin(), p.slice_point().end());
        break;
      }
      default: break;
    }
    if constexpr (requires { m.scale_param(); }) {
      switch (type_of(l.type)) {
        case LayerType::reshape: {
          const auto& p = noted(m.reshape_param(), "reshape_param", l);
          l.shape.assign(p.shape().dim().begin(), p.shape().dim().end());
          l.first_axis = p.axis(), l.num_axes = p.num_axes();
          break;
        }
        case LayerType::batch_norm: {
          const auto& p = noted(m.batch_norm_param(), "batch_norm_param", l);
          if (p.has_use_global_stats()) l.use_global_stats = p.use_global_stats();
          l.moving_average_fraction = p.moving_average_fraction(), l.eps = p.eps();
          break;
        }
        case LayerType::scale: {
          const auto& p = noted(m.scale_param(), "scale_param", l);
          l.axis = p.axis(), l.bias_term = p.bias_term();
          break;
        }
        default: break;
      }
    }
  }

  CodedInputStream& in_;
  uint64_t size_;
  const std::string& what_;
  BlobShapes shapes_;
  std::string where_;
  int64_t count_ = 0;
};

}  // namespace

namespace {
// A file as a stream for protobuf. Exceptions must not pass through its parser, so check() throws them afterwards.
class Input : public google::protobuf::io::CopyingInputStream {
 public:
  explicit Input(InputFile& file) : file_(file) {}
  int Read(void* buffer, int size) override {
    try {
      return static_cast<int>(file_.read(buffer, static_cast<std::size_t>(size)));
    } catch (...) { failure_ = std::current_exception(); }
    return -1;
  }
  void check() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  InputFile& file_;
  std::exception_ptr failure_;
};
}  // namespace

Net read_net(const std::filesystem::path& path, BlobShapes shapes) {
  InputFile file(path);
  const int64_t size = file.size();
  if (size > INT32_MAX) throw FileError(path.string(), " has ", size, " bytes: such files end at 2 GiB");
  Input input(file);
  google::protobuf::io::CopyingInputStreamAdaptor stream(&input, 1 << 16);
  CodedInputStream in(&stream);
  in.SetTotalBytesLimit(INT32_MAX);
  const std::string what = path.string();
  try {
    Net net = Reader(in, static_cast<uint64_t>(size), what, shapes).net();
    input.check();
    return net;
  } catch (const FileError&) {
    input.check();  // a failed read looks like a damaged file
    throw;
  }
}

Net read_net(std::string_view bytes, const std::string& what) {
  if (bytes.size() > INT32_MAX) throw FileError(what, " has ", bytes.size(), " bytes: such files end at 2 GiB");
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  return Reader(in, bytes.size(), what).net();
}

}  // namespace chainer::caffe
