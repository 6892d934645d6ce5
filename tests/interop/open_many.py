#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the time in which Chromium opens the page of 200 runs with 10,000 entries each: to the table of all runs,
and to the curves of the opened one.

usage: PYTHON_WITH_SELENIUM open_many.py CHAINER_PROGRAM [RUNS=200] [ENTRIES=10000] [PICTURE]
"""
import json, os, re, shutil, subprocess, sys, tempfile, time

from selenium import webdriver

chainer, runs, entries = os.path.abspath(sys.argv[1]), *(int(a) for a in (sys.argv[2:4] + ['200', '10000'][len(sys.argv[2:4]):]))
folder = tempfile.mkdtemp()
options = webdriver.ChromeOptions()
for argument in '--headless=new', '--no-sandbox', '--disable-dev-shm-usage':
    options.add_argument(argument)
log = json.dumps([{'main/loss': 1 / i, 'validation/main/loss': 2 / i, 'main/accuracy': 1 - 1 / i, 'epoch': i, 'iteration': 600 * i,
                   'elapsed_time': 1.5 * i} for i in range(1, entries + 1)], indent=4)
for i in range(runs):
    os.makedirs(f'{folder}/run_{i:03}')
    with open(f'{folder}/run_{i:03}/log', 'w') as file:
        file.write(log)
server = subprocess.Popen([chainer, 'serve', '--port=0', folder], stdout=subprocess.PIPE, text=True)
driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which('chromedriver')))
try:
    address = server.stdout.readline().strip()
    driver.get('about:blank')
    taken = []
    for turn in range(3):
        begin = time.time()
        driver.get(address)
        while driver.execute_script("return document.querySelectorAll('#runs tbody tr').length") < runs:
            assert time.time() < begin + 60, 'the runs do not come'
            time.sleep(0.01)
        listed = time.time() - begin
        while not driver.execute_script("return document.querySelectorAll('#curves polyline').length"):
            assert time.time() < begin + 60, 'the curves do not come'
            time.sleep(0.01)
        taken.append(time.time() - begin)
        print(f'{runs} runs of {entries} entries are listed after {listed:.2f} s, the curves of one drawn after {taken[-1]:.2f} s',
              flush=True)
    if len(sys.argv) > 4:
        driver.save_screenshot(sys.argv[4])
finally:
    driver.quit()
    server.terminate()
    shutil.rmtree(folder)
