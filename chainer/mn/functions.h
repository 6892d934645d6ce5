// SPDX-License-Identifier: MIT
// Functions that communicate (manual: "Functions" of ChainerMN). Gradients are sent in the opposite direction, to any
// order.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/mn/communicator_base.h"
#include "chainer/core/other_options.h"

namespace chainer::mn::functions {

// Variables on devices pass through the host; results are on the device of the (first) argument. recv() and send()
// return variables on the host.

/// Options of recv().
struct RecvOptions {
  Variable delegate_variable = {};  ///< earlier communication of this rank, differentiated after this function
  int tag = 0;
};

/// Sends a variable, or several as a tuple, to another rank, and returns a delegate variable: a zero (float32, shape
/// ()) that holds the graph. Its backward receives the gradients of x from the other rank. A model that ends with
/// send() must return the delegate, and one that continues with recv() must pass the delegate to recv(); otherwise
/// backward waits until the wait limit and throws RuntimeError. (In the release the delegate is empty; this one has an
/// element, so that backward() can start from it.) Throws ValueError if there are no variables.
Variable send(const Variable& x, const Communicator& communicator, int rank, int tag = 0);
Variable send(const Variables& x, const Communicator& communicator, int rank, int tag = 0);

/// Receive the variables of send(); backward sends the gradients back, if the sender requires any. recv() returns one
/// variable (ValueError for several), recv_tuple() any number (the manual's force_tuple).
Variable recv(const Communicator& communicator, int rank, const RecvOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(recv, ".delegate_variable, .tag", const Communicator&, int);
Variables recv_tuple(const Communicator& communicator, int rank, const RecvOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(recv_tuple, ".delegate_variable, .tag", const Communicator&, int);

/// Return the actual variables, connected to the delegate: differentiating them also differentiates the communication
/// that the delegate represents, with a gradient of zero. Throw TypeError if there is no delegate, ValueError if there
/// are no actual variables.
Variables pseudo_connect(const Variable& delegate_variable, const Variables& actual_variables);
Variable pseudo_connect(const Variable& delegate_variable, const Variable& actual_variable);

// The following functions are collective, and so are their backward passes: each rank must differentiate its result.

/// Returns rank root's x on all ranks; arguments of other ranks are ignored and get a gradient of zero. Backward: the
/// sum of the gradients of all ranks on root.
Variable bcast(const Communicator& comm, const Variable& x, int root = 0);
/// Returns the x of all ranks, in order, on rank root, and one delegate variable on other ranks. Backward: scatter.
Variables gather(const Communicator& comm, const Variable& x, int root = 0);
/// Returns variable i of rank root's xs on rank i; arguments of other ranks are ignored and get a gradient of zero.
/// Backward: gather. Throws ValueError on all ranks unless there is one variable for each rank.
Variable scatter(const Communicator& comm, const Variables& xs, int root = 0);
/// Sends variable i of xs to rank i; variable i of the result is from rank i. Backward: alltoall. Throws ValueError
/// unless there is one variable for each rank.
Variables alltoall(const Communicator& comm, const Variables& xs);
/// Returns the x of all ranks, in order, on all ranks. Backward: the sum of the gradients of all ranks.
Variables allgather(const Communicator& comm, const Variable& x);
/// Returns the mean of the x of all ranks on all ranks. Backward: the mean of the gradients, because the losses of all
/// ranks depend on x.
Variable mean_over_ranks(const Communicator& comm, const Variable& x);

}  // namespace chainer::mn::functions
