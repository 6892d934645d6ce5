// SPDX-License-Identifier: MIT
// Access to warnings, for tests.
#pragma once
#include <string>

namespace chainer {

/// Returns the text of the latest warning, even if it was not printed again; empty before the first.
std::string last_warning();

}  // namespace chainer
