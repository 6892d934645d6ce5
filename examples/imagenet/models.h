// SPDX-License-Identifier: MIT
// Networks for ImageNet's thousand classes. Each takes images (N, 3, kInsize, kInsize) and labels, reports loss and
// accuracy, and returns the loss.
#pragma once
#include <chainer/chainer.h>

namespace imagenet {

using namespace chainer;

inline constexpr int64_t kClasses = 1000;

/// Returns the cross entropy, and reports it and the accuracy for `model`.
inline Variable classify(Chain& model, const Variable& logits, const Variable& t, const Variable& more_loss = {}) {
  Variable loss = F::softmax_cross_entropy(logits, t);
  if (more_loss) loss = loss + more_loss;
  report({{"loss", loss}, {"accuracy", F::accuracy(logits, t)}}, &model);
  return loss;
}
inline Variable pool(const Variable& x) { return F::max_pooling_2d(x, 3, {.stride = 2}); }
/// The mean of each channel.
inline Variable global_average(const Variable& x) {
  const Shape& s = x.shape();
  return F::reshape(F::average_pooling_2d(x, {s[2], s[3]}), {s[0], s[1]});
}

/// Three convolutions, for quick trials on small images.
struct Small : Chain {
  static constexpr int64_t kInsize = 64;
  L::Convolution2D conv1{16, 5, {.stride = 4, .pad = 2}}, conv2{32, 3, {.stride = 2, .pad = 1}},
      conv3{64, 3, {.stride = 2, .pad = 1}};
  L::Linear out{kClasses};
  CHAINER_MEMBERS(Small, conv1, conv2, conv3, out);
  Variable forward(const Variable& x, const Variable& t) {
    const Variable h = F::relu(conv3(F::relu(conv2(F::relu(conv1(x))))));
    return classify(*this, out(global_average(F::dropout(h))), t);
  }
};

/// Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", on one device.
struct Alex : Chain {
  static constexpr int64_t kInsize = 227;
  L::Convolution2D conv1{96, 11, {.stride = 4}}, conv2{256, 5, {.pad = 2}}, conv3{384, 3, {.pad = 1}},
      conv4{384, 3, {.pad = 1}}, conv5{256, 3, {.pad = 1}};
  L::Linear fc6{4096}, fc7{4096}, fc8{kClasses};
  CHAINER_MEMBERS(Alex, conv1, conv2, conv3, conv4, conv5, fc6, fc7, fc8);
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = pool(F::local_response_normalization(F::relu(conv1(x))));
    h = pool(F::local_response_normalization(F::relu(conv2(h))));
    h = F::relu(conv4(F::relu(conv3(h))));
    h = pool(F::relu(conv5(h)));
    h = F::dropout(F::relu(fc6(h)));
    h = F::dropout(F::relu(fc7(h)));
    return classify(*this, fc8(h), t);
  }
};

/// Network in network (Lin et al., arXiv:1312.4400).
struct Nin : Chain {
  static constexpr int64_t kInsize = 227;
  L::MLPConvolution2D mlpconv1, mlpconv2, mlpconv3, mlpconv4;
  Nin()
      : mlpconv1(std::nullopt, {96, 96, 96}, 11, options(4, 0)),
        mlpconv2(std::nullopt, {256, 256, 256}, 5, options(1, 2)),
        mlpconv3(std::nullopt, {384, 384, 384}, 3, options(1, 1)),
        mlpconv4(std::nullopt, {1024, 1024, kClasses}, 3, options(1, 1)) {}
  CHAINER_MEMBERS(Nin, mlpconv1, mlpconv2, mlpconv3, mlpconv4);
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = pool(F::relu(mlpconv1(x)));
    h = pool(F::relu(mlpconv2(h)));
    h = pool(F::relu(mlpconv3(h)));
    return classify(*this, global_average(mlpconv4(F::dropout(h))), t);
  }

 private:
  static L::MLPConvolution2DOptions options(int64_t stride, int64_t pad) {
    return {.stride = stride, .pad = pad, .conv_init = initializers::HeNormal()};
  }
};

/// GoogLeNet (Szegedy et al., arXiv:1409.4842), with two auxiliary classifiers during training.
struct GoogLeNet : Chain {
  static constexpr int64_t kInsize = 224;
  /// The auxiliary classifier on the output of a module.
  struct Aside : Chain {
    L::Convolution2D conv{128, 1};
    L::Linear fc1{1024}, fc2{kClasses};
    CHAINER_MEMBERS(Aside, conv, fc1, fc2);
    Variable forward(const Variable& x) {
      const Variable h = F::relu(conv(F::average_pooling_2d(x, 5, {.stride = 3})));
      return fc2(F::relu(fc1(h)));
    }
  };
  L::Convolution2D conv1{64, 7, {.stride = 2, .pad = 3}}, conv2_reduce{64, 1}, conv2{192, 3, {.pad = 1}};
  std::vector<L::Inception> inc;
  Aside loss1, loss2;
  L::Linear loss3_fc{kClasses};
  GoogLeNet() {
    constexpr int64_t kSizes[][6] = {
        {64, 96, 128, 16, 32, 32},     {128, 128, 192, 32, 96, 64},   {192, 96, 208, 16, 48, 64},
        {160, 112, 224, 24, 64, 64},   {128, 128, 256, 24, 64, 64},   {112, 144, 288, 32, 64, 64},
        {256, 160, 320, 32, 128, 128}, {256, 160, 320, 32, 128, 128}, {384, 192, 384, 48, 128, 128}};
    for (const auto& s : kSizes) inc.emplace_back(std::nullopt, s[0], s[1], s[2], s[3], s[4], s[5]);
  }
  CHAINER_MEMBERS(GoogLeNet, conv1, conv2_reduce, conv2, inc, loss1, loss2, loss3_fc);
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::local_response_normalization(pool(F::relu(conv1(x))), {.n = 5});
    h = F::relu(conv2(F::relu(conv2_reduce(h))));
    h = pool(F::local_response_normalization(h, {.n = 5}));
    Variable more;
    const auto aside = [&](Aside& classifier) {
      if (!config().train) return;
      const Variable loss = F::softmax_cross_entropy(classifier(h), t) * 0.3;
      more = more ? more + loss : loss;
    };
    for (std::size_t i = 0; i < inc.size(); ++i) {
      if (i == 2 || i == 7) h = pool(h);
      h = inc[i](h);
      if (i == 2) aside(loss1);
      if (i == 5) aside(loss2);
    }
    return classify(*this, loss3_fc(F::dropout(global_average(h), 0.4)), t, more);
  }
};

