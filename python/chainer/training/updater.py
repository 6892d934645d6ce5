class Updater(object):
    """One iteration of training."""

    def connect_trainer(self, trainer):
        """Is called at the end of the trainer's construction."""

    def finalize(self):
        """Is called after the loop."""

    def get_optimizer(self, name):
        raise NotImplementedError

    def get_all_optimizers(self):
        """Optimizers by their names."""
        raise NotImplementedError

    def update(self):
        """Updates the parameters once."""
        raise NotImplementedError

    def serialize(self, serializer):
        raise NotImplementedError


def __getattr__(name):
    # Names that stood here in earlier releases.
    if name in ('ParallelUpdater', 'StandardUpdater'):
        from chainer.training import updaters
        return getattr(updaters, name)
    raise AttributeError('module chainer.training.updater has no attribute {!r}'.format(name))
