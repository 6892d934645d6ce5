# SPDX-License-Identifier: MIT
def check():
    """Warns about incompatible packages. This library needs only NumPy."""
