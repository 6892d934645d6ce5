// SPDX-License-Identifier: MIT
// Classifies a picture with VGG16 or ResNet-50 and weights trained on ImageNet.
//
//   build/release/examples/classify_image/classify_image PICTURE --model resnet50 --weights ResNet-50-model.npz
//
// Weights are an NPZ file of release 5.4.0 (its class method convert_caffemodel_to_npz makes one from the authors'
// file). Prints the five most probable classes with their probabilities, by name with --labels, a text file with one
// name per line. --random uses untrained weights to test the program; then all classes are about equally probable.
#include <chainer/chainer.h>

#include <fstream>

#include "../common/options.h"
#include "../common/pictures.h"

using namespace chainer;

namespace {

template <class Net>
Array classify(Net net, const Array& picture, const Device& device) {
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  net.to_device(device);
  return net.predict({picture}).array()[0].to_device(Device());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("classify_image", [&] {
    std::string picture, model = "resnet50", weights, labels, on = "@cpu";
    bool untrained = false;
    long seed = -1;
    examples::Options options("classify_image", "Classifies a picture: classify_image PICTURE.");
    options.add_positional("PICTURE", "a JPEG, PNG, BMP or PNM file; a drawn picture by default", picture);
    options.add("--model", "vgg16 or resnet50", model);
    options.add("--weights", "the NPZ file of weights; by default the file of the model in the cache", weights);
    options.add("--labels", "a text file with the name of a class on each line", labels);
    options.add("--random", "use random weights", untrained);
    options.add("--seed", "seed of the random weights; -1: taken from the system", seed, -1);
    examples::add_device(options, on);
    options.parse(argc, argv);
    if (seed >= 0) random::seed(static_cast<uint32_t>(seed));
    if (model != "vgg16" && model != "resnet50") throw ValueError("--model is vgg16 or resnet50, not '", model, "'");

    const Array x =
        picture.empty() ? examples::DrawnPictures(1, 4, 0, 255, 256).get(0)[0] : dataset::read_image(picture, float32);
    const L::PretrainedModel source = untrained         ? L::PretrainedModel()
                                      : weights.empty() ? L::PretrainedModel("auto")
                                                        : L::PretrainedModel(weights);
    const Device device = get_device(on);
    const Array p =
        model == "vgg16" ? classify(L::VGG16Layers(source), x, device) : classify(L::ResNet50Layers(source), x, device);
    std::vector<std::string> names;
    if (!labels.empty()) {
      std::ifstream in(labels);
      if (!in) throw FileError("cannot read ", labels);
      for (std::string line; std::getline(in, line);) names.push_back(line);
    }
    const Array order = argsort(p);
    for (int64_t i = 1; i <= 5; ++i) {
      const int64_t label = order[-i].item<int64_t>();
      const auto at = static_cast<std::size_t>(label);
      std::printf("%7.4f  %s\n", p[label].item<double>(),
                  at < names.size() ? names[at].c_str() : text("class ", label).c_str());
    }
  });
}
