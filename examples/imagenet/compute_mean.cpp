// SPDX-License-Identifier: MIT
// The mean picture of a training list, for subtract_mean(): compute_mean [--root FOLDER] [--output FILE.npy] LIST
//
// LIST contains lines of a path and a label, as for LabeledImageDataset; all pictures have the same size. Expected: the
// mean of 5,000 CIFAR pictures has channel means near 125, 123 and 114.
#include <chainer/chainer.h>

#include <cstdio>

#include "chainer/routines/npy.h"

using namespace chainer;

int main(int argc, char** argv) {
  std::string list, root = ".", output = "mean.npy";
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if ((a == "--root" || a == "--output") && i + 1 < argc)
      (a == "--root" ? root : output) = argv[++i];
    else if (a.rfind("--", 0) != 0 && list.empty())
      list = a;
    else
      list.clear(), i = argc;
  }
  if (list.empty()) {
    std::fprintf(stderr, "usage: compute_mean [--root FOLDER] [--output FILE.npy] LIST\n");
    return 2;
  }
  try {
    const datasets::LabeledImageDataset pictures(list, {.root = root});
    const Array mean = transforms::compute_mean(pictures);
    save_npy(output, mean);
    const auto channels = chainer::mean(mean, {1, 2}).to_vector<double>();
    std::printf("%lld pictures; channel means", static_cast<long long>(pictures.size()));
    for (double v : channels) std::printf(" %.2f", v);
    std::printf("; written to %s\n", output.c_str());
  } catch (const Error& e) {
    std::fprintf(stderr, "compute_mean: %s\n", e.what());
    return 1;
  }
}
