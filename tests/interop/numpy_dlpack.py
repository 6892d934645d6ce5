# SPDX-License-Identifier: MIT
"""Exchanges arrays with NumPy by DLPack without a copy, in both directions: every dtype, with strides, versioned and
unversioned, read-only, and beyond the lifetime of their owner.

usage: numpy_dlpack.py build/release/tests/dlpack_bridge.so      (needs numpy 2.1 or newer)
"""
import ctypes
import gc
import sys

import numpy as np

bridge = ctypes.CDLL(sys.argv[1])
bridge.bridge_error.restype = ctypes.c_char_p
bridge.bridge_make.restype = ctypes.c_void_p
bridge.bridge_make.argtypes = [ctypes.c_char_p, ctypes.c_int]
bridge.bridge_take.restype = ctypes.c_double
bridge.bridge_take.argtypes = [ctypes.c_void_p, ctypes.c_int]
bridge.bridge_sum.restype = ctypes.c_double
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
kNames = {0: b'dltensor', 1: b'dltensor_versioned'}
kUsed = {0: b'used_dltensor', 1: b'used_dltensor_versioned'}


class Ours:
    """An array of the library, for NumPy."""

    def __init__(self, dtype, versioned):
        self.pointer = bridge.bridge_make(dtype.encode(), versioned)
        assert self.pointer, bridge.bridge_error()
        self.versioned = versioned

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        return python.PyCapsule_New(self.pointer, kNames[self.versioned], None)


def take(array, versioned, **options):
    capsule = array.__dlpack__(max_version=(1, 0) if versioned else None, **options)
    pointer = python.PyCapsule_GetPointer(capsule, kNames[versioned])
    python.PyCapsule_SetName(capsule, kUsed[versioned])
    return bridge.bridge_take(pointer, versioned)


checks = 0
for dtype in ('bool', 'int8', 'uint8', 'int16', 'int32', 'int64', 'float16', 'float32', 'float64'):
    for versioned in (0, 1):
        ours = np.from_dlpack(Ours(dtype, versioned))
        expected = np.arange(6).astype(dtype).reshape(2, 3).T
        np.testing.assert_array_equal(ours, expected)
        assert ours.dtype == expected.dtype and ours.strides == expected.strides, (dtype, ours.strides)
        theirs = np.arange(12).reshape(3, 4).astype(dtype)[::2, 1:]
        assert take(theirs, versioned) == theirs.astype('f8').sum(), bridge.bridge_error()
        checks += 2
# Both share memory, so each sees the writes of the other.
array = np.zeros((3, 4), dtype='f4')
take(array, 1)
assert bridge.bridge_add_one() == 1
assert array.sum() == 12
array += 1
assert bridge.bridge_sum() == 24
# The array outlives its Python variable.
owners = sys.getrefcount(array)
bridge.bridge_forget()
gc.collect()
assert sys.getrefcount(array) == owners - 1, (sys.getrefcount(array), owners)
# Read-only memory remains read-only.
array.flags.writeable = False
take(array, 1)
assert bridge.bridge_add_one() == 0 and b'cannot be written to' in bridge.bridge_error()
bridge.bridge_forget()
# Unsupported arrays are rejected.
take(np.zeros(2, dtype='u2'), 1)
assert b'code 1 with 16 bits' in bridge.bridge_error(), bridge.bridge_error()
take(np.zeros(2, dtype='c8'), 0)
assert b'code 5' in bridge.bridge_error(), bridge.bridge_error()
print('%d arrays exchanged with NumPy %s' % (checks, np.__version__))
