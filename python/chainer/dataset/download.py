# SPDX-License-Identifier: MIT
"""The folder of datasets, and files downloaded or created in it."""
import os
import sys

_dataset_root = os.environ.get('CHAINER_DATASET_ROOT', os.path.join(os.path.expanduser('~'), '.chainer', 'dataset'))


def get_dataset_root():
    return _dataset_root


def set_dataset_root(path):
    global _dataset_root
    _dataset_root = path


def get_dataset_directory(dataset_name, create_directory=True):
    path = os.path.join(_dataset_root, dataset_name)
    if create_directory:
        try:
            os.makedirs(path)
        except OSError:
            if not os.path.isdir(path):
                raise
    return path


def cached_download(url):
    """Returns the path of a file in the cache, which is downloaded if necessary."""
    return _cached_download(url, None)


def _cached_download(url, mirror_path):
    """cached_download(url), from `mirror_path` below the folder or address in the environment variable
    CHAINER_DATASET_MIRROR, if it is set. The file is cached under the name of `url`."""
    cache_root = os.path.join(_dataset_root, '_dl_cache')
    try:
        os.makedirs(cache_root)
    except OSError:
        if not os.path.isdir(cache_root):
            raise
    import hashlib  # imported here to keep `import chainer` fast
    import shutil
    import tempfile
    path = os.path.join(cache_root, hashlib.md5(url.encode('utf-8')).hexdigest())
    if os.path.exists(path):
        return path
    folder = tempfile.mkdtemp(dir=cache_root)
    try:
        temporary = os.path.join(folder, 'dl')
        source = url
        mirror = os.environ.get('CHAINER_DATASET_MIRROR')
        if mirror and mirror_path:
            source = '{}/{}'.format(mirror.rstrip('/'), mirror_path)
            if '://' not in source:
                source = 'file://' + os.path.abspath(source)
        print('Downloading from {}...'.format(source), file=sys.stderr)
        import urllib.request  # slow to import
        urllib.request.urlretrieve(source, temporary)
        shutil.move(temporary, path)
    finally:
        shutil.rmtree(folder)
    return path


def cache_or_load_file(path, creator, loader):
    """Loads a file; if it does not exist, creator(path) creates it and its result is returned."""
    if os.path.exists(path):
        return loader(path)
    try:
        os.makedirs(_dataset_root)
    except OSError:
        if not os.path.isdir(_dataset_root):
            raise RuntimeError('cannot create dataset directory')
    import shutil
    import tempfile
    folder = tempfile.mkdtemp()
    temporary = os.path.join(folder, os.path.basename(path))
    try:
        content = creator(temporary)
        if not os.path.exists(path):
            shutil.move(temporary, path)
    finally:
        shutil.rmtree(folder)
    return content
