# SPDX-License-Identifier: MIT
import contextlib
import os
import stat


@contextlib.contextmanager
def replaced(path, mode='w', **kwargs):
    """Opens a file to write, which takes the place of `path` at once when the statement ends without an error.

    Otherwise as open(): the file that a link names is written, an existing file keeps its mode, a new one has that of
    the umask, and what cannot be replaced, such as a pipe or a device, is written directly.
    """
    given, path = path, os.path.realpath(os.fsdecode(path))
    old = os.stat(given).st_mode if os.path.exists(given) else None
    direct = old is not None and not (stat.S_ISREG(old) and os.access(path, os.W_OK))
    if direct or (old is not None and not os.access(os.path.dirname(path), os.W_OK)):
        with open(given, mode, **kwargs) as f:
            yield f
        return
    temporary = os.path.join(os.path.dirname(path), '.{}.tmp'.format(os.urandom(6).hex()))
    try:
        with open(temporary, mode.replace('w', 'x'), **kwargs) as f:
            yield f
        if old is not None:
            os.chmod(temporary, stat.S_IMODE(old))
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
