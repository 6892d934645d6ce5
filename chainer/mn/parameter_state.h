// Parameters that are the same in all ranks.
#pragma once
#include "chainer/mn/communicator_base.h"

namespace chainer::mn {

/// Collective: whether all ranks have the same parameters, by paths, shapes, dtypes and values (a hash of them). Where
/// values differ, or some ranks have initialized a parameter and others not, all take those of rank 0 (or of the first
/// rank that has it), and the answer is false. Other paths, shapes or dtypes are a ValueError on all ranks.
bool synchronize_parameters(CommunicatorBase& comm, Link& model);

/// Collective: rank 0's parameters in all ranks (see CommunicatorBase::bcast_data).
void broadcast_parameters(CommunicatorBase& comm, Link& model);

}  // namespace chainer::mn
