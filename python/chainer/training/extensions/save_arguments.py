# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer.training.extensions import _library


class SaveArguments(_library.LibraryExtension):
    """Writes the arguments of the program to the file ``args`` in the trainer's output folder when the run begins, so
    that ``chainer serve`` finds runs by their arguments.

    Args:
        arguments (dict or argparse.Namespace): The arguments.
    """

    def __init__(self, arguments):
        super(SaveArguments, self).__init__(_core.extensions.SaveArguments(_library.texts(arguments)))
