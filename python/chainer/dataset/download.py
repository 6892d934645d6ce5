"""The folder of datasets, and files that are fetched or made into it."""
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
    """The path of a file, which is downloaded into the cache when it is not there."""
    cache_root = os.path.join(_dataset_root, '_dl_cache')
    try:
        os.makedirs(cache_root)
    except OSError:
        if not os.path.isdir(cache_root):
            raise
    import hashlib  # these are imported here for the sake of import chainer
    import shutil
    import tempfile
    path = os.path.join(cache_root, hashlib.md5(url.encode('utf-8')).hexdigest())
    if os.path.exists(path):
        return path
    folder = tempfile.mkdtemp(dir=cache_root)
    try:
        temporary = os.path.join(folder, 'dl')
        print('Downloading from {}...'.format(url), file=sys.stderr)
        import urllib.request  # slow to import
        urllib.request.urlretrieve(url, temporary)
        shutil.move(temporary, path)
    finally:
        shutil.rmtree(folder)
    return path


def cache_or_load_file(path, creator, loader):
    """What is loaded from a file; without one, what creator(path) makes, which becomes the file."""
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
