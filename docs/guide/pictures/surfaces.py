#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the guide's pictures of the live page, the report, TensorBoard's pages and the dashboard.

usage: PYTHON_WITH_SELENIUM_PILLOW_AND_TENSORBOARD surfaces.py BUILD PICTURES [dashboard|live_page|report|tensorboard ...]
(Chromium, its driver and tmux must be installed.)
"""
import html, os, re, shutil, subprocess, sys, tempfile, time

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

build, pictures = map(os.path.abspath, sys.argv[1:3])
train, chainer = f'{build}/examples/mnist/train_mnist', f'{build}/tools/chainer'
folder = tempfile.mkdtemp()
started = []


def mnist(out, *options, **more):
    """Runs train_mnist like a user, so that its output names result/ and no path of this machine."""
    return subprocess.Popen(['train_mnist', '--dataset', 'drawn', '--seed', '1', '--out', out, *options], executable=train,
                            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def start(command, pattern, **more):
    """Starts a server; returns the address that it prints."""
    process = subprocess.Popen(command, cwd=folder, text=True, **more)
    started.append(process)
    for line in process.stdout or process.stderr:
        if found := re.search(pattern, line):
            return found.group()
    raise AssertionError(f'{command[0]} ended')


def eventually(what, condition, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if value := condition():
                return value
        except Exception:
            pass
        time.sleep(0.2)
    driver.save_screenshot(f'{tempfile.gettempdir()}/failed.png')
    raise AssertionError(what + ' did not come about')


def size(width, height):
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {'width': width, 'height': height, 'deviceScaleFactor': 1,
                                                                  'mobile': width < 600})


def scheme(name):
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': name}]})


def picture(name, wait=1.0):
    """Saves a picture of the window with 128 colours."""
    time.sleep(wait)
    file = f'{pictures}/{name}.png'
    driver.save_screenshot(file)
    Image.open(file).convert('RGB').quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    assert os.path.getsize(file) < 150_000, f'{file} is large'


def live_page():
    assert mnist('runs/lr_small', '--epoch', '6', '--unit', '100', '--optimizer', 'sgd').wait() == 0
    address = start([chainer, 'serve', '--port=0', 'runs'], r'http://\S+#\S+', stdout=subprocess.PIPE)
    started.append(mnist('runs/adam', '--epoch', '2000', '--unit', '30', '--batchsize', '500', '--live'))
    size(1300, 1100)
    driver.get(address)
    eventually('the run', lambda: driver.find_element(By.XPATH, '//button[text()="adam"]').click() or True)
    eventually('entries', lambda: len(driver.find_elements(By.CSS_SELECTOR, '#log tbody tr')) > 8)
    picture('live')
    scheme('dark')
    picture('live_dark')
    scheme('light')
    size(390, 844)
    picture('live_phone')
    started[-1].terminate()
    started[-1].wait()


def report():
    size(1140, 1000)
    driver.get(f'file://{folder}/result/report.html')
    picture('report')


def tensorboard():
    address = start([os.path.join(os.path.dirname(sys.executable), 'tensorboard'), '--logdir', 'result', '--host', '127.0.0.1',
                     '--port', '0', '--load_fast', 'false'], r'http://127\S+', stderr=subprocess.PIPE)
    text = '''const all = [];
    const walk = n => { if (n.nodeType === 3) all.push(n.data); if (n.shadowRoot) walk(n.shadowRoot);
                        if (n.tagName !== 'STYLE' && n.tagName !== 'SCRIPT') for (const c of n.childNodes) walk(c); };
    walk(document.body);
    return all.join(' ');'''
    for page, name, word in (('scalars&tagFilter=main', 'scalars', 'accuracy'),):
        size(1300, 900)
        driver.get('about:blank')
        driver.get(f'{address}#{page}')
        eventually(f'TensorBoard\'s page {name}', lambda: word in driver.execute_script(text))
        picture(f'tensorboard_{name}', 8)


def dashboard():
    """Draws the contents of a tmux terminal in the browser."""
    tmux = ['tmux', '-L', f'surfaces{os.getpid()}', '-f', '/dev/null']
    environment = {k: v for k, v in os.environ.items() if k not in ('CI', 'NO_COLOR', 'TMUX')}
    subprocess.run([*tmux, 'new-session', '-d', '-x', '104', '-y', '28', '-c', folder,
                    f"exec '{train}' --dataset drawn --seed 1 --unit 100 --epoch 12 --dashboard --noplot"],
                   check=True, env=environment | {'LC_ALL': 'C.UTF-8'})

    def screen():
        return subprocess.run([*tmux, 'capture-pane', '-e', '-p'], check=True, capture_output=True, text=True).stdout

    shown = ''
    try:
        end = time.time() + 120
        while time.time() < end and not re.search(r'epoch (\x1b\[[0-9;]*m)*[89]\.', shown):
            time.sleep(0.3)
            shown = screen()
    finally:
        subprocess.run([*tmux, 'kill-server'])
    assert re.search(r'epoch (\x1b\[[0-9;]*m)*[89]\.', shown), shown
    size(850, 560)
    with open(f'{folder}/screen.html', 'w') as f:
        f.write('<!DOCTYPE html><meta charset=utf-8><body style="margin:0;background:#181a1f"><pre style="margin:14px;color:#d8dae0;'
                'font:13px/1.35 \'DejaVu Sans Mono\',monospace">' + coloured(shown.rstrip()) + '</pre>')
    driver.get(f'file://{folder}/screen.html')
    picture('dashboard', 0.5)


def cells(text):
    """Converts characters of a terminal; braille characters use another font and are put into cells of equal width."""
    return re.sub('[\u2588-\u258f\u2800-\u28ff]', r'<i style="font-style:normal;display:inline-block;width:1ch">\g<0></i>',
                  html.escape(text))


def coloured(text):
    """Converts a terminal's text to HTML: colours, bold and dim."""
    palette = ['#555b66', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d8dae0']
    out, style = [], {}
    for i, piece in enumerate(re.split(r'\x1b\[([0-9;]*)m', text)):
        if i % 2 == 0:
            out.append(f'<span style="{";".join(f"{k}:{v}" for k, v in style.items())}">{cells(piece)}</span>')
            continue
        for code in map(int, (piece or '0').split(';')):
            if code == 0:
                style = {}
            elif code == 1:
                style['font-weight'] = 'bold'
            elif code == 2:
                style['opacity'] = '0.6'
            elif 30 <= code <= 37 or 90 <= code <= 97:
                style['color'] = palette[code % 10]
            elif code == 39:
                style.pop('color', None)
    return ''.join(out)


options = webdriver.ChromeOptions()
for argument in '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--hide-scrollbars', '--force-device-scale-factor=1':
    options.add_argument(argument)
driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which('chromedriver')))
try:
    driver.set_page_load_timeout(60)
    assert mnist('result', '--epoch', '8', '--unit', '100', '--report', '--tensorboard').wait() == 0
    for surface in sys.argv[3:] or ('dashboard', 'live_page', 'report', 'tensorboard'):
        globals()[surface]()
finally:
    driver.quit()
    for process in started:
        process.kill()
    shutil.rmtree(folder, ignore_errors=True)
