# SPDX-License-Identifier: MIT
import importlib.util
import math


def is_available():
    """Returns True if the package mock is installed."""
    return importlib.util.find_spec('mock') is not None


def check_available():
    if not is_available():
        raise RuntimeError('the package mock is not installed')


def get_error():
    """Returns the error of importing mock, or None."""
    try:
        import mock  # NOQA
    except ImportError as e:
        return e


def get_trainer_with_mock_updater(stop_trigger=(10, 'iteration'), iter_per_epoch=10, extensions=None):
    """A trainer whose updater counts iterations and epochs, and computes nothing."""
    import mock
    from chainer import training
    updater = mock.Mock()
    updater.get_all_optimizers.return_value = {}
    updater.iteration = 0
    updater.epoch = 0
    updater.epoch_detail = 0
    updater.is_new_epoch = True
    updater.previous_epoch_detail = None

    def update():
        updater.update_core()
        before = updater.iteration
        updater.iteration += 1
        updater.epoch = int(math.floor(updater.iteration / iter_per_epoch))
        updater.epoch_detail = updater.iteration / iter_per_epoch
        updater.is_new_epoch = before // iter_per_epoch != updater.epoch
        updater.previous_epoch_detail = before / iter_per_epoch

    updater.update = update
    return training.Trainer(updater, stop_trigger, extensions=extensions)
