# SPDX-License-Identifier: MIT
from chainer.dataset.convert import concat_examples, ConcatWithAsyncTransfer, to_device  # NOQA
from chainer.dataset.dataset_mixin import DatasetMixin  # NOQA
from chainer.dataset.download import cache_or_load_file, cached_download, get_dataset_directory  # NOQA
from chainer.dataset.download import get_dataset_root, set_dataset_root  # NOQA
from chainer.dataset.iterator import Iterator  # NOQA
