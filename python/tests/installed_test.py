# SPDX-License-Identifier: MIT
"""The metadata of a package that pip installed."""
import importlib.metadata

import pytest

import chainer


def test_metadata():
    try:
        own = importlib.metadata.distribution('chainer-cpp')
    except importlib.metadata.PackageNotFoundError:
        pytest.skip('the package was not installed by pip')
    # Libraries that require the release's package find this one.
    assert importlib.metadata.version('chainer') == chainer.__version__
    assert [r for r in own.requires if 'extra ==' not in r] == ['numpy>=1.22']
    assert any(f.name == 'chainer-%s.egg-info' % chainer.__version__ for f in own.files)
