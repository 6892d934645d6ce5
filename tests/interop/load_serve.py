#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of a reader for the server of the live page: processor time of `chainer serve` while a log gets an entry per
second, with and without readers of its events, in microseconds per reader and event.

usage: load_serve.py CHAINER [READERS=500] [ENTRIES=20]
"""
import asyncio, json, os, re, subprocess, sys, tempfile

program, readers, entries = sys.argv[1], *(int(a) for a in (sys.argv[2:] + ['500', '20'][len(sys.argv) - 2:]))


def processor(pid):
    """Returns the processor time of the program's threads in microseconds, including system time."""
    spent = 0
    for thread in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{thread}/schedstat') as file:
            spent += int(file.read().split()[0]) / 1000
    return spent


async def watch(port, seen):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    writer.write(f'GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n'.encode())
    try:
        while line := await reader.readline():
            seen['connected'] += line.startswith(b'retry')
            seen['events'] += line.startswith(b'data: ')
    except OSError:
        pass
    writer.close()


async def run(count):
    with tempfile.TemporaryDirectory() as folder:
        log = []

        def write():
            n = len(log) + 1
            log.append({'main/loss': 1 / n, 'validation/main/loss': 1 / n, 'main/accuracy': 1 - 1 / n, 'epoch': n,
                        'iteration': 600 * n, 'elapsed_time': float(n)})
            with open(f'{folder}/tmp', 'w') as file:
                json.dump(log, file)
            os.rename(f'{folder}/tmp', f'{folder}/log')

        write()
        process = subprocess.Popen([program, 'serve', folder, '--port=0'], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        while not (port := re.search(rb'http://127.0.0.1:(\d+)', line := process.stdout.readline())):
            assert line, 'the server ended'
        seen = {'connected': 0, 'events': 0}
        tasks = [asyncio.create_task(watch(int(port.group(1)), seen)) for _ in range(count)]
        while seen['connected'] < count:
            await asyncio.sleep(0.1)
        await asyncio.sleep(1)
        begun = processor(process.pid)
        for _ in range(entries):
            write()
            await asyncio.sleep(1)
        spent = processor(process.pid) - begun
        process.terminate()
        await asyncio.gather(*tasks)
        process.wait()
        assert seen['events'] >= 0.9 * count * entries, f"{seen['events']} events came"
        return spent


alone, watched = asyncio.run(run(0)), asyncio.run(run(readers))
print(f'{alone / entries / 1000:.2f} ms of processor time a second alone, {watched / entries / 1000:.2f} ms with '
      f'{readers} readers: {(watched - alone) / readers / entries:.1f} us a reader and event')
