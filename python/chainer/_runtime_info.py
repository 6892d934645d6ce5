# SPDX-License-Identifier: MIT
"""An alias with the release's name."""
from chainer.runtime_info import _get_runtime_info, get_runtime_info, _RuntimeInfo, print_runtime_info  # NOQA
