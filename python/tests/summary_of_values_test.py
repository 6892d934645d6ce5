# SPDX-License-Identifier: MIT
"""Means of many values in few bits, as those that are reported in an epoch."""
import numpy
import pytest

import chainer
from chainer import reporter


@pytest.mark.parametrize('make', [
    numpy.float16, numpy.float32, lambda v: numpy.array(v, 'e'), lambda v: numpy.array(v, 'f'),
    lambda v: chainer.Variable(numpy.array(v, 'f'))])
def test_means_of_many_values(make):
    value = float(getattr(make(0.9), 'array', make(0.9)))
    summary = reporter.DictSummary()
    for _ in range(6000):
        summary.add({'x': make(0.9)})
    statistics = summary.make_statistics()
    assert statistics['x'] == pytest.approx(value, rel=1e-12) and statistics['x.std'] < 1e-6
    # Large values with small differences, and sums beyond the dtype.
    one = reporter.Summary()
    for i in range(1000):
        one.add(make(1000 + i % 2))
    mean, deviation = one.make_statistics()
    assert mean == pytest.approx(1000.5) and deviation == pytest.approx(0.5)


def test_weights_of_small_integers():
    summary = reporter.DictSummary()
    summary.add({'x': (numpy.uint8(200), 2)})
    summary.add({'x': (numpy.uint8(100), numpy.uint8(200))})
    assert summary.compute_mean()['x'] == pytest.approx((400 + 20000) / 202)