/// GoogLeNet with batch normalization (Ioffe & Szegedy, arXiv:1502.03167).
struct GoogLeNetBN : Chain {
  static constexpr int64_t kInsize = 224;
  L::Convolution2D conv1{64, 7, {.stride = 2, .pad = 3, .nobias = true}}, conv2{192, 3, {.pad = 1, .nobias = true}};
  L::BatchNormalization norm1{64}, norm2{192};
  std::vector<L::InceptionBN> inc;
  L::Linear out{kClasses};
  GoogLeNetBN() {
    struct Module {
      int64_t out1, proj3, out3, proj33, out33, proj_pool;
      L::PoolType pool;
    };
    constexpr auto avg = L::PoolType::avg, max = L::PoolType::max;
    for (const Module& m : {Module{64, 64, 64, 64, 96, 32, avg}, Module{64, 64, 96, 64, 96, 64, avg},
                            Module{0, 128, 160, 64, 96, 0, max}, Module{224, 64, 96, 96, 128, 128, avg},
                            Module{192, 96, 128, 96, 128, 128, avg}, Module{128, 128, 160, 128, 160, 128, avg},
                            Module{64, 128, 192, 160, 192, 128, avg}, Module{0, 128, 192, 192, 256, 0, max},
                            Module{352, 192, 320, 160, 224, 128, avg}, Module{352, 192, 320, 192, 224, 128, max}}) {
      L::InceptionBNOptions o;
      if (m.proj_pool) o.proj_pool = m.proj_pool;
      o.stride = m.out1 ? 1 : 2;
      inc.emplace_back(std::nullopt, m.out1, m.proj3, m.out3, m.proj33, m.out33, m.pool, o);
    }
  }
  CHAINER_MEMBERS(GoogLeNetBN, conv1, conv2, norm1, norm2, inc, out);
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = pool(F::relu(norm1(conv1(x))));
    h = pool(F::relu(norm2(conv2(h))));
    for (L::InceptionBN& module : inc) h = module(h);
    return classify(*this, out(global_average(h)), t);
  }
};

/// Convolutions of 1x1, 3x3 and 1x1 with a shortcut; with groups, the block of ResNeXt.
struct Bottleneck : Chain {
  L::Convolution2D conv1, conv2, conv3;
  L::BatchNormalization bn1, bn2, bn3;
  std::optional<L::Convolution2D> conv4;
  std::optional<L::BatchNormalization> bn4;
  /// With `projects` the shortcut is a 1x1 convolution with the same stride.
  Bottleneck(int64_t in, int64_t mid, int64_t out, int64_t stride, int64_t groups, bool projects)
      : conv1(in, mid, 1, options(1, 0, 1)),
        conv2(mid, mid, 3, options(stride, 1, groups)),
        conv3(mid, out, 1, options(1, 0, 1)),
        bn1(mid),
        bn2(mid),
        bn3(out) {
    if (!projects) return;
    conv4.emplace(in, out, 1, options(stride, 0, 1));
    bn4.emplace(out);
  }
  CHAINER_MEMBERS(Bottleneck, conv1, conv2, conv3, bn1, bn2, bn3, conv4, bn4);
  Variable forward(const Variable& x) {
    Variable h = F::relu(bn1(conv1(x)));
    h = F::relu(bn2(conv2(h)));
    h = bn3(conv3(h));
    return F::relu(h + (conv4 ? (*bn4)((*conv4)(x)) : x));
  }

 private:
  static L::ConvolutionOptions options(int64_t stride, int64_t pad, int64_t groups) {
    return {.stride = stride, .pad = pad, .nobias = true, .initialW = initializers::HeNormal(), .groups = groups};
  }
};

/// ResNet50 (He et al., arXiv:1512.03385); with groups, ResNeXt50 (Xie et al., arXiv:1611.05431).
struct ResNet : Chain {
  static constexpr int64_t kInsize = 224;
  L::Convolution2D conv1;
  L::BatchNormalization bn1{64};
  std::vector<Bottleneck> blocks;
  L::Linear fc{kClasses};
  explicit ResNet(int64_t groups)
      : conv1(3, 64, 7, {.stride = 2, .pad = 3, .nobias = true, .initialW = initializers::HeNormal()}) {
    int64_t in = 64, mid = groups > 1 ? 128 : 64, out = 256;
    for (const int64_t layers : {3, 4, 6, 3}) {
      for (int64_t i = 0; i < layers; ++i) {
        blocks.emplace_back(in, mid, out, i == 0 && out > 256 ? 2 : 1, groups, i == 0);
        in = out;
      }
      mid *= 2, out *= 2;
    }
  }
  CHAINER_MEMBERS(ResNet, conv1, bn1, blocks, fc);
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = pool(F::relu(bn1(conv1(x))));
    for (Bottleneck& block : blocks) h = block(h);
    return classify(*this, fc(global_average(h)), t);
  }
};

}  // namespace imagenet
