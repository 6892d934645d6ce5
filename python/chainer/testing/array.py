# SPDX-License-Identifier: MIT
import numpy

import chainer


def assert_allclose(x, y, atol=1e-5, rtol=1e-4, verbose=True):
    """Raises AssertionError unless two arrays or Variables are close; the message has the position of the largest
    error."""
    x, y = [chainer.backend.to_numpy(a) for a in (x, y)]
    try:
        numpy.testing.assert_allclose(x, y, atol=atol, rtol=rtol, verbose=verbose)
    except AssertionError as e:
        lines = [str(e)]
        if x.shape == y.shape and x.size:
            with numpy.errstate(all='ignore'):
                difference = numpy.abs(numpy.asarray(x, float) - y)
                limit = atol + rtol * numpy.abs(numpy.asarray(y, float))
                at = numpy.unravel_index(numpy.argmax(difference - limit), x.shape)
            lines.append('assert_allclose failed: atol={} rtol={}; worst at {}: {} and {}'.format(
                atol, rtol, at, x[at], y[at]))
        raise AssertionError('\n'.join(lines))
