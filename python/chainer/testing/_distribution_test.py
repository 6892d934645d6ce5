# SPDX-License-Identifier: MIT
"""An alias with the release's name."""
from chainer.testing.distribution_test import distribution_unittest, skip_not_in_test_target  # NOQA
