# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import os
import shutil
import tempfile

from chainer.serializers import npz
from chainer.training import extension


def snapshot(savefun=npz.save_npz, filename='snapshot_iter_{.updater.iteration}'):
    """Returns an extension that saves the trainer at each epoch."""
    @extension.make_extension(trigger=(1, 'epoch'), priority=-100)
    def snapshot(trainer):
        _save(trainer, trainer, filename, savefun)
    snapshot.snapshot_filename = filename
    return snapshot


def snapshot_object(target, filename, savefun=npz.save_npz):
    """Returns an extension that saves an object at each epoch."""
    @extension.make_extension(trigger=(1, 'epoch'), priority=-100)
    def snapshot_object(trainer):
        _save(trainer, target, filename, savefun)
    return snapshot_object


def _save(trainer, target, filename, savefun):
    """Writes a temporary file and renames it when it is complete."""
    name = filename.format(trainer)
    folder = tempfile.mkdtemp(prefix='tmp' + os.path.basename(name), dir=trainer.out)
    try:
        temporary = os.path.join(folder, os.path.basename(name))
        savefun(temporary, target)
        shutil.move(temporary, os.path.join(trainer.out, name))
    finally:
        shutil.rmtree(folder)
