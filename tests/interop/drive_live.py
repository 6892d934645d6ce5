#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives the page of results in headless Chromium: a run appears, its curve grows, a learning rate is changed and takes
effect, a pause holds it, stop ends it with a snapshot. Pictures of the page go to a folder.

usage: PYTHON_WITH_SELENIUM drive_live.py CHAINER_PROGRAM TRAIN_MNIST FOLDER [PICTURES]
"""
import json, os, re, shutil, subprocess, sys, time

from selenium import webdriver
from selenium.webdriver.common.by import By

program, train, folder = sys.argv[1:4]
pictures = sys.argv[4] if len(sys.argv) > 4 else folder
os.makedirs(folder, exist_ok=True)
os.makedirs(pictures, exist_ok=True)


def mnist(name, *options, **more):
    return subprocess.Popen([train, '--dataset', 'drawn', '--unit', '30', '--out', os.path.join(folder, name),
                             *options], stdout=subprocess.DEVNULL, text=True, **more)


# A finished run, and the server.
assert mnist('finished', '--epoch', '4', '--batchsize', '200').wait() == 0
server = subprocess.Popen([program, 'serve', '--port=0', folder], stdout=subprocess.PIPE, text=True)
server.stdout.readline()
address = re.search(r'http\S+', server.stdout.readline()).group()

options = webdriver.ChromeOptions()
for argument in '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--force-device-scale-factor=1':
    options.add_argument(argument)
options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
# The driver of the system; without one, Selenium looks for one.
own = shutil.which('chromedriver')
driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(own) if own else None)


def eventually(what, condition, seconds=20):
    end = time.time() + seconds
    while time.time() < end:
        try:
            value = condition()
            if value:
                return value
        except Exception:
            pass
        time.sleep(0.1)
    driver.save_screenshot(os.path.join(pictures, 'failed.png'))
    raise AssertionError(what + ' did not come about')


def click(selector):
    driver.execute_script('arguments[0].scrollIntoView({block: "center"})', driver.find_element(By.CSS_SELECTOR, selector))
    driver.find_element(By.CSS_SELECTOR, selector).click()


def rows():
    return [r.text for r in driver.find_elements(By.CSS_SELECTOR, '#runs tbody tr')]


def commands(run):
    with open(os.path.join(folder, run, 'commands')) as f:
        return json.load(f)


def picture(name, width, height):
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                           {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': width < 600})
    time.sleep(0.4)
    driver.save_screenshot(os.path.join(pictures, name))


running = None
try:
    driver.set_window_size(1300, 1500)
    driver.get(address)
    eventually('the finished run', lambda: any('finished' in r for r in rows()))
    assert len(driver.find_elements(By.CSS_SELECTOR, '#curves figure')) == 2  # losses, accuracies

    # Without a page of the program itself: `serve` and the file of commands only.
    running = mnist('running', '--epoch', '2000', '--batchsize', '500', '--live', stderr=subprocess.PIPE)
    eventually('the new run', lambda: any('running' in r and 'idle' not in r for r in rows() if r.startswith('running')))
    eventually('the running one', lambda: driver.find_element(By.XPATH, '//button[text()="running"]').click() or True)
    points = lambda: len(driver.find_elements(By.CSS_SELECTOR, '#log tbody tr'))
    before = eventually('entries', points)
    eventually('a growing log', lambda: points() > before)
    assert len(driver.find_elements(By.CSS_SELECTOR, '#curves polyline')) == 8  # four keys of two runs

    rate = eventually('the form', lambda: driver.find_element(By.CSS_SELECTOR, '[data-key="alpha"]'))
    rate.clear()
    rate.send_keys('0.0003')
    driver.find_element(By.ID, 'by').send_keys('ann')
    click('#hyperparameters button')
    eventually('the answer', lambda: 'alpha = 0.0003 (ann (127.0.0.1)): done' in driver.find_element(By.ID, 'commands').text)
    answer = commands('running')[0]['response']
    assert answer['status'] == 'SUCCESS' and answer['body']['hyperparam'] == {'alpha': 0.0003}, answer

    click('[data-command="pause"]')
    eventually('the pause', lambda: len(commands('running')) == 2 and commands('running')[1]['response'])
    time.sleep(1)
    stood = points()
    time.sleep(1.5)
    assert points() == stood, 'the paused run went on'
    click('[data-command="resume"]')
    eventually('the run to go on', lambda: points() > stood)

    search = driver.find_element(By.ID, 'search')
    search.send_keys('batchsize>300')
    eventually('the search', lambda: len(rows()) == 1 and rows()[0].startswith('running'))
    for _ in 'batchsize>300':
        search.send_keys('\b')
    picture('live.png', 1300, 1100)
    picture('live_phone.png', 390, 844)
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': 'dark'}]})
    picture('live_dark.png', 1300, 1100)

    click('[data-command="stop"]')
    eventually('the end', lambda: running.poll() is not None)
    assert running.returncode == 0
    assert any(f.startswith('snapshot_iter_') for f in os.listdir(os.path.join(folder, 'running')))
    assert 'requested by ann' in running.stderr.read()

    # Hundreds of runs that appear, some with damaged logs, and are removed.
    for i in range(600):
        os.makedirs(os.path.join(folder, f'many/{i}'))
        with open(os.path.join(folder, f'many/{i}/log'), 'w') as f:
            f.write('[{"loss": 1e308, "iteration": 1}, 7, {"loss": -1e308, "iteration": 2}, null]')
    count = lambda: driver.execute_script("return document.querySelectorAll('#runs tbody tr').length")
    eventually('six hundred runs', lambda: count() == 602)
    driver.execute_script("document.querySelector('#runs tbody tr:last-child').previousSibling.querySelector('input').click()")
    driver.execute_script("for (const b of document.querySelectorAll('#runs tbody button')) if (b.textContent === 'many/0') b.click()")
    eventually('the damaged log', lambda: points() == 2)
    shutil.rmtree(os.path.join(folder, 'many'))
    eventually('the end of six hundred runs', lambda: count() == 2)
    eventually('another run', lambda: driver.find_element(By.CSS_SELECTOR, '.run-name').text == 'finished')
    eventually('the running one', lambda: driver.find_element(By.XPATH, '//button[text()="running"]').click() or True)
    eventually('the form', lambda: driver.find_element(By.CSS_SELECTOR, '[data-key="alpha"]'))

    # Commands without the token are rejected.
    driver.execute_script("document.getElementById('token').value = 'wrong'")
    click('[data-command="take_snapshot"]')
    eventually('the refusal', lambda: 'need the token' in driver.find_element(By.ID, 'answer').text)
    severe = [e for e in driver.get_log('browser') if e['level'] == 'SEVERE' and '403' not in e['message'] and 'many' not in e['message']]
    assert not severe, severe
    print('the page showed, changed, paused and stopped a run')
finally:
    driver.quit()
    server.kill()
    if running and running.poll() is None:
        running.kill()
