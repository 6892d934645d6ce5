// Caffe's messages to and from plain values. A model is hundreds of megabytes of blobs and a few kilobytes of all else:
// the outer messages are walked by hand, blobs are read into arrays, and what remains of a layer is parsed by its
// message.
#include <fcntl.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <map>

#include "chainer/links/caffe/net.h"
#include "chainer/links/caffe/net.pb.h"
#include "chainer/routines/manipulation.h"

namespace chainer::caffe {
namespace {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian floats");
using google::protobuf::io::CodedInputStream;

// The old files' numbers of types.
const std::map<int64_t, std::string_view> kOldTypes = {
    {3, "Concat"},   {4, "Convolution"}, {5, "Data"},          {6, "Dropout"},  {14, "InnerProduct"},    {15, "LRN"},
    {17, "Pooling"}, {18, "ReLU"},       {19, "Sigmoid"},      {20, "Softmax"}, {21, "SoftmaxWithLoss"}, {22, "Split"},
    {25, "Eltwise"}, {33, "Slice"},      {39, "Deconvolution"}};

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

class Reader {
 public:
  Reader(CodedInputStream& in, uint64_t size, const std::string& what) : in_(in), size_(size), what_(what) {}

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
    if (!in_.ConsumedEntireMessage()) damaged("something is no field");
    if (net.layers.empty()) net.layers = std::move(old);
    return net;
  }

 private:
  [[noreturn]] void damaged(std::string_view why) const {
    throw FileError(what_, " is no Caffe model, or a damaged one: ", where_, why, ", near byte ",
                    in_.CurrentPosition());
  }
  uint32_t next_tag() { return in_.ReadTag(); }
  uint64_t varint() {
    uint64_t v = 0;
    if (!in_.ReadVarint64(&v)) damaged("a number is missing");
    return v;
  }
  // The length of what follows, which must be there.
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
  // Passes a field over, and keeps its bytes where somebody wants them.
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
        out.blobs.push_back(blob());
      else
        skip(tag, &rest);
    }
    if (!in_.ConsumedEntireMessage()) damaged("something is no field");
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
      const auto it = kOldTypes.find(m.type());
      out.type = it == kOldTypes.end() ? text("V1:", m.type()) : std::string(it->second);
    }
    parameters(m, out);
    where_.clear();
    return out;
  }

  Array blob() {
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
    if (!in_.ConsumedEntireMessage()) damaged("something is no field");
    in_.PopLimit(limit);
    if (!single.empty()) {
      Array a({static_cast<int64_t>(single.size())}, float32);
      std::memcpy(a.mutable_raw(), single.data(), single.size() * sizeof(float));
      parts.push_back(a);
    }
    Array all = parts.empty() ? Array(Shape{0}, float32) : parts.size() == 1 ? parts[0] : concatenate(parts, 0);
    if (!shape && old) shape.emplace(old_shape.begin(), old_shape.end());
    if (!shape) return all;
    if (shape->size() > kMaxNdim) damaged(text("a blob of ", shape->size(), " axes"));
    int64_t product = 1;
    for (int64_t d : *shape)
      if (d < 0 || __builtin_mul_overflow(product, d, &product)) damaged(text("a blob of shape ", Shape(*shape)));
    if (product != all.size()) damaged(text("a blob of shape ", Shape(*shape), " with ", all.size(), " numbers"));
    return all.reshape(*shape);
  }
  Array numbers(Dtype dtype) {
    const int n = length();
    if (n % item_size(dtype) != 0) damaged(text(n, " bytes of numbers"));
    Array a({n / item_size(dtype)}, dtype);
    if (n && !in_.ReadRaw(a.mutable_raw(), n)) damaged("it ends early");
    return a;
  }

  // A size of a window: `h` and `w` where they are given, else the numbers of the list.
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
  template <class Message>
  void parameters(const Message& m, Layer& l) const {
    if (l.type == "Convolution" || l.type == "Deconvolution") {
      const auto& p = m.convolution_param();
      l.window = window(p), l.num_output = p.num_output(), l.group = p.group(), l.bias_term = p.bias_term();
    } else if (l.type == "Pooling") {
      const auto& p = m.pooling_param();
      l.window = window(p), l.pool = static_cast<Pool>(p.pool()), l.global_pooling = p.global_pooling();
    } else if (l.type == "InnerProduct") {
      const auto& p = m.inner_product_param();
      l.num_output = p.num_output(), l.bias_term = p.bias_term(), l.axis = p.axis();
    } else if (l.type == "LRN") {
      const auto& p = m.lrn_param();
      l.local_size = p.local_size(), l.alpha = p.alpha(), l.beta = p.beta(), l.k = p.k();
      l.within_channel = p.norm_region() == message::LRNParameter::WITHIN_CHANNEL;
    } else if (l.type == "Concat") {
      const auto& p = m.concat_param();
      l.axis = p.axis() == 1 ? p.concat_dim() : p.axis();
    } else if (l.type == "Dropout") {
      l.dropout_ratio = m.dropout_param().dropout_ratio();
    } else if (l.type == "Eltwise") {
      const auto& p = m.eltwise_param();
      l.operation = static_cast<Operation>(p.operation());
      l.coefficients.assign(p.coeff().begin(), p.coeff().end());
    } else if (l.type == "ReLU") {
      l.negative_slope = m.relu_param().negative_slope();
    } else if (l.type == "Sigmoid") {
      l.engine = m.sigmoid_param().engine();
    } else if (l.type == "Softmax" || l.type == "SoftmaxWithLoss") {
      l.engine = m.softmax_param().engine(), l.axis = m.softmax_param().axis();
    } else if (l.type == "Slice") {
      const auto& p = m.slice_param();
      l.axis = p.has_axis() || !p.has_slice_dim() ? p.axis() : p.slice_dim();
      l.slice_points.assign(p.slice_point().begin(), p.slice_point().end());
    }
    if constexpr (requires { m.scale_param(); }) {
      if (l.type == "Reshape") {
        l.shape.assign(m.reshape_param().shape().dim().begin(), m.reshape_param().shape().dim().end());
      } else if (l.type == "BatchNorm") {
        const auto& p = m.batch_norm_param();
        if (p.has_use_global_stats()) l.use_global_stats = p.use_global_stats();
        l.moving_average_fraction = p.moving_average_fraction(), l.eps = p.eps();
      } else if (l.type == "Scale") {
        l.axis = m.scale_param().axis(), l.bias_term = m.scale_param().bias_term();
      }
    }
  }

  CodedInputStream& in_;
  uint64_t size_;
  const std::string& what_;
  std::string where_;
  int64_t count_ = 0;
};

