# SPDX-License-Identifier: MIT
"""Devices, streams, events and pools of memory, with the names of cupy.cuda."""
import contextlib
import threading
import time
import types

from chainer.backends.device_arrays import _nvtx as nvtx
from chainer.backends.device_arrays._array import devices

_entered = threading.local()


class Device(object):
    """A device by its number; by default the current one. As a context it is the current device of the thread."""

    def __init__(self, device=None):
        self.id = devices.current() if device is None else int(device)

    def __int__(self):
        return self.id

    __index__ = __int__

    def __enter__(self):
        if not hasattr(_entered, 'before'):
            _entered.before = []
        _entered.before.append(devices.current())
        self.use()
        return self

    def __exit__(self, *info):
        devices.use(_entered.before.pop())

    def use(self):
        """Makes this the current device of the thread."""
        devices.use(self.id)

    def synchronize(self):
        """Waits until all work of the device is done."""
        devices.synchronize(self.id)

    def __repr__(self):
        return '<CUDA Device {}>'.format(self.id)

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return self.id < int(other)

    def __hash__(self):
        return self.id


def get_device_id():
    return devices.current()


class runtime(object):
    """The functions of the CUDA runtime that programs ask for devices."""

    @staticmethod
    def getDeviceCount():
        return devices.count()

    @staticmethod
    def getDevice():
        return devices.current()

    @staticmethod
    def setDevice(device):
        devices.use(device)

    @staticmethod
    def deviceSynchronize():
        devices.synchronize(devices.current())


def is_available():
    """Returns True if there is a device."""
    return devices.count() > 0


class Stream(object):
    """The stream of the current device. Each device has one, so the work of two objects never overlaps."""

    def __init__(self, null=False, non_blocking=False):
        self.device = None if null else Device()

    @property
    def ptr(self):
        """CUDA's handle of the stream, for other libraries."""
        return devices.stream(int(self.device or Device()))

    def __enter__(self):
        return self

    def __exit__(self, *info):
        pass

    def use(self):
        return self

    def synchronize(self):
        (self.device or Device()).synchronize()

    @property
    def done(self):
        self.synchronize()
        return True

    def record(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Does nothing: the work of a device is done in its order."""


Stream.null = Stream(null=True)


def get_current_stream():
    return Stream.null


class Event(object):
    """A point in the work of a device. Its time is read when it is recorded, after waiting for the device."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._time = None

    def record(self, stream=None):
        (Stream.null if stream is None else stream).synchronize()
        self._time = time.perf_counter()

    def synchronize(self):
        pass

    @property
    def done(self):
        return True


def get_elapsed_time(start_event, end_event):
    """Returns the milliseconds between two recorded events."""
    return 1000 * (end_event._time - start_event._time)


class MemoryPool(object):
    """The library's pool of the current device."""

    def used_bytes(self):
        return devices.memory(devices.current())[0]

    def total_bytes(self):
        return sum(devices.memory(devices.current()))

    def free_bytes(self):
        return devices.memory(devices.current())[1]

    def free_all_blocks(self, stream=None):
        devices.empty_cache(devices.current())

    def free_all_free(self):
        self.free_all_blocks()

    def set_limit(self, size=None, fraction=None):
        """Limits the bytes of the current device's arrays; 0 or None is no limit."""
        if fraction is not None:
            raise NotImplementedError('set_limit: the size of the memory is not known here, so a fraction of it cannot '
                                      'be the limit; give a size in bytes')
        if size is not None and size < 0:
            raise ValueError('set_limit: size must not be negative, but is {}'.format(size))
        devices.set_memory_limit(devices.current(), size or 0)

    malloc = None  # for set_allocator()


class PinnedMemoryPool(MemoryPool):
    """Pinned memory, which the library manages itself."""

    def free_all_blocks(self):
        pass


runtime.CUDARuntimeError = RuntimeError  # the class of the library's errors of devices
_pool, _pinned_pool = MemoryPool(), PinnedMemoryPool()


def get_default_memory_pool():
    return _pool


def get_default_pinned_memory_pool():
    return _pinned_pool


def set_allocator(allocator=None):
    """Does nothing: arrays are in the library's pool."""


set_pinned_memory_allocator = set_allocator
memory = types.SimpleNamespace(OutOfMemoryError=MemoryError, MemoryPool=MemoryPool, PinnedMemoryPool=PinnedMemoryPool,
                               set_allocator=set_allocator)


def _nothing(*args, **kwargs):
    """Does nothing: the library does not talk to profilers, which see its kernels without it."""


profiler = types.SimpleNamespace(initialize=_nothing, start=_nothing, stop=_nothing)


@contextlib.contextmanager
def profile():
    """Does nothing, as a context."""
    yield


class _Module(object):
    """Kernels of a source in CUDA C++."""

    def __init__(self, source, options):
        self._source, self._options = source, options

    def get_function(self, name):
        from chainer.backends.device_arrays import _kernels
        return _kernels.RawKernel(self._source, name, self._options)


def compile_with_cache(source, options=(), arch=None, cache_dir=None, extra_source=None):
    """Returns an object whose get_function(name) is a RawKernel of the source."""
    return _Module(source, options)


compiler = types.SimpleNamespace(compile_with_cache=compile_with_cache)


def __getattr__(name):
    if name == 'nvtx_enabled':  # which needs the library of NVTX only when it is asked for
        return nvtx.library() is not None
    raise AttributeError('module {!r} has no attribute {!r}'.format(__name__, name))
