# SPDX-License-Identifier: MIT
class _MultiNodeOptimizer(object):
    """Averages gradients over all processes before each update; everything else is the wrapped optimizer's."""

    def __init__(self, actual_optimizer, communicator):
        own = self.__dict__
        own['communicator'], own['actual_optimizer'] = communicator, actual_optimizer
        own['target_params'] = []

    def update(self, lossfun=None, *args, **kwds):
        """Updates the parameters. After a parameter came in, as before the first update, those of the process 0 are
        copied to all instead."""
        target = self.target
        self._backward(lossfun, *args, **kwds)
        if self.is_changed(target):
            self.communicator.bcast_data(target)
        else:
            self.communicator.allreduce_grad(target)
            self.actual_optimizer.update(None, *args, **kwds)

    def _backward(self, lossfun, *args, **kwds):
        if lossfun is None:
            return
        loss = lossfun(*args, **kwds)
        if getattr(self, '_use_cleargrads', True):
            self.target.cleargrads()
        else:
            self.target.zerograds()
        loss.backward(loss_scale=self.actual_optimizer._loss_scale)

    def is_changed(self, target):
        """Returns true if the set of the model's initialized parameters is another one than in the last call."""
        before = self.target_params
        now = sorted([(path, p.array is not None) for path, p in target.namedparams()])
        self.__dict__['target_params'] = now
        return before != now

    def setup(self, link):
        self.actual_optimizer.setup(link)
        return self

    def __getattr__(self, attr_name):
        return getattr(self.__dict__['actual_optimizer'], attr_name)

    def __setattr__(self, attr_name, value):
        setattr(self.__dict__['actual_optimizer'], attr_name, value)


class _DoubleBufferingOptimizer(_MultiNodeOptimizer):
    """Averages gradients during the next step, so that each update is by the gradients of the step before."""

    def __init__(self, actual_optimizer, communicator):
        super(_DoubleBufferingOptimizer, self).__init__(actual_optimizer, communicator)
        self.__dict__['begun'] = []

    def update(self, lossfun=None, *args, **kwds):
        """As that of other optimizers; the first step after one that copies parameters does not update."""
        target, communicator = self.target, self.communicator
        self._backward(lossfun, *args, **kwds)
        if self.is_changed(target):
            self.wait()
            communicator.bcast_data(target)
            return
        before = self.begun
        for _, _, group in before:
            group.wait()
        self.__dict__['begun'] = communicator.begin_allreduce_grad(target)
        if before:
            communicator.end_allreduce_grad(before)
            self.actual_optimizer.update(None, *args, **kwds)

    def wait(self):
        """Waits for the averages that were begun, and drops them."""
        begun = self.begun
        self.__dict__['begun'] = []
        self.communicator.end_allreduce_grad(begun, write=False)


def create_multi_node_optimizer(actual_optimizer, communicator, double_buffering=False):
    """Returns an optimizer that averages gradients over all processes. double_buffering needs pure_nccl."""
    if double_buffering:
        from chainermn.communicators.pure_nccl_communicator import PureNcclCommunicator
        if not isinstance(communicator, PureNcclCommunicator):
            raise ValueError('double_buffering needs the communicator pure_nccl')
        return _DoubleBufferingOptimizer(actual_optimizer, communicator)
    return _MultiNodeOptimizer(actual_optimizer, communicator)
