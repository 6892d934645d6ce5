"""Files of datasets: from the folder of datasets, or from the network."""
import os

import numpy

from chainer.dataset import download


def file(url, folder):
    """The path of a file that lies in a folder of datasets, else of what is downloaded."""
    name = url.rsplit('/', 1)[1]
    root = download.get_dataset_root()
    for place in (os.path.join('pfnet', 'chainer', folder), folder, ''):
        path = os.path.join(root, place, name)
        if os.path.exists(path):
            return path
    return download.cached_download(url)


def arrays(folder, name, make):
    """Arrays by their names from pfnet/chainer/FOLDER/NAME; what make() gives becomes the file if it is missing."""
    path = os.path.join(download.get_dataset_directory(os.path.join('pfnet', 'chainer', folder)), name)

    def create(path):
        made = make()
        with open(path, 'wb') as f:
            numpy.savez_compressed(f, **made)
        return made

    def load(path):
        with numpy.load(path) as f:
            return {key: f[key] for key in f.files}
    return download.cache_or_load_file(path, create, load)


def scaled(images, dtype, scale):
    """Pictures of bytes as floating numbers."""
    from chainer import get_dtype
    images = images.astype(get_dtype(dtype))
    images *= scale / 255.
    return images
