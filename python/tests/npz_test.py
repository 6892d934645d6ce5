# SPDX-License-Identifier: MIT
"""Files of weights hold data: what is pickled in them is never executed."""
import os

import numpy as np
import pytest

import chainer
import chainer.links as L


class Harmful(object):
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize('name', ['W', 'b', 'unused'])
def test_a_file_of_weights_runs_no_code(tmp_path, name):
    made = str(tmp_path / 'made')
    members = {'W': np.ones((3, 2), 'f'), 'b': np.zeros(3, 'f')}
    members[name] = np.array([Harmful(made)], dtype=object)
    path = str(tmp_path / 'weights.npz')
    np.savez(path, **members)
    link = L.Linear(2, 3)
    if name == 'unused':
        chainer.serializers.load_npz(path, link)
    else:
        with pytest.raises(Exception):
            chainer.serializers.load_npz(path, link)
    assert not os.path.exists(made)


def test_parameters_without_a_shape_come_back(tmp_path):
    path = str(tmp_path / 'weights.npz')
    chainer.serializers.save_npz(path, L.Linear(None, 3))
    link = L.Linear(None, 3)
    chainer.serializers.load_npz(path, link)
    assert link.W.array is None
    assert link(np.ones((2, 5), 'f')).shape == (2, 3)
