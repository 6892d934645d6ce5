// SPDX-License-Identifier: MIT
// All links of a model, also those that it calls in place of others.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "chainer/links/link.h"

namespace chainer {

/// Returns the links of namedlinks() and those of wrapped() links among them (StaticChain, LowRankAdaptation), whose
/// paths begin with that of the link which stands for them. Each link is returned once.
std::vector<std::pair<std::string, Link*>> links_and_wrapped(const Link& model);

}  // namespace chainer
