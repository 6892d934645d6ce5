# SPDX-License-Identifier: MIT
"""Files of datasets: from the folder of datasets, or from the network."""
import os

import numpy

from chainer.dataset import download


def file(url, folder):
    """Returns the path of a file in the folder of datasets, or of the downloaded file."""
    name = url.rsplit('/', 1)[1]
    root = download.get_dataset_root()
    for place in (os.path.join('pfnet', 'chainer', folder), folder, ''):
        path = os.path.join(root, place, name)
        if os.path.exists(path):
            return path
    return download._cached_download(url, '{}/{}'.format(folder, name))


def arrays(folder, name, make):
    """Loads arrays by name from pfnet/chainer/FOLDER/NAME; if the file is missing, make() creates its contents."""
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
    """Converts pictures of bytes to floating-point numbers."""
    from chainer import get_dtype
    images = images.astype(get_dtype(dtype))
    images *= scale / 255.
    return images
