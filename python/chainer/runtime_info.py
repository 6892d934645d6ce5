import platform
import sys

import numpy


def print_runtime_info(out=None):
    """Prints versions of what is used."""
    import chainer
    out = sys.stdout if out is None else out
    print('Platform: {}\nChainer: {}\nNumPy: {}\nCuPy: Not Available\niDeep: Not Available'.format(
        platform.platform(), chainer.__version__, numpy.__version__), file=out)
