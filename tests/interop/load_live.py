#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of readers of the live page for a training program: processor time of train_mnist --live with and without
readers, alternating, the minimum of each, from the second entry of the log (when readers have connected) to the end. A
reader behaves as the page for an open run: it waits for events, takes the new entry from them or requests the log, and
requests the pictures if the event says that they have changed.

usage: load_live.py TRAIN_MNIST [READERS=500] [TURNS=3] [EPOCHS=6]
"""
import asyncio, json, os, re, resource, subprocess, sys, tempfile

program, readers, turns, epochs = sys.argv[1], *(int(a) for a in (sys.argv[2:] + ['500', '3', '6'][len(sys.argv) - 2:]))
resource.setrlimit(resource.RLIMIT_NOFILE, (max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 4 * readers),
                                            resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


async def ask(port, path):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    writer.write(f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n'.encode())
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b'\r\n\r\n')
    assert head.startswith(b'HTTP/1.1 200'), head[:100]
    return json.loads(body)


async def watch(port, seen):
    have, newest, drawn = 0, None, None
    try:
        reader, writer = await asyncio.open_connection('127.0.0.1', port)
        writer.write(f'GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode())
        while line := await reader.readline():
            if line.startswith(b'retry'):
                seen['connected'] += 1
            if line.startswith(b'data: '):
                seen['events'] += 1
                run = json.loads(line[6:])
                if have and newest == run['before']:
                    have += 1
                elif not have or newest != run['last']['elapsed_time']:
                    have += len((await ask(port, f'/api/log?run=.&from={have}'))['entries'])
                newest = run['last'] and run['last']['elapsed_time']
                if drawn != run['pictures']:
                    await ask(port, '/api/pictures?run=.')
                drawn = run['pictures']
        writer.close()
    except (OSError, asyncio.IncompleteReadError):
        pass  # the program has ended
    seen['entries'] += have


async def second_entry(process, log):
    """Returns the processor seconds that a program has used when its log has two entries."""
    while process.returncode is None:
        await asyncio.sleep(0.02)
        if os.path.exists(log) and open(log).read().count('"epoch"') >= 2:
            fields = open(f'/proc/{process.pid}/stat').read().rpartition(')')[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


async def run(count):
    """Returns the processor seconds of a run with this number of readers."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([program, '--dataset', 'drawn', '--epoch', str(epochs), '--noplot', '--seed', '1',
                                    '--out', folder, '--live'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        port = None
        while port is None:
            line = process.stderr.readline().decode()
            assert line, 'the program ended'
            port = re.search(r'http://127.0.0.1:(\d+)', line)
        port = int(port.group(1))
        drain = asyncio.get_running_loop().run_in_executor(None, process.stderr.read)
        seen = {'connected': 0, 'events': 0, 'entries': 0}
        begun, *_ = await asyncio.gather(second_entry(process, os.path.join(folder, 'log')),
                                         *(watch(port, seen) for _ in range(count)))
        await drain
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0, f'the program ended with {status}'
        if count:
            assert seen['connected'] == count, f"{seen['connected']} of {count} readers were served"
            assert seen['entries'] >= count * (epochs - 1), seen
        return usage.ru_utime + usage.ru_stime - begun, seen


alone, watched = [], []
for turn in range(turns):
    alone.append(asyncio.run(run(0))[0])
    seconds, seen = asyncio.run(run(readers))
    watched.append(seconds)
    print(f'turn {turn + 1}: {alone[-1]:.2f} s of processor time alone, {watched[-1]:.2f} s with {readers} readers, '
          f'who saw {seen["events"]} events and {seen["entries"]} entries', flush=True)
print(f'least of {turns}: {min(alone):.2f} s alone, {min(watched):.2f} s watched: '
      f'{100 * (min(watched) / min(alone) - 1):.2f} % more')
