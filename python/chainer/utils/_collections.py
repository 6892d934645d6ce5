# SPDX-License-Identifier: MIT
from collections import OrderedDict  # NOQA
