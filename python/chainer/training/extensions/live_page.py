# SPDX-License-Identifier: MIT
from __future__ import absolute_import

from chainer import _core
from chainer.training.extensions import _library


class LivePage(_library.LibraryExtension):
    """Serves a page of the run while it trains, which also executes commands as :class:`CommandsExtension`.

    Prints the address and the token for changes to standard error. Raises RuntimeError in initialize() in a build
    without libmicrohttpd.

    Args:
        host (str): The address to listen on; by default only this machine.
        port (int): The port; 0 chooses a free one.
        args (dict or argparse.Namespace): Arguments of the program; written to the file ``args``.
        names (list of str): Host names under which a proxy serves the page.
    """

    priority = -200  # after snapshots

    def __init__(self, host='127.0.0.1', port=0, args=None, names=()):
        super(LivePage, self).__init__(_core.extensions.LivePage(host, port, _library.texts(args), list(names)))

    @staticmethod
    def available():
        """Returns True if this build has libmicrohttpd."""
        return _core.extensions.live_page_available()

    @property
    def address(self):
        """The address, as ``http://127.0.0.1:8080/``. Raises RuntimeError unless the trainer runs."""
        return self._core.address

    @property
    def token(self):
        """The token for changes. Raises RuntimeError unless the trainer runs."""
        return self._core.token
