# SPDX-License-Identifier: MIT
"""Imports matplotlib at first use."""
import warnings


def available():
    """Returns True if matplotlib is installed, otherwise warns."""
    if not installed():
        warnings.warn('matplotlib is not installed, and nothing will be plotted (pip install matplotlib).')
        return False
    return True


def installed():
    import importlib.util
    return importlib.util.find_spec('matplotlib') is not None


def pyplot():
    import matplotlib
    from matplotlib import pyplot as plt
    if not plt.get_fignums() and matplotlib.get_backend().lower() not in ('agg', 'pdf', 'svg', 'ps'):
        plt.switch_backend('Agg')
    return plt
