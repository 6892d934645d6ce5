# SPDX-License-Identifier: MIT
def create_multi_node_evaluator(actual_evaluator, communicator):
    """Makes an evaluator's results the averages over all processes; returns the evaluator.

    All processes must report the same names."""
    actual_evaluator._mn_original_evaluate = actual_evaluator.evaluate
    actual_evaluator._mn_communicator = communicator

    def evaluate(self, *args, **kwargs):
        local = self._mn_original_evaluate(*args, **kwargs)
        everywhere = self._mn_communicator.mpi_comm.allgather(dict(local))
        if any([set(other) != set(local) for other in everywhere]):
            raise ValueError('processes report different names: {}'.format([sorted(other) for other in everywhere]))
        return {name: sum([other[name] for other in everywhere]) / len(everywhere) for name in local}

    actual_evaluator.evaluate = evaluate.__get__(actual_evaluator)
    return actual_evaluator
