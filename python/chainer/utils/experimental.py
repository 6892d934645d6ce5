# SPDX-License-Identifier: MIT
import warnings

import chainer


def experimental(api_name):
    """Warns that a name may change, unless chainer.disable_experimental_feature_warning is set."""
    if not chainer.disable_experimental_feature_warning:
        warnings.warn('{} is experimental. The interface can change in the future.'.format(api_name), FutureWarning,
                      stacklevel=2)
