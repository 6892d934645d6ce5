# SPDX-License-Identifier: MIT
import functools

import numpy


def _fp16_mixed_precision_helper(fn):
    """Makes a method on a tuple of arrays compute in float32 if one of them is float16. The results are float16
    if all arrays are."""
    @functools.wraps(fn)
    def call(self, in_data):
        half = [x.dtype == numpy.float16 for x in in_data]
        if not any(half):
            return fn(self, in_data)
        ys = fn(self, tuple([x.astype(numpy.float32) if h else x for h, x in zip(half, in_data)]))
        return tuple([y.astype(numpy.float16) for y in ys]) if all(half) else ys
    return call
