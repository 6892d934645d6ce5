// SPDX-License-Identifier: MIT
// Caffe models that the release wrote or reads (tests/interop/make_caffe.py).
#include <chainer/chainer.h>

#include "chainer/links/caffe/caffe_function.h"
#include "chainer/links/caffe/net.h"
#include "test.h"

using namespace chainer;

namespace {

const std::string data = TEST_DATA "caffe/";

// The result of a file's net for x in test mode; empty in a build without protobuf.
Array result_of(const std::string& name, const Array& x, const std::string& blob) {
  try {
    L::caffe::CaffeFunction f(data + name + ".caffemodel");
    const UsingConfig test_mode(&Config::train, false);
    return f({{"data", x}}, {blob})[0].array();
  } catch (const MissingPartError& e) {
    EXPECT(std::string(e.what()).find("protobuf") != std::string::npos);
    return {};
  }
}

}  // namespace

TEST(files_of_both_forms_compute_what_the_release_computes) {
  const serializers::NpzFile expected(data + "expected.npz");
  for (const std::string name : {"old", "new"})
    if (const Array y = result_of(name, expected.array(name + "_x"), "prob"))
      EXPECT_CLOSE(y, expected.array(name + "_y"));
}

TEST(a_model_that_the_release_exports_computes_the_same) {
  const serializers::NpzFile expected(data + "expected.npz");
  if (const Array y = result_of("exported", expected.array("exported_x"), expected.text("exported_name")))
    EXPECT_CLOSE(y, expected.array("exported_y"));
}

TEST(a_file_is_read_with_the_shapes_that_it_declares) {
  chainer::caffe::Net checked, declared;
  try {
    checked = chainer::caffe::read_net(data + "old.caffemodel");
    declared = chainer::caffe::read_net(data + "old.caffemodel", chainer::caffe::BlobShapes::declared);
  } catch (const MissingPartError&) { return; }
  EXPECT_EQ(checked.layers.size(), declared.layers.size());
  for (std::size_t i = 0; i < checked.layers.size(); ++i) {
    const auto &a = checked.layers[i], &b = declared.layers[i];
    EXPECT_EQ(a.blobs.size(), b.blobs.size());
    EXPECT(a.blob_shapes.empty());
    EXPECT_EQ(b.blobs.size(), b.blob_shapes.size());
    for (std::size_t k = 0; k < a.blobs.size(); ++k) {
      EXPECT_EQ(a.blobs[k].shape(), Shape(b.blob_shapes[k]));
      EXPECT_CLOSE(a.blobs[k].ravel(), b.blobs[k]);
    }
  }
}
