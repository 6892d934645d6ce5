# SPDX-License-Identifier: MIT
from chainer.training.extensions import progress_bar


class ProgressBarNotebook(progress_bar.ProgressBar):
    """The progress bar as text in a notebook (requires IPython)."""

    def _lines(self, trainer):
        from IPython import display
        display.clear_output(wait=True)
        return super(ProgressBarNotebook, self)._lines(trainer)
