// Computes the mean of the images of a list, for train_imagenet.
//
//   build/release/examples/imagenet/compute_mean train.txt --root FOLDER --out mean.npy
//
// The images have one shape, (3, 256, 256) for train_imagenet.
#include <chainer/chainer.h>

#include "../common/options.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("compute_mean", [&] {
    std::string list, root = ".", out = "mean.npy";
    examples::Options options("compute_mean", "Computes the mean of images: compute_mean LIST.");
    options.add_positional("LIST", "paths and labels of the images", list);
    options.add("--root", "the folder of the images", root);
    options.add("--out", "the file to write", out);
    options.parse(argc, argv);
    if (list.empty()) throw ValueError("a list of images is needed");
    const datasets::LabeledImageDataset images(list, {.root = root, .dtype = float32});
    if (images.size() == 0) throw ValueError(list, " names no image");
    Array sum;
    for (int64_t i = 0; i < images.size(); ++i) {
      const Array x = images[i][0].astype(float64);
      if (sum && x.shape() != sum.shape())
        throw ValueError("image ", i, " has shape ", x.shape(), ", those before it ", sum.shape());
      sum = sum ? sum + x : x;
    }
    save_npy(out, (sum / static_cast<double>(images.size())).astype(float32));
    std::printf("the mean of %lld images is in %s\n", static_cast<long long>(images.size()), out.c_str());
  });
}
