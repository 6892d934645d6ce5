// Functions that communicate (manual: "Functions" of ChainerMN). Gradients travel the other way, to any order.
#pragma once
#include "chainer/autograd/function_node.h"
#include "chainer/mn/communicator_base.h"

namespace chainer::mn::functions {

/// Options of recv().
struct RecvOptions {
  Variable delegate_variable = {};  ///< what this rank did before: it is differentiated after this
  int tag = 0;
};

/// Sends a variable, or several as a tuple, to another rank, and returns a delegate variable: a zero (float32, shape
/// ()) that holds the graph. Its backward receives the gradients of x from that rank. A model that ends with send()
/// must return the delegate, and one that goes on with recv() must pass it there; else backward would wait for ever,
/// and ends with the error of the wait limit. (The release's delegate is empty; this one has an element, so that
/// backward() starts from it.)
Variable send(const Variable& x, const Communicator& communicator, int rank, int tag = 0);
Variable send(const Variables& x, const Communicator& communicator, int rank, int tag = 0);

/// Receives what send() sent; its backward sends the gradients back, if the sender wants any. recv() is for one
/// variable (ValueError for a tuple of more), recv_tuple() for any number (the manual's force_tuple).
Variable recv(const Communicator& communicator, int rank, const RecvOptions& options = {});
Variables recv_tuple(const Communicator& communicator, int rank, const RecvOptions& options = {});

/// The actual variables, connected to the delegate: who differentiates them also differentiates what the delegate
/// stands for, with a gradient of zero.
Variables pseudo_connect(const Variable& delegate_variable, const Variables& actual_variables);
Variable pseudo_connect(const Variable& delegate_variable, const Variable& actual_variable);

// The following are collective, and so are their backwards: each rank must differentiate what it got.

/// Rank root's x on all ranks; what the others pass (if anything) is ignored, and its gradient is zero. Backward: the
/// sum of all ranks' gradients at root.
Variable bcast(const Communicator& comm, const Variable& x, int root = 0);
/// All ranks' x at rank root, in their order; elsewhere one delegate variable. Backward: scatter.
Variables gather(const Communicator& comm, const Variable& x, int root = 0);
/// Variable i of rank root's xs on rank i; what the others pass is ignored, and its gradient is zero. Backward: gather. Another number of
/// variables than ranks is a ValueError on all of them.
Variable scatter(const Communicator& comm, const Variables& xs, int root = 0);
/// Variable i of xs goes to rank i, variable i of the result came from rank i. Backward: alltoall.
Variables alltoall(const Communicator& comm, const Variables& xs);
/// All ranks' x on all ranks, in their order. Backward: the sum of what the ranks send back.
Variables allgather(const Communicator& comm, const Variable& x);
/// The mean of all ranks' x on all ranks. Backward: the mean of the gradients, since all ranks' losses depend on x.
Variable mean_over_ranks(const Communicator& comm, const Variable& x);

}  // namespace chainer::mn::functions
