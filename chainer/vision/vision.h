// SPDX-License-Identifier: MIT
// L: networks for images (manual: "VGG Networks", "GoogLeNet", "Residual Networks"), which load their weights by
// serializers and datasets.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/array/per_axis.h"
#include "chainer/links/inception.h"
#include "chainer/links/members.h"
#include "chainer/links/links.h"

namespace chainer {
namespace links {

/// The source of a model's weights: "auto" for the release's file in the dataset cache
/// ($CHAINER_DATASET_ROOT/pfnet/chainer/models), the path of an NPZ file or of a Caffe model (.caffemodel), or
/// std::nullopt for random weights. If the cache has only the Caffe model, the NPZ file is created from it.
/// Constructors throw FileError, naming the expected file, if it is missing.
using PretrainedModel = std::optional<std::string>;

namespace caffe {
class CaffeFunction;
}

/// Base of networks with named layers.
class VisionModel : public Chain {
 public:
  /// One layer: a sequence of functions.
  struct Stage {
    std::string name;
    std::vector<std::function<Variable(const Variable&)>> functions;
  };
  /// Returns all layers in order.
  virtual std::vector<Stage> functions() = 0;
  std::vector<std::string> available_layers();
  /// Returns the class probabilities (N, classes), layer "prob", of prepared images (N, 3, h, w).
  Variable forward(const Variable& x);
  /// Returns the results of the named layers; later layers are not computed. Throws ValueError for an unknown name.
  NamedVariables forward(const Variable& x, const std::vector<std::string>& layers);
  /// Returns the results of forward() in test mode for images resized to `size` by prepare() (not resized if `size` is
  /// not given).
  NamedVariables extract(const std::vector<Array>& images, const std::vector<std::string>& layers,
                         const PerAxis& size = {224, 224});
  /// Returns the class probabilities (N, classes) of images, in test mode and without a graph: the mean over ten crops
  /// of 224 x 224 from the images resized to 256 x 256 (corners, middle, and their mirror images), or the middle only.
  Variable predict(const std::vector<Array>& images, bool oversample = true);

 protected:
  /// `name` is the file name of the release for "auto".
  VisionModel(const PretrainedModel& model, const std::string& name);
  /// Returns `without_file`, or zeros if the weights will be loaded from a file.
  InitializerArg first_weights(const InitializerArg& without_file) const;
  /// Loads the file, if there is one.
  void load_weights();
  /// Copies the weights of the published Caffe model. Throws KeyError for a missing layer, ValueError or TypeError for
  /// a layer of another shape or type.
  virtual void take_caffe_weights(const caffe::CaffeFunction& source) = 0;
  virtual Array prepare(const Array& image, const PerAxis& size) const = 0;
  /// Returns the layer whose result is the input of stage `name`; empty if this is the preceding one.
  virtual std::string input_of(const std::string& name) const { return (void)name, std::string(); }

 private:
  std::string weights_;  // the file
  std::string keep_as_;  // the NPZ file to create from it
};

namespace vgg {
/// Converts an image of bytes, gray (h, w) or (1, h, w), RGB (h, w, 3) or (3, h, w), or with alpha, which is dropped,
/// (h, w, 2), (h, w, 4) or (4, h, w), to the input of VGG: resized to `size` (bicubic; not resized if `size` is not
/// given), BGR, minus the mean color, float32 (3, h, w). Throws DimensionError for another shape, ValueError unless the
/// size is positive.
Array prepare(const Array& image, const PerAxis& size = {224, 224});
}  // namespace vgg
/// VGG with 16 or 19 layers (ValueError otherwise). Without a file, weights are from N(0, 0.01^2). Simonyan &
/// Zisserman, arXiv:1409.1556.
class VGGLayers : public VisionModel {
 public:
  explicit VGGLayers(const PretrainedModel& pretrained_model = "auto", int64_t n_layers = 16);
  /// Creates an NPZ file for the constructor from the published Caffe model.
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz,
                                        int64_t n_layers = 16);
  std::vector<Stage> functions() override;
  Convolution2D conv1_1, conv1_2, conv2_1, conv2_2, conv3_1, conv3_2, conv3_3, conv4_1, conv4_2, conv4_3, conv5_1,
      conv5_2, conv5_3;
  Linear fc6, fc7, fc8;
  std::optional<Convolution2D> conv3_4, conv4_4, conv5_4;  ///< only with 19 layers
  CHAINER_DECLARE_MEMBERS(VGGLayers);

 protected:
  Array prepare(const Array& image, const PerAxis& size) const override { return vgg::prepare(image, size); }
  void take_caffe_weights(const caffe::CaffeFunction& source) override;
};
class VGG16Layers : public VGGLayers {
 public:
  explicit VGG16Layers(const PretrainedModel& pretrained_model = "auto") : VGGLayers(pretrained_model, 16) {}
};
class VGG19Layers : public VGGLayers {
 public:
  explicit VGG19Layers(const PretrainedModel& pretrained_model = "auto") : VGGLayers(pretrained_model, 19) {}
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz) {
    VGGLayers::convert_caffemodel_to_npz(path_caffemodel, path_npz, 19);
  }
};

