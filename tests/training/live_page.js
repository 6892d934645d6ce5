// The live page without a browser: page.html as a few stub elements, a server in memory, and what its script does with
// them. `node live_page.js page.html plot.js progress.js page.js` or `qjs --std live_page.js ...`.
const inNode = typeof require === 'function';
const read = inNode ? file => require('fs').readFileSync(file, 'utf8') : file => std.loadFile(file);
const files = typeof process === 'object' ? process.argv.slice(2) : scriptArgs.slice(1);

class Element {
  constructor(tag) {
    Object.assign(this, {tag, attributes: {}, children: [], listeners: {}, style: {}, dataset: {}, value: '', hidden: false});
    this.classList = {add() {}, remove() {}, toggle() {}};
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith('data-')) this.dataset[name.slice(5)] = String(value);
  }
  getAttribute(name) {
    return name in this.attributes ? this.attributes[name] : null;
  }
  append(...children) {
    this.children.push(...children);
  }
  appendChild(child) {
    this.children.push(child);
    return child;
  }
  replaceChildren(...children) {
    this.children = children;
  }
  addEventListener(name, f) {
    this.listeners[name] = f;
  }
  contains() {
    return false;
  }
  all() {
    return this.children.filter(child => child instanceof Element).flatMap(child => [child, ...child.all()]);
  }
  querySelectorAll(selector) {
    return this.all().filter(child => child.tag === selector || (selector === 'figure' && child.tag === 'figure'));
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] || null;
  }
  get firstChild() {
    return this.children[0];
  }
  get textContent() {
    return this.children.map(child => child instanceof Element ? child.textContent : String(child)).join('');
  }
  set textContent(text) {
    this.children = [text];
  }
  get outerHTML() {
    return JSON.stringify([this.tag, this.attributes, this.children.map(c => c instanceof Element ? c.outerHTML : c)]);
  }
  showModal() {
    this.open = true;
  }
  close(value) {
    this.open = false;
    this.returnValue = value;
    this.onclose();
  }
}

