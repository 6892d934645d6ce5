// SPDX-License-Identifier: MIT
// For builds without Boost.Math: the functions that need it throw MissingPartError.
#include <algorithm>
#include <array>

#include "chainer/backend/common/special.h"
#include "chainer/core/error.h"

namespace chainer::special {
namespace {

constexpr std::array<std::string_view, 6> kMissing = {"digamma", "erfcinv", "erfinv", "ndtri", "polygamma", "trigamma"};

}  // namespace

void expect_available(std::string_view name) {
  if (std::find(kMissing.begin(), kMissing.end(), name) != kMissing.end())
    throw MissingPartError(name, ": this build lacks Boost.Math (package libboost-dev)");
}

double digamma(double) { throw MissingPartError("digamma: this build lacks Boost.Math"); }
double erfcinv(double) { throw MissingPartError("erfcinv: this build lacks Boost.Math"); }
double erfinv(double) { throw MissingPartError("erfinv: this build lacks Boost.Math"); }
double polygamma(double, double) { throw MissingPartError("polygamma: this build lacks Boost.Math"); }

}  // namespace chainer::special
