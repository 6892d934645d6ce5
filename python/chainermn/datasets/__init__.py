# SPDX-License-Identifier: MIT
from chainermn.datasets.empty_dataset import create_empty_dataset  # NOQA
from chainermn.datasets.scatter_dataset import DataSizeError, scatter_dataset  # NOQA
