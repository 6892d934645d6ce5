// SPDX-License-Identifier: MIT
// Models have the same bytes, and are read equally, on machines of either byte order.
#include <chainer/chainer.h>
#include <chainer/core/system/file.h>
#include <chainer/datasets/md5.h>
#include <chainer/links/caffe/net.h>
#include <chainer/onnx/model_file.h>

#include "folder.h"
#include "test.h"

using namespace chainer;

TEST(models_have_the_same_bytes_on_every_machine) {
  std::string tensors;
  for (const Dtype d : {bool_, int8, int16, int32, int64, uint8, float16, float32, float64}) {
    const Array a = (arange(6).reshape({2, 3}) * 19).astype(d);
    tensors += onnx::write_tensor(a, text(d));
    const Array b = onnx::read_tensor(onnx::write_tensor(a, text(d)), text(d));
    EXPECT_EQ(b.dtype(), d);
    EXPECT_CLOSE(b, a, {.atol = 0, .rtol = 0});
  }
  EXPECT_EQ(dataset::md5(tensors), "406c4094632231a0cc83ddb8511f3324");

  caffe::Net net;
  net.name = "net";
  caffe::Layer& l = net.layers.emplace_back();
  l.name = "fc", l.type = "InnerProduct", l.num_output = 2;
  l.blobs = {arange(6).reshape({2, 3}).astype(float32) * 0.5f, array({1.f, -2.f})};
  const std::string bytes = caffe::write_net(net);
  EXPECT_EQ(dataset::md5(bytes), "6edd117d1b606dd900ddcb2494e1f18e");
  write_file(test::folder / "same_bytes.caffemodel", bytes);
  for (const caffe::Net& read :
       {caffe::read_net(test::folder / "same_bytes.caffemodel"), caffe::read_net(bytes, "net")})
    for (std::size_t i = 0; i < 2; ++i) EXPECT_CLOSE(read.layers.at(0).blobs.at(i), l.blobs[i], {.atol = 0, .rtol = 0});
}