message::LayerParameter message_of(const Layer& l) {
  message::LayerParameter m;
  m.set_name(l.name);
  m.set_type(l.type);
  for (const std::string& b : l.bottoms) m.add_bottom(b);
  for (const std::string& t : l.tops) m.add_top(t);
  m.set_phase(1);  // TEST
  const auto unsigned_of = [](int64_t v) { return static_cast<uint32_t>(v); };
  const auto put_window = [&](auto& p) {
    p.set_kernel_h(unsigned_of(l.window.kernel[0])), p.set_kernel_w(unsigned_of(l.window.kernel[1]));
    p.set_stride_h(unsigned_of(l.window.stride[0])), p.set_stride_w(unsigned_of(l.window.stride[1]));
    p.set_pad_h(unsigned_of(l.window.pad[0])), p.set_pad_w(unsigned_of(l.window.pad[1]));
  };
  if (l.type == "Convolution" || l.type == "Deconvolution") {
    auto& p = *m.mutable_convolution_param();
    p.set_num_output(unsigned_of(l.num_output)), p.set_bias_term(l.bias_term), p.set_group(unsigned_of(l.group));
    put_window(p);
    if (l.window.dilation != std::array<int64_t, 2>{1, 1})
      for (int64_t d : l.window.dilation) p.add_dilation(unsigned_of(d));
  } else if (l.type == "Pooling") {
    auto& p = *m.mutable_pooling_param();
    p.set_pool(static_cast<message::PoolingParameter::Method>(l.pool));
    if (l.global_pooling)
      p.set_global_pooling(true);
    else
      put_window(p);
  } else if (l.type == "InnerProduct") {
    auto& p = *m.mutable_inner_product_param();
    p.set_num_output(unsigned_of(l.num_output)), p.set_bias_term(l.bias_term);
    p.set_axis(static_cast<int32_t>(l.axis));
  } else if (l.type == "LRN") {
    auto& p = *m.mutable_lrn_param();
    p.set_local_size(unsigned_of(l.local_size)), p.set_alpha(static_cast<float>(l.alpha));
    p.set_beta(static_cast<float>(l.beta)), p.set_k(static_cast<float>(l.k));
    if (l.within_channel) p.set_norm_region(message::LRNParameter::WITHIN_CHANNEL);
  } else if (l.type == "Concat") {
    m.mutable_concat_param()->set_axis(static_cast<int32_t>(l.axis));
  } else if (l.type == "Dropout") {
    m.mutable_dropout_param()->set_dropout_ratio(static_cast<float>(l.dropout_ratio));
  } else if (l.type == "Eltwise") {
    m.mutable_eltwise_param()->set_operation(static_cast<message::EltwiseParameter::Operation>(l.operation));
    for (double c : l.coefficients) m.mutable_eltwise_param()->add_coeff(static_cast<float>(c));
  } else if (l.type == "ReLU") {
    if (l.negative_slope != 0) m.mutable_relu_param()->set_negative_slope(static_cast<float>(l.negative_slope));
  } else if (l.type == "Sigmoid") {
    if (l.engine) m.mutable_sigmoid_param()->set_engine(l.engine);
  } else if (l.type == "Softmax" || l.type == "SoftmaxWithLoss") {
    m.mutable_softmax_param()->set_axis(static_cast<int32_t>(l.axis));
    if (l.engine) m.mutable_softmax_param()->set_engine(l.engine);
  } else if (l.type == "Slice") {
    m.mutable_slice_param()->set_axis(static_cast<int32_t>(l.axis));
    for (int64_t p : l.slice_points) m.mutable_slice_param()->add_slice_point(unsigned_of(p));
  } else if (l.type == "Reshape") {
    for (int64_t d : l.shape) m.mutable_reshape_param()->mutable_shape()->add_dim(d);
  } else if (l.type == "BatchNorm") {
    auto& p = *m.mutable_batch_norm_param();
    if (l.use_global_stats) p.set_use_global_stats(*l.use_global_stats);
    p.set_moving_average_fraction(static_cast<float>(l.moving_average_fraction)), p.set_eps(static_cast<float>(l.eps));
  } else if (l.type == "Scale") {
    m.mutable_scale_param()->set_axis(static_cast<int32_t>(l.axis)),
        m.mutable_scale_param()->set_bias_term(l.bias_term);
  }
  return m;
}

