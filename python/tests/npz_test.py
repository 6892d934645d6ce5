# SPDX-License-Identifier: MIT
"""Files of weights hold data: what is pickled in them is never executed."""
import os
import stat
import threading

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


def test_a_file_is_written_in_its_place(tmp_path):
    link, old, new = L.Linear(2, 3), tmp_path / 'old.npz', tmp_path / 'new.npz'
    mode = lambda path: stat.S_IMODE(os.stat(str(path)).st_mode)  # NOQA
    mask = os.umask(0o027)
    try:
        old.write_bytes(b'')
        old.chmod(0o604)
        (tmp_path / 'link').symlink_to('old.npz')
        (tmp_path / 'later').symlink_to(str(new))
        for name in ('link', 'later'):
            chainer.serializers.save_npz(str(tmp_path / name), link)
        chainer.serializers.save_npz(os.fsencode(str(tmp_path / 'bytes')), link)
        assert (tmp_path / 'link').is_symlink() and (tmp_path / 'later').is_symlink()
        assert (mode(old), mode(new)) == (0o604, 0o640)
        chainer.serializers.load_npz(str(old), L.Linear(2, 3))
    finally:
        os.umask(mask)
    os.mkfifo(str(tmp_path / 'pipe'))
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / 'pipe').read_bytes()))
    reader.start()
    chainer.serializers.save_npz(str(tmp_path / 'pipe'), link)
    reader.join()
    assert found[0][:2] == b'PK' and stat.S_ISFIFO(os.stat(str(tmp_path / 'pipe')).st_mode)
    assert sorted(os.listdir(str(tmp_path))) == ['bytes', 'later', 'link', 'new.npz', 'old.npz', 'pipe']


@pytest.mark.parametrize('names', [5, [5], ['W', None]])
def test_names_to_ignore_are_texts_or_callables(tmp_path, names):
    path = str(tmp_path / 'weights.npz')
    chainer.serializers.save_npz(path, L.Linear(2, 3))
    with pytest.raises(ValueError, match='ignore_names'):
        chainer.serializers.load_npz(path, L.Linear(2, 3), ignore_names=names)
