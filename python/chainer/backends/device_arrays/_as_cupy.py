# SPDX-License-Identifier: MIT
"""`import cupy` where CuPy is not installed: libraries for Chainer import it by this name when there is a device."""
import importlib.abc
import importlib.machinery
import sys

_PREFIX = 'chainer.backends.device_arrays'


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds cupy and cupyx. It is the last finder, so that an installed CuPy comes first."""

    def find_spec(self, fullname, path=None, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in ('cupy', 'cupyx') else None

    def exec_module(self, module):
        name = module.__name__
        if name == 'cupyx':
            sys.modules[name] = sys.modules[_PREFIX + '.cupyx']
            return
        # Its submodules, too: otherwise `import cupy.cuda` would run their files a second time.
        for there in [n for n in sys.modules if n == _PREFIX or n.startswith(_PREFIX + '.')]:
            sys.modules[name + there[len(_PREFIX):]] = sys.modules[there]


def install():
    if not any([isinstance(f, _Finder) for f in sys.meta_path]):
        sys.meta_path.append(_Finder())
