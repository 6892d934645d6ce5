# SPDX-License-Identifier: MIT
def check_axes(axis):
    """Returns the axes as a tuple, or None; raises as functions that reduce do."""
    if axis is None:
        return None
    if isinstance(axis, int):
        return axis,
    if isinstance(axis, tuple) and all([isinstance(a, int) for a in axis]):
        if len(set(axis)) != len(axis):
            raise ValueError('duplicate value in axis: ({})'.format(', '.join([str(a) for a in axis])))
        return axis
    raise TypeError('None, int or tuple of int are required')
