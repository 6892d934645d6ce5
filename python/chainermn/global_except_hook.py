# SPDX-License-Identifier: MIT
"""Ends all processes when one of them fails, which otherwise leaves the others waiting."""
import os
import sys
import warnings

_orig_except_hook = None


def _add_hook_if_enabled():
    if os.environ.get('CHAINERMN_FORCE_ABORT_ON_EXCEPTION') or os.environ.get('CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS'):
        add_hook()


def add_hook():
    """Makes an uncaught exception print the process's rank and end all processes of the MPI program."""
    global _orig_except_hook
    if _orig_except_hook is not None:
        warnings.warn('chainermn.global_except_hook.add_hook(): the hook is there already')
        return
    _orig_except_hook, sys.excepthook = sys.excepthook, _global_except_hook


def _global_except_hook(exctype, value, traceback):
    try:
        import mpi4py.MPI
        rank = mpi4py.MPI.COMM_WORLD.Get_rank()
        sys.stderr.write('\nUncaught exception on rank {}; MPI_Abort() ends all processes.\n'.format(rank))
        (_orig_except_hook or sys.__excepthook__)(exctype, value, traceback)
        sys.stderr.flush()
    finally:
        try:
            mpi4py.MPI.COMM_WORLD.Abort(1)
        except Exception as e:
            sys.stderr.write('MPI_Abort() failed: {}\n'.format(e))
            raise
