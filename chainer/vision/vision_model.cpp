// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>

#include "chainer/autograd/config.h"
#include "chainer/datasets/download.h"
#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/links/caffe/caffe_function.h"
#include "chainer/routines/manipulation.h"
#include "chainer/serializers/serializers.h"
#include "chainer/vision/vision.h"

namespace chainer::links {

namespace {

// The device that images go to after they are prepared on the host.
Device device_of_weights(const VisionModel& model) {
  const auto weights = model.params(false);
  return weights.empty() ? Device() : weights[0].array().device();
}

}  // namespace

std::vector<std::string> VisionModel::available_layers() {
  std::vector<std::string> names;
  for (const Stage& s : functions()) names.push_back(s.name);
  return names;
}

Variable VisionModel::forward(const Variable& x) { return forward(x, std::vector<std::string>{"prob"}).at("prob"); }

NamedVariables VisionModel::forward(const Variable& x, const std::vector<std::string>& layers) {
  const std::vector<Stage> stages = functions();
  for (const std::string& name : layers)
    if (std::none_of(stages.begin(), stages.end(), [&](const Stage& s) { return s.name == name; }))
      throw ValueError("no layer '", name, "'; available_layers() lists the names");
  NamedVariables results, inputs;  // inputs: of stages whose input is not the stage before
  Variable h = x;
  for (const Stage& stage : stages) {
    if (std::all_of(layers.begin(), layers.end(), [&](const std::string& name) { return results.contains(name); }))
      break;
    if (const std::string from = input_of(stage.name); !from.empty()) h = inputs.at(from);
    for (const auto& f : stage.functions) h = f(h);
    if (std::find(layers.begin(), layers.end(), stage.name) != layers.end()) results[stage.name] = h;
    for (const Stage& later : stages)
      if (input_of(later.name) == stage.name) inputs[stage.name] = h;
  }
  return results;
}

NamedVariables VisionModel::extract(const std::vector<Array>& images, const std::vector<std::string>& layers,
                                    const PerAxis& size) {
  Arrays prepared;
  for (const Array& image : images) prepared.push_back(prepare(image, size));
  const UsingConfig test_mode(&Config::train, false);
  return forward(stack(prepared).to_device(device_of_weights(*this)), layers);
}

Variable VisionModel::predict(const std::vector<Array>& images, bool oversample) {
  constexpr int64_t kWhole = 256, kCrop = 224, kMiddle = (kWhole - kCrop) / 2;
  Arrays prepared;
  for (const Array& image : images) prepared.push_back(prepare(image, kWhole));
  const Array all = stack(prepared).to_device(device_of_weights(*this));
  const auto crop = [&](int64_t top, int64_t left) {
    return all[{Slice(), Slice(), Slice(top, top + kCrop), Slice(left, left + kCrop)}];
  };
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  if (!oversample) return forward(crop(kMiddle, kMiddle));
  Arrays crops;
  for (const auto& [top, left] : {std::pair<int64_t, int64_t>{0, 0},
                                  {0, kWhole - kCrop},
                                  {kWhole - kCrop, 0},
                                  {kWhole - kCrop, kWhole - kCrop},
                                  {kMiddle, kMiddle}}) {
    crops.push_back(crop(top, left));
    crops.push_back(flip(crops.back(), 3));
  }
  const Variable y = forward(concatenate(crops, 0));
  const auto count = static_cast<int64_t>(crops.size());
  return functions::mean(functions::reshape(y, {count, static_cast<int64_t>(images.size()), y.shape(1)}), 0);
}

VisionModel::VisionModel(const PretrainedModel& model, const std::string& name) {
  if (!model) return;
  std::filesystem::path path = *model;
  if (*model == "auto") {
    path = dataset::get_dataset_root() / "pfnet" / "chainer" / "models" / name;
    if (!std::filesystem::exists(path)) {
      const std::filesystem::path caffe = std::filesystem::path(path).replace_extension(".caffemodel");
      if (!std::filesystem::exists(caffe))
        throw FileError("no pretrained weights in ", path.parent_path().string(), ": put ", caffe.filename().string(),
                        " (as published for Caffe) or ", name,
                        " (as the reference release stores it) there, or pass the path of a file");
      path = caffe;
      keep_as_ = std::filesystem::path(caffe).replace_extension(".npz").string();
    }
  }
  if (!std::filesystem::exists(path))
    throw FileError("the file of pretrained weights ", path.string(), " does not exist");
  weights_ = path.string();
}
InitializerArg VisionModel::first_weights(const InitializerArg& without_file) const {
  return weights_.empty() ? without_file : InitializerArg(0.0);
}
void VisionModel::load_weights() {
  if (weights_.empty()) return;
  if (std::filesystem::path(weights_).extension() != ".caffemodel") {
    serializers::load_npz(weights_, static_cast<Link&>(*this));
    return;
  }
  take_caffe_weights(caffe::CaffeFunction(weights_));
  if (!keep_as_.empty()) serializers::save_npz(keep_as_, static_cast<Link&>(*this), false);
}

}  // namespace chainer::links
