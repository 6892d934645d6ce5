// SPDX-License-Identifier: MIT
// Synchronizes parameters between ranks.
#pragma once
#include "chainer/mn/communicator_base.h"

namespace chainer::mn {

/// Returns true if all ranks have the same parameters, by paths, shapes, dtypes and a hash of the values. If values
/// differ, or some ranks have not initialized a parameter, copies those of rank 0 (or of the first rank that has it) to
/// all and returns false. Throws ValueError on all ranks if paths, shapes or dtypes differ. Collective.
bool synchronize_parameters(CommunicatorBase& comm, Link& model);

/// Initializes parameters that only some ranks have initialized, with the values of the first rank that has. Throws
/// ValueError on all ranks if paths, shapes or dtypes differ. Collective.
void initialize_parameters(CommunicatorBase& comm, Link& model);

/// Copies rank 0's parameters to all ranks (see CommunicatorBase::bcast_data). Collective.
void broadcast_parameters(CommunicatorBase& comm, Link& model);

}  // namespace chainer::mn
