// SPDX-License-Identifier: MIT
// L: modules of GoogLeNet (manual: "Link implementations").
#pragma once
#include "chainer/links/convolution.h"
#include "chainer/links/normalization.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of Inception.
struct InceptionOptions {
  InitializerArg conv_init = {};  ///< LeCunNormal by default
  InitializerArg bias_init = {};  ///< zero by default
};
/// Four parallel paths, concatenated along the channels and followed by a relu: conv1 (1x1, out1 channels), proj3 and
/// conv3 (1x1 to proj3, 3x3 to out3), proj5 and conv5 (1x1 to proj5, 5x5 to out5), and a 3x3 max pooling with projp
/// (1x1 to proj_pool). x (N, in_channels, h, w) to (N, out1 + out3 + out5 + proj_pool, h, w). forward() throws as the
/// convolutions do. Szegedy et al., arXiv:1409.4842.
///   L::Inception(4, 2, 3, 2, 3, 2, 1)(ones({1, 4, 6, 6}))
class Inception : public Chain {
 public:
  Inception(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3, int64_t out3, int64_t proj5, int64_t out5,
            int64_t proj_pool, const InceptionOptions& options = {});
  CHAINER_OTHER_OPTIONS(Inception, ".conv_init, .bias_init", std::optional<int64_t>, int64_t, int64_t, int64_t, int64_t,
                        int64_t, int64_t);
  Variable forward(const Variable& x);
  Convolution2D conv1, proj3, conv3, proj5, conv5, projp;
  CHAINER_DECLARE_MEMBERS(Inception);
};

enum class PoolType { max, avg };
/// Options of InceptionBN.
struct InceptionBNOptions {
  std::optional<int64_t> proj_pool = {};  ///< channels of a 1x1 convolution after the pooling, if there is one
  int64_t stride = 1;                     ///< stride of the last convolution of each path, and of the pooling
  InitializerArg conv_init = {};          ///< LeCunNormal by default
  std::optional<Dtype> dtype = {};        ///< dtype of the normalizations
};
/// Inception with a batch normalization after each convolution, two 3x3 convolutions (proj33 to out33 channels) instead
/// of the 5x5 one, and a choice of the pooling. Without the 1x1 path if out1 is 0; the constructor throws ValueError if
/// out1 is positive with a stride or without proj_pool. Ioffe & Szegedy, arXiv:1502.03167.
///   L::InceptionBN(4, 2, 3, 2, 3, 2, L::PoolType::avg, {.proj_pool = 1})(ones({2, 4, 6, 6}))
class InceptionBN : public Chain {
 public:
  InceptionBN(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3, int64_t out3, int64_t proj33,
              int64_t out33, PoolType pooltype, const InceptionBNOptions& options = {});
  CHAINER_OTHER_OPTIONS(InceptionBN, ".proj_pool, .stride, .conv_init, .dtype", std::optional<int64_t>, int64_t,
                        int64_t, int64_t, int64_t, int64_t, PoolType);
  Variable forward(const Variable& x);
  Convolution2D proj3, conv3, proj33, conv33a, conv33b;
  BatchNormalization proj3n, conv3n, proj33n, conv33an, conv33bn;
  std::optional<Convolution2D> conv1;
  std::optional<BatchNormalization> conv1n;
  std::optional<Convolution2D> poolp;
  std::optional<BatchNormalization> poolpn;
  CHAINER_DECLARE_MEMBERS(InceptionBN);

 private:
  PoolType pooltype_;
  int64_t stride_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
