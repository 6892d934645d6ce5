# SPDX-License-Identifier: MIT
from chainer.testing.array import assert_allclose  # NOQA
from chainer.testing import attr  # NOQA
from chainer.testing import backend  # NOQA
from chainer.testing.backend import BackendConfig, inject_backend_tests  # NOQA
from chainer.testing import condition  # NOQA
from chainer.testing.distribution_test import distribution_unittest  # NOQA
from chainer.testing.helper import assert_warns, patch, with_requires, without_requires  # NOQA
from chainer.testing.parameterized import parameterize, parameterize_pytest  # NOQA
from chainer.testing.parameterized import product, product_dict  # NOQA
from chainer.testing.random import fix_random, generate_seed  # NOQA
from chainer.testing.serializer import save_and_load, save_and_load_hdf5, save_and_load_npz  # NOQA
from chainer.testing.training import get_trainer_with_mock_updater  # NOQA
from chainer.testing.unary_math_function_test import unary_math_function_unittest  # NOQA
from chainer.testing.helper import run_module  # NOQA
