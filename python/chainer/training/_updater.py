# SPDX-License-Identifier: MIT
class Updater(object):
    """One iteration of training."""

    def connect_trainer(self, trainer):
        """Called at the end of the trainer's construction."""

    def finalize(self):
        """Called after the loop."""

    def get_optimizer(self, name):
        raise NotImplementedError

    def get_all_optimizers(self):
        """Returns the optimizers by name."""
        raise NotImplementedError

    def update(self):
        """Updates the parameters once."""
        raise NotImplementedError

    def serialize(self, serializer):
        raise NotImplementedError