namespace googlenet {
/// vgg::prepare() with the mean color of GoogLeNet.
Array prepare(const Array& image, const PerAxis& size = {224, 224});
}  // namespace googlenet
/// GoogLeNet. The auxiliary outputs are the layers "loss1_fc2" and "loss2_fc2". Without a file, weights are from
/// LeCunUniform. Szegedy et al., arXiv:1409.4842.
class GoogLeNet : public VisionModel {
 public:
  explicit GoogLeNet(const PretrainedModel& pretrained_model = "auto");
  /// Creates an NPZ file for the constructor from the published Caffe model.
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz);
  std::vector<Stage> functions() override;
  Convolution2D conv1, conv2_reduce, conv2;
  Inception inc3a, inc3b, inc4a, inc4b, inc4c, inc4d, inc4e, inc5a, inc5b;
  Linear loss3_fc;
  Convolution2D loss1_conv;
  Linear loss1_fc1, loss1_fc2;
  Convolution2D loss2_conv;
  Linear loss2_fc1, loss2_fc2;
  CHAINER_DECLARE_MEMBERS(GoogLeNet);

 protected:
  Array prepare(const Array& image, const PerAxis& size) const override { return googlenet::prepare(image, size); }
  void take_caffe_weights(const caffe::CaffeFunction& source) override;
  std::string input_of(const std::string& name) const override;
};

namespace resnet {
/// vgg::prepare() with the mean color of ResNet.
Array prepare(const Array& image, const PerAxis& size = {224, 224});
}  // namespace resnet
/// A residual block that changes the number of channels and the size: relu(conv3(conv2(conv1(x))) + conv4(x)), each
/// convolution with its batch normalization. x (N, in_channels, h, w) to (N, out_channels, h / stride, w / stride).
class BottleneckA : public Chain {
 public:
  BottleneckA(int64_t in_channels, int64_t mid_channels, int64_t out_channels, int64_t stride,
              const InitializerArg& initialW, bool downsample_fb);
  Variable forward(const Variable& x);
  Convolution2D conv1;
  BatchNormalization bn1;
  Convolution2D conv2;
  BatchNormalization bn2;
  Convolution2D conv3;
  BatchNormalization bn3;
  Convolution2D conv4;
  BatchNormalization bn4;
  CHAINER_DECLARE_MEMBERS(BottleneckA);
};
/// A residual block that keeps the shape (N, in_channels, h, w): relu(conv3(conv2(conv1(x))) + x).
class BottleneckB : public Chain {
 public:
  BottleneckB(int64_t in_channels, int64_t mid_channels, const InitializerArg& initialW);
  Variable forward(const Variable& x);
  Convolution2D conv1;
  BatchNormalization bn1;
  Convolution2D conv2;
  BatchNormalization bn2;
  Convolution2D conv3;
  BatchNormalization bn3;
  CHAINER_DECLARE_MEMBERS(BottleneckB);
};
/// A BottleneckA, `a`, followed by n_layer - 1 BottleneckB: `b1`, `b2`, ...
class BuildingBlock : public Chain {
 public:
  BuildingBlock(int64_t n_layer, int64_t in_channels, int64_t mid_channels, int64_t out_channels, int64_t stride,
                const InitializerArg& initialW, bool downsample_fb);
  Variable forward(const Variable& x);
  BottleneckA a;
  CHAINER_DECLARE_MEMBERS(BuildingBlock);
};
/// ResNet with 50, 101 or 152 layers (ValueError otherwise). With downsample_fb the stride of a block is that of its
/// 3x3 convolution, else that of its first 1x1 convolution. Without a file, weights are from HeNormal. He et al.,
/// arXiv:1512.03385.
class ResNetLayers : public VisionModel {
 public:
  ResNetLayers(const PretrainedModel& pretrained_model, int64_t n_layers, bool downsample_fb = false);
  /// Creates an NPZ file for the constructor from the published Caffe model.
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz,
                                        int64_t n_layers = 50);
  std::vector<Stage> functions() override;
  Convolution2D conv1;
  BatchNormalization bn1;
  BuildingBlock res2, res3, res4, res5;
  Linear fc6;
  CHAINER_DECLARE_MEMBERS(ResNetLayers);

 protected:
  Array prepare(const Array& image, const PerAxis& size) const override { return resnet::prepare(image, size); }
  void take_caffe_weights(const caffe::CaffeFunction& source) override;
};
class ResNet50Layers : public ResNetLayers {
 public:
  explicit ResNet50Layers(const PretrainedModel& pretrained_model = "auto", bool downsample_fb = false)
      : ResNetLayers(pretrained_model, 50, downsample_fb) {}
};
class ResNet101Layers : public ResNetLayers {
 public:
  explicit ResNet101Layers(const PretrainedModel& pretrained_model = "auto", bool downsample_fb = false)
      : ResNetLayers(pretrained_model, 101, downsample_fb) {}
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz,
                                        int64_t n_layers = 101) {
    ResNetLayers::convert_caffemodel_to_npz(path_caffemodel, path_npz, n_layers);
  }
};
class ResNet152Layers : public ResNetLayers {
 public:
  explicit ResNet152Layers(const PretrainedModel& pretrained_model = "auto", bool downsample_fb = false)
      : ResNetLayers(pretrained_model, 152, downsample_fb) {}
  static void convert_caffemodel_to_npz(const std::string& path_caffemodel, const std::string& path_npz,
                                        int64_t n_layers = 152) {
    ResNetLayers::convert_caffemodel_to_npz(path_caffemodel, path_npz, n_layers);
  }
};

}  // namespace links
namespace L = links;
}  // namespace chainer
