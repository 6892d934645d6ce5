// SPDX-License-Identifier: MIT
#include "chainer/mn/extensions.h"

namespace chainer::mn {

void steer_together(training::extensions::CommandsExtension& commands, const Communicator& comm) {
  if (!comm) throw TypeError("steer_together: the communicator is nullptr");
  commands.share(comm->rank() == 0,
                 [comm](const std::string& requests) { return comm->bcast_obj(Object(requests)).to_text(); });
}

}  // namespace chainer::mn
