# SPDX-License-Identifier: MIT
__version__ = '5.4.0'
_optional_dependencies = []
