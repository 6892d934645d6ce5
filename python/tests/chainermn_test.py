# SPDX-License-Identifier: MIT
"""ChainerMN in one, two and three processes."""
import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip('mpi4py')
HERE = os.path.dirname(os.path.abspath(__file__))


def run_processes(n, script, arguments, variables):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMP_NUM_THREADS='1',
                       OMPI_MCA_rmaps_base_oversubscribe='1', OMPI_MCA_mpi_yield_when_idle='1', **variables)
    return subprocess.run(['mpiexec', '-n', str(n), sys.executable, os.path.join(HERE, script)] + arguments,
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          timeout=300)


@pytest.mark.skipif(shutil.which('mpiexec') is None, reason='there is no mpiexec')
@pytest.mark.parametrize('n, communicator', [(1, 'naive'), (2, 'naive'), (2, 'flat'), (3, 'hierarchical')])
def test_processes(n, communicator, tmp_path):
    run = run_processes(n, 'mn_processes.py', [str(tmp_path), communicator], {})
    assert run.returncode == 0 and run.stdout.count('passed') == n, run.stdout


# On the emulated devices; NCCL's substitute is built with the tests of the library (tests/mn).
@pytest.mark.skipif(shutil.which('mpiexec') is None, reason='there is no mpiexec')
@pytest.mark.parametrize('n, communicator, nccl', [
    (2, 'naive', 'none'), (3, 'flat', 'none'), (2, 'hierarchical', 'none'), (2, 'hierarchical', ''),
    (2, 'pure_nccl', ''), (3, 'pure_nccl', '')])
def test_processes_with_devices(n, communicator, nccl):
    library = nccl or os.environ.get('CHAINER_FAKE_NCCL', os.path.join(
        HERE, '..', '..', 'build', 'developer', 'tests', 'mn', 'libnccl_fake.so'))
    if not nccl and not os.path.exists(library):
        pytest.skip('there is no substitute for NCCL')
    emulated = dict(CHAINER_GPU='@cuda-emulated', CHAINER_NCCL_LIBRARY=os.path.realpath(library) if not nccl else nccl)
    if subprocess.call([sys.executable, '-c', 'import chainer; assert chainer.backends.cuda.available'],
                       env=dict(os.environ, **emulated), stderr=subprocess.DEVNULL) != 0:
        pytest.skip('this build has no emulated device')
    run = run_processes(n, 'mn_device_processes.py', [communicator], emulated)
    assert run.returncode == 0 and run.stdout.count('passed') == n, run.stdout


def test_errors():
    import chainermn
    comm = chainermn.create_communicator('naive')
    with pytest.raises(ValueError, match='unknown communicator'):
        chainermn.create_communicator('other')
    with pytest.raises(ValueError, match='only the communicator pure_nccl'):
        chainermn.create_communicator('naive', allreduce_grad_dtype='float16')
    with pytest.raises(RuntimeError, match='NCCL'):
        chainermn.create_communicator('pure_nccl')
    with pytest.raises(ValueError, match='double_buffering needs'):
        chainermn.create_multi_node_optimizer(None, comm, double_buffering=True)
    with pytest.raises(ValueError, match='no dot'):
        chainermn.create_multi_node_checkpointer('a.b', comm)
