# SPDX-License-Identifier: MIT
"""Ranges and marks for NVIDIA's profilers by the names of cupy.cuda.nvtx; they do nothing without its library."""
import ctypes
import os

_libraries = []  # the one that was found, or None, after the first use


def library():
    """Returns the NVTX library, or None. CHAINER_NVTX_LIBRARY names another file."""
    if not _libraries:
        chosen = os.environ.get('CHAINER_NVTX_LIBRARY')
        for name in [chosen] if chosen else ['libnvtx3interop.so.1', 'libnvToolsExt.so.1']:
            try:
                found = ctypes.CDLL(name)
                found.nvtxRangePushA, found.nvtxRangePop, found.nvtxMarkA  # NOQA (without them it is another library)
            except (OSError, AttributeError):
                continue
            _libraries.append(found)
            break
        else:
            _libraries.append(None)
    return _libraries[0]


def RangePush(message, id_color=-1):
    """Begins a range inside the current one of this thread."""
    if library() is not None:
        library().nvtxRangePushA(message.encode())


def RangePop():
    """Ends the current range."""
    if library() is not None:
        library().nvtxRangePop()


def Mark(message, id_color=-1):
    """Marks a point in time."""
    if library() is not None:
        library().nvtxMarkA(message.encode())


RangePushC, MarkC = RangePush, Mark
