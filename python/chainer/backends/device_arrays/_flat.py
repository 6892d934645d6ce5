# SPDX-License-Identifier: MIT
"""Single elements by their positions in C order."""


class Flat(object):
    """The elements of an array in C order, which are read and written by their positions in it."""

    def __init__(self, a):
        self.base = a

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(self.base.ravel())

    def __getitem__(self, index):
        y = self.base.ravel()[index]
        return y.copy() if isinstance(index, slice) else y

    def __setitem__(self, index, value):
        y = self.base.ravel()
        y[index] = value
        if not self.base._is_contiguous:  # otherwise `y` is a view
            self.base[...] = y.reshape(self.base.shape)

    def copy(self):
        return self.base.flatten()


def set_flat(self, value):
    Flat(self)[...] = value


def itemset(self, *args):
    """Sets one element, given by its position in C order or by its index."""
    index, value = args[:-1], args[-1]
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    elif len(index) == 1:
        self.flat[int(index[0])] = value
        return
    if index and len(index) != self.ndim or not index and self.size != 1:
        raise ValueError('itemset: {} positions are no index of one element in an array of shape {}'.format(
            len(index), self.shape))
    self[index or Ellipsis] = value
