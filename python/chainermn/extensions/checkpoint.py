# SPDX-License-Identifier: MIT
import os
import shutil
import tempfile
import time

from chainer import serializers
from chainer.training import extension
from chainer.utils import experimental


def create_multi_node_checkpointer(name, comm, cp_interval=5, gc_interval=5, path=None):
    """Returns an extension that saves a trainer in each process, for maybe_load() to go on from the last iteration that
    all processes have saved.

    A file is called NAME.RANK.ITERATION; the newest cp_interval ones are kept, and older ones are removed after each
    gc_interval further ones. `path` is a folder of each process or of all of them."""
    experimental('chainermn.extensions.create_multi_node_checkpointer')
    return _MultiNodeCheckpointer(name, comm, cp_interval, gc_interval, path)


class _CheckpointStats(object):
    """Times of saving."""

    def __init__(self):
        self.timings, self.begin = [], None

    def start(self):
        self.begin = time.time()

    def end(self):
        self.timings.append(time.time() - self.begin)
        self.begin = None

    def report(self):
        """Returns the number of files and their mean, shortest and longest time as a text."""
        if not self.timings:
            return 'timings=(no checkpoint)'
        return 'n={}, avg={:.6f}, min={:.6f}, max={:.6f} (seconds)'.format(
            len(self.timings), sum(self.timings) / len(self.timings), min(self.timings), max(self.timings))


class _MultiNodeCheckpointer(extension.Extension):
    trigger = (1, 'epoch')
    priority = -100

    def __init__(self, name, comm, cp_interval, gc_interval, path):
        if '.' in name:
            raise ValueError('the name of a checkpointer must have no dot: {}'.format(name))
        self.name, self.comm, self.cp_interval, self.gc_interval = name, comm, cp_interval, gc_interval
        self.path = os.getcwd() if path is None else path
        self.files, self.stats = [], _CheckpointStats()
        if self.path:
            _maybe_makedirs(self.path)

    def __call__(self, trainer):
        self.save(trainer, trainer.updater.iteration)

    def save(self, target, iteration):
        """Saves an object after an iteration."""
        self.stats.start()
        filename = self._filename(iteration)
        _save(self.path, filename, target)
        self.stats.end()
        self.files.append(filename)
        if len(self.files) - self.cp_interval > self.gc_interval:
            self._sync_file_list(remove_remainder=True)

    def finalize(self):
        """Removes the files of this process."""
        self.comm.mpi_comm.barrier()
        for name in os.listdir(self.path) if os.path.isdir(self.path) else ():
            parsed = self._parse_filename(name)
            if parsed is not None and parsed[:2] == (self.name, self.comm.rank):
                os.remove(os.path.join(self.path, name))
        self.files = []
        self.comm.mpi_comm.barrier()

    def get_stats(self):
        """Returns times of saving as a text."""
        return self.stats.report()

    def _sync_file_list(self, remove_remainder=False):
        """Keeps the names of files that all processes have; removes all but the newest of them if asked."""
        here = {i for _, _, i in self._parse_filenames(self.files)}
        common = set.intersection(*[set(other) for other in self.comm.mpi_comm.allgather(sorted(here))])
        kept = sorted(common)[-self.cp_interval:] if remove_remainder else sorted(common)
        if remove_remainder:
            for name in self._filenames(sorted(here - set(kept))):
                path = os.path.join(self.path, name)
                if os.path.exists(path):
                    os.remove(path)
        self.files = self._filenames(kept)

    def _filenames(self, iterations):
        return [self._filename(i) for i in iterations]

    def _filename(self, iteration):
        return '{}.{}.{}'.format(self.name, self.comm.rank, iteration)

    def _parse_filenames(self, filenames):
        return [p for p in [self._parse_filename(f) for f in filenames] if p is not None]

    def _parse_filename(self, filename):
        """Returns name, rank and iteration; None for another file."""
        parts = filename.split('.')
        if len(parts) != 3 or not parts[1].isdigit() or not parts[2].isdigit():
            return None
        return parts[0], int(parts[1]), int(parts[2])

    def maybe_load(self, trainer, optimizer=None, path=None):
        """Loads the newest state that all processes have, if there is one. Call it after all extensions are added."""
        if path is not None:
            self.path = path
        self.files = []
        if os.path.isdir(self.path):
            self.files = [f for f in os.listdir(self.path)
                          if (self._parse_filename(f) or ())[:2] == (self.name, self.comm.rank)]
        self._sync_file_list()
        newest = max([i for _, _, i in self._parse_filenames(self.files)], default=None)
        if newest is None:
            return
        _load(self.path, self._filename(newest), trainer)
        if optimizer is not None:
            optimizer.is_changed(optimizer.target)  # its parameters are the same in all processes


def _load(path, filename, target):
    serializers.load_npz(os.path.join(path, filename), target)


def _save(path, filename, target):
    _maybe_makedirs(path)
    handle, temporary = tempfile.mkstemp(prefix=filename, dir=path)
    os.close(handle)
    try:
        serializers.save_npz(temporary, target)
        shutil.move(temporary, os.path.join(path, filename))
    except BaseException:
        os.remove(temporary)
        raise


def _maybe_makedirs(path):
    os.makedirs(path, exist_ok=True)
