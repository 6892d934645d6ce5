// SPDX-License-Identifier: MIT
#include "chainer/links/caffe/net.h"

namespace chainer::caffe {
namespace {
[[noreturn]] void missing() {
  throw MissingPartError("Caffe models need protobuf, which this library was built without: install ",
                         "protobuf-compiler and libprotobuf-dev and build again");
}
}  // namespace

Net read_net(const std::filesystem::path&, BlobShapes) { missing(); }
Net read_net(std::string_view, const std::string&) { missing(); }
std::string write_net(const Net&) { missing(); }

}  // namespace chainer::caffe
