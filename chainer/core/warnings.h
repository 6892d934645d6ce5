// What was warned of, for tests.
#pragma once
#include <string>

namespace chainer {

/// The text of the newest warning, also where it had been printed before; empty before the first.
std::string last_warning();

}  // namespace chainer
