// SPDX-License-Identifier: MIT
// Downloads in a build without libcurl: throws an error.
#include "chainer/core/error.h"
#include "chainer/datasets/download.h"

namespace chainer::dataset {

void fetch(const std::string& url, const std::filesystem::path&, bool, int64_t) {
  throw FileError("cannot download ", url,
                  ": this build has no libcurl; install libcurl4-openssl-dev and configure again");
}

}  // namespace chainer::dataset