void put_field(std::string& out, uint32_t field, std::string_view bytes) {
  put_varint(out, field << 3 | kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

}  // namespace

Net read_net(const std::filesystem::path& path) {
  const auto failed = [&] { throw FileError("cannot read ", path.string(), ": ", std::strerror(errno)); };
  struct File {
    int fd;
    ~File() {
      if (fd >= 0) ::close(fd);
    }
  } file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) failed();
  const off_t size = ::lseek(file.fd, 0, SEEK_END);
  if (size < 0 || ::lseek(file.fd, 0, SEEK_SET) < 0) failed();
  if (size > INT32_MAX) throw FileError(path.string(), " has ", size, " bytes: such files end at 2 GiB");
  google::protobuf::io::FileInputStream stream(file.fd, 1 << 16);
  CodedInputStream in(&stream);
  in.SetTotalBytesLimit(INT32_MAX);
  const std::string what = path.string();
  Net net = Reader(in, static_cast<uint64_t>(size), what).net();
  if (stream.GetErrno()) throw FileError("cannot read ", path.string(), ": ", std::strerror(stream.GetErrno()));
  return net;
}

Net read_net(std::string_view bytes, const std::string& what) {
  if (bytes.size() > INT32_MAX) throw FileError(what, " has ", bytes.size(), " bytes: such files end at 2 GiB");
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  return Reader(in, bytes.size(), what).net();
}

std::string write_net(const Net& net) {
  std::string out;
  put_field(out, 1, net.name);
  for (const Layer& l : net.layers) {
    std::string layer = message_of(l).SerializeAsString();
    for (const Array& blob : l.blobs) {
      message::BlobShape shape;
      for (int64_t d : blob.shape()) shape.add_dim(d);
      const Array values = blob.astype(float32, false).contiguous();
      const std::string_view raw(values.size() ? static_cast<const char*>(values.raw()) : "",
                                 static_cast<std::size_t>(values.nbytes()));
      std::string head;
      put_field(head, 7, shape.SerializeAsString());
      put_varint(head, 5 << 3 | kBytes);
      put_varint(head, raw.size());
      put_varint(layer, 7 << 3 | kBytes);
      put_varint(layer, head.size() + raw.size());
      layer += head;
      layer += raw;
    }
    put_field(out, 100, layer);
  }
  return out;
}

}  // namespace chainer::caffe