// The elements with a name or a command, in any order.
const html = read(files[0]);
const named = {};
const buttons = [];
for (const [, tag, attributes] of html.matchAll(/<(\w+)((?: [\w-]+(?:="[^"]*")?)*)>/g)) {
  const element = new Element(tag);
  for (const [, name, value] of attributes.matchAll(/ ([\w-]+)(?:="([^"]*)")?/g)) element.setAttribute(name, value || '');
  if (element.attributes.id) named[element.attributes.id] = element;
  if (element.attributes['data-command']) buttons.push(element);
}
for (const id of ['runs', 'log']) Object.assign(named[id], {tHead: new Element('thead'), tBodies: [new Element('tbody')]});
Object.assign(named.axis, {value: 'iteration'});
Object.assign(named.smoothing, {value: '0'});

// What the page asks for, and the news that it is told.
const answers = {'api/commands': [], 'api/hyperparams': {main: {hyperparam: {lr: 0.1}}}, 'api/pictures': []};
const logs = {};
const sent = [];
let news = null;
Object.assign(globalThis, {
  document: {
    getElementById: id => named[id] || null,
    createElement: tag => new Element(tag),
    createElementNS: (space, tag) => new Element(tag),
    querySelectorAll: selector => selector === '[data-command]' ? buttons : [],
    body: new Element('body'),
    activeElement: null,
  },
  location: {hash: '', pathname: '/'},
  history: {replaceState() {}},
  sessionStorage: {getItem: () => 'token', setItem() {}},
  matchMedia: () => ({matches: false, addEventListener() {}}),
  URLSearchParams: class {
    constructor(of) {
      this.of = of;
    }
    get() {
      return null;
    }
    toString() {
      return JSON.stringify(this.of);
    }
  },
  EventSource: class {
    constructor() {
      news = this;
    }
  },
  fetch: async (path, options) => {
    if (options) sent.push(JSON.parse(options.body));
    const [name, parameters] = path.split('?');
    const of = parameters ? JSON.parse(parameters) : {};
    return {ok: true, json: async () => name === 'api/log' ? logs[of.run] : options ? {done: true} : answers[name]};
  },
});
if (typeof setTimeout !== 'function') globalThis.setTimeout = (f, ms) => os.setTimeout(f, ms);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

let passed = 0;
let failed = 0;
function expect(what, condition) {
  if (condition) return ++passed;
  ++failed;
  console.log('FAILED: ' + what);
}
const button = command => buttons.find(b => b.dataset.command === command);
const click = element => element.listeners.click({target: element});
const figures = () => named.curves.all().filter(e => e.tag === 'figure');
const strokes = i => figures()[i].all().filter(e => (e.attributes.class || '').startsWith('curve')).map(
  e => [e.attributes.stroke, e.attributes['stroke-dasharray']]);
const row = i => named.runs.tBodies[0].children[i];
const run = (path, color, more = {}) => ({path, state: 'running', told: true, modified: 1, size: 5, args: null, color,
  last: {epoch: 1, iteration: 10, 'main/loss': 2}, before: null, curves: 1, foreign: false, commands: 1, pictures: 1,
  progress: {iteration: 30, epoch: 3, length: 10, unit: 'epoch', rate: 5, left: 14, memory: 1e8}, ...more});

async function main() {
  const entries = [{epoch: 1, iteration: 10, 'main/loss': 2, 'val/loss': 3, acc: 0},
    {epoch: 2, iteration: 20, 'main/loss': 1, 'val/loss': 2, acc: 1}];
  logs.a = {from: 0, total: 2, entries};
  logs.b = {from: 0, total: 2, entries, curves: {'main/loss': {x: [1, 2, 3], y: [3, 2, 1]}}};
  answers['api/runs'] = [run('a', 3), run('b', 5)];
  new Function(files.slice(1).map(read).join('\n'))();
  news.onopen();
  await pause(30);

  expect('the newest run is shown', named.state.textContent === 'running' && named.left.textContent.includes('14 s left'));
  expect('progress', !named.progress.hidden && named.done.value === 0.3 && named.numbers.textContent.includes('3 of 10'));
  expect('progress in the table', row(0).textContent.includes('30 %, 14 s left'));
  expect('a run has its color', JSON.stringify(strokes(0)) === '[["#c42633","none"],["#8054b3","none"]]');
  const rowOfB = row(1);
  row(1).all().find(e => e.tag === 'input').listeners.change({target: {checked: true}});
  await pause(30);
  expect('runs have colors, their values dashes', JSON.stringify(strokes(0)) ===
    '[["#c42633","none"],["#c42633","6 3"],["#805240","none"],["#805240","6 3"]]');
  expect('the row of a chosen run', row(1) !== rowOfB || row(1).all().find(e => e.tag === 'input').checked);
  const curves = figures()[0].all().filter(e => (e.attributes.class || '').startsWith('curve'));
  expect('values of each iteration', curves[2].attributes.d.split('L').length === 3);

  // A logarithm of its own, which stays while the curves grow; not for values that have none.
  const boxes = () => figures().map(f => f.all().find(e => e.tag === 'input'));
  expect('logarithms', boxes()[1].disabled && !boxes()[0].disabled);
  const before = curves[0].attributes.d;
  boxes()[0].checked = true;
  boxes()[0].listeners.change();
  const after = () => figures()[0].all().find(e => (e.attributes.class || '').startsWith('curve')).attributes.d;
  expect('the chart is drawn anew', after() !== before);
  const kept = figures()[0];
  await news.onmessage({data: JSON.stringify(run('a', 3, {size: 6}))});
  await pause(80);
  expect('the chart and its choice stay', figures()[0] === kept && boxes()[0].checked && !boxes()[1].checked);

  // The question before Stop.
  const dialog = named['ask-stop'];
  click(button('stop'));
  expect('a question', dialog.open && sent.length === 0 && named['ask-stop-name'].textContent === 'a');
  dialog.close('');
  await pause(10);
  expect('no is no', sent.length === 0);
  click(button('stop'));
  dialog.close('stop');
  await pause(10);
  expect('yes', sent.length === 1 && sent[0].name === 'stop' && sent[0].run === 'a');
  click(button('take_snapshot'));
  await pause(10);
  expect('a snapshot is not asked about', sent.length === 2);

  // States, and what can be asked of them.
  const disabled = () => buttons.filter(b => b.disabled).map(b => b.dataset.command).join();
  for (const [state, out] of [['running', 'resume'], ['paused', 'pause'], ['failed', 'take_snapshot,pause,resume,stop']]) {
    await news.onmessage({data: JSON.stringify(run('a', 3, {state, commands: state}))});
    expect(`commands of a run that is ${state}`, disabled() === out && named.state.textContent === state);
  }
  expect('a failed run has no speed', !named.numbers.textContent.includes('speed') && !named.left.textContent.includes('left'));
  await news.onmessage({data: JSON.stringify(run('a', 3, {progress: null, told: false, state: 'idle'}))});
  expect('no progress is no section', named.progress.hidden);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed) throw new Error('failed');
}
main().catch(error => {
  console.log(String(error), error.stack, '\n' + `${passed} passed, ${failed + 1} failed`);
  if (inNode) process.exit(1);
  else std.exit(1);
});
