#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts the published tensorboard with the files of tensorboard_write, checks the contents of its pages in headless
Chromium, and saves a picture of each page.

usage: PYTHON_WITH_TENSORBOARD_AND_SELENIUM look_at_tensorboard.py FOLDER PICTURES
"""
import os, re, shutil, subprocess, sys, time

from selenium import webdriver

folder, pictures = sys.argv[1:3]
os.makedirs(pictures, exist_ok=True)
server = subprocess.Popen([os.path.join(os.path.dirname(sys.executable), 'tensorboard'), '--logdir', folder, '--host',
                           '127.0.0.1', '--port', '0', '--load_fast', 'false'], stderr=subprocess.PIPE, text=True)
address = None
while not address:
    line = server.stderr.readline()
    assert line, 'tensorboard ended'
    address = re.search(r'http://127\S+', line)
address = address.group()

options = webdriver.ChromeOptions()
for argument in '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--window-size=1400,1000':
    options.add_argument(argument)
driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which('chromedriver')))

# The text of a page, including the shadow roots of its elements.
TEXT = '''const all = [];
const walk = n => {
  if (n.nodeType === 3) all.push(n.data);
  if (n.shadowRoot) walk(n.shadowRoot);
  if (n.tagName !== 'STYLE' && n.tagName !== 'SCRIPT') for (const c of n.childNodes) walk(c);
};
walk(document.body);
return all.join(' ');'''
try:
    for page, name, words in (('scalars', 'scalars', ['loss/main', 'main/accuracy', 'run/seconds_per_iteration']),
                              ('histograms', 'histograms', ['weights', 'parameters/predictor/0/W']),
                              ('images', 'images', ['picture']),
                              ('text', 'text', ['notes', 'A run']),
                              ('hparams', 'hparams', ['units', 'relu', 'small']),
                              ('graphs&run=graph', 'graphs', ['predictor', 'SoftmaxCrossEntropy'])):
        driver.get('about:blank')
        driver.get(f'{address}#{page}')
        end = time.time() + 40
        missing = words
        while missing and time.time() < end:
            time.sleep(0.5)
            shown = driver.execute_script(TEXT)
            # TensorBoard groups tags by the part before the slash.
            missing = [w for w in words if w not in shown and w.split('/')[0] not in shown]
        time.sleep(2)  # drawing takes a moment
        driver.save_screenshot(os.path.join(pictures, f'tensorboard_{name}.png'))
        assert not missing, f'the page {page} does not show {missing}'
    print('tensorboard shows scalars, histograms, images, texts, hyperparameters and the graph')
finally:
    driver.quit()
    server.terminate()
