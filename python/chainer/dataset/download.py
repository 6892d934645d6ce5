"""The folder of datasets: files are looked for there; the program `chainer datasets` fetches them."""
import os

_dataset_root = os.environ.get('CHAINER_DATASET_ROOT', os.path.join(os.path.expanduser('~'), '.chainer', 'dataset'))


def get_dataset_root():
    return _dataset_root


def set_dataset_root(path):
    global _dataset_root
    _dataset_root = path


def get_dataset_directory(dataset_name, create_directory=True):
    path = os.path.join(_dataset_root, dataset_name)
    if create_directory:
        os.makedirs(path, exist_ok=True)
    return path
