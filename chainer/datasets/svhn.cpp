// SPDX-License-Identifier: MIT
#include "chainer/autograd/config.h"
#include "chainer/core/system/file.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/datasets.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/matlab.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"

namespace chainer::datasets {
namespace {

// The cached NPZ has MATLAB's order of axes, as that of the reference release: (32, 32, 3, n) and (n, 1).
AnyDataset part(const char* name, const char* md5, const SvhnOptions& o) {
  const auto arrays = dataset::cached_npz(text("svhn/", name, ".npz"), {"x", "y"}, [&] {
    const std::string file = text(name, "_32x32.mat");
    const dataset::KnownFile known{"http://ufldl.stanford.edu/housenumbers/" + file, "svhn/" + file, md5};
    const auto raw = dataset::parse_matlab(read_file(dataset::known_download(known)), known.url);
    const auto array = [&](const char* key) {
      const auto it = raw.find(key);
      if (it == raw.end()) throw FileError(known.url, ": no array '", key, "'");
      return it->second.astype(uint8);
    };
    return dataset::ArraysByName{{"x", array("X")}, {"y", array("y")}};
  });
  Array x = arrays.at("x"), y = arrays.at("y").reshape({-1});
  if (x.ndim() != 4 || x.shape()[2] != 3 || x.shape()[3] != y.size())
    throw FileError("svhn/", name, ".npz: pictures of shape ", x.shape(), " for ", y.size(), " labels");
  x = x.transpose({3, 2, 0, 1}).astype(get_dtype(o.dtype));
  x *= o.scale / 255.0;
  if (!o.withlabel) return AnyDataset(x);
  // In the files digits are numbered from 1 to 10, where 10 stands for 0.
  Array labels({y.size()}, uint8);
  const Array plain = y.astype(uint8);
  const auto* from = plain.data<uint8_t>();
  auto* to = labels.mutable_data<uint8_t>();
  for (int64_t i = 0; i < y.size(); ++i) to[i] = from[i] == 10 ? 0 : from[i];
  return TupleDataset(x, labels.astype(o.label_dtype));
}

}  // namespace

TrainTestExtra get_svhn(const SvhnOptions& o) {
  TrainTestExtra out;
  out.train = part("train", "e26dedcc434d2e4c54c9b2d4a06d8373", o);
  out.test = part("test", "eb5a983be6a315427106f1b164d9cef3", o);
  if (o.add_extra) out.extra = part("extra", "a93ce644f1a588dc4d68dda5feec44a7", o);
  return out;
}

}  // namespace chainer::datasets
