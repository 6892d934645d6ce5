// What the page of runs does: it keeps the runs that the server tells of, draws those that are chosen, and sends commands.
// plot.js and progress.js stand before it.

const $ = id => document.getElementById(id);
const notCurves = ['epoch', 'iteration', 'elapsed_time'];
const runs = new Map();     // path -> element of /api/runs
const entries = new Map();  // path -> entries of the log
const each = new Map();     // path -> values of each iteration, for runs of few epochs
const chosen = new Set();   // the paths of the runs whose curves are drawn
const figures = new Map();  // title -> what a chart consists of
let open = null;            // the path of the run that the right column shows
let shownForm = '';         // the hyperparameters' form, as JSON
let listens = false;        // the program of that run executes commands

function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

async function get(path, parameters) {
  const answer = await fetch(path + (parameters ? '?' + new URLSearchParams(parameters) : ''));
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

function short(value) {
  if (typeof value !== 'number') return String(value ?? '');
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
}
function nameOf(path) {
  return path === '.' ? 'this folder' : path;
}
function ago(seconds) {
  if (seconds == null) return '';
  if (seconds < 90) return seconds + ' s';
  if (seconds < 5400) return Math.round(seconds / 60) + ' min';
  if (seconds < 129600) return Math.round(seconds / 3600) + ' h';
  return Math.round(seconds / 86400) + ' d';
}
function argumentsOf(run) {
  return run.args && typeof run.args === 'object' ? run.args : {};
}

// Returns true if a run matches the search: words in its name or arguments, and comparisons such as lr=0.1 with
// arguments or newest values.
function matches(run) {
  const values = {...argumentsOf(run), ...(run.last || {})};
  const text = (run.path + ' ' + Object.entries(argumentsOf(run)).map(([k, v]) => k + '=' + v).join(' ')).toLowerCase();
  const plain = key => key.replace(/^-+/, '').toLowerCase();
  return $('search').value.trim().split(/\s+/).every(word => {
    const comparison = word.match(/^([^<>=]+)(<=|>=|=|<|>)(.+)$/);
    if (!comparison) return text.includes(word.toLowerCase());
    const [, name, operator, wanted] = comparison;
    const key = Object.keys(values).find(k => plain(k) === plain(name));
    if (key === undefined) return false;
    const a = Number(values[key]);
    const b = Number(wanted);
    if (Number.isNaN(a) || Number.isNaN(b)) {
      return operator === '=' && String(values[key]).toLowerCase() === wanted.toLowerCase();
    }
    return {'<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b, '=': a === b}[operator];
  });
}

function colorOf(path, step = 0) {
  const run = runs.get(path);
  return colors[((run && run.color || 0) + step) % colors.length];
}
// A line in a curve's colour; at night its class gives it the lighter one.
function rule(color, dash) {
  const out = element('i', {class: 's' + color.slice(1)});
  out.style.borderColor = color;
  if (dash) out.style.borderTopStyle = dash === dashes[1] ? 'dashed' : 'dotted';
  return out;
}
function stateOf(run) {
  const bad = ['half-written', 'a link', 'empty', 'failed'].includes(run.state);
  return {class: 'state ' + (bad ? 'bad' : run.state), title: stateTitle(run)};
}

function rowOf(run, keys) {
  const box = element('input', {type: 'checkbox', 'aria-label': 'compare ' + nameOf(run.path),
    onchange: event => choose(run.path, event.target.checked)});
  box.checked = chosen.has(run.path);
  const last = run.last || {};
  const p = run.progress || {};
  const left = run.state === 'running' && typeof p.left === 'number' ? ', ' + ago(Math.round(p.left)) + ' left' : '';
  return element('tr', {class: run.path === open ? 'open' : ''},
    element('td', {}, box),
    element('td', {}, rule(colorOf(run.path)),
      element('button', {onclick: () => show(run.path)}, nameOf(run.path))),
    element('td', {}, element('span', stateOf(run), run.state + (run.foreign ? ', of another user' : ''))),
    element('td', {}, percent(fractionOf(run)) + left),
    ...['epoch', 'iteration'].map(key => element('td', {}, short(
      typeof p[key] === 'number' ? Math.floor(p[key]) : last[key]))),
    ...keys.map(key => element('td', {}, short(last[key]))),
    element('td', {}, ago(run.modified)));
}

function showRuns() {
  const shown = [...runs.values()].filter(matches);
  const keys = new Set();
  for (const run of shown) {
    for (const key of Object.keys(run.last || {})) if (key.includes('/') && keys.size < 4) keys.add(key);
  }
  const titles = ['', 'run', 'state', 'done', 'epoch', 'iteration', ...keys, 'written'];
  const row = shown.map(run => rowOf(run, [...keys]));
  keepFocus($('runs'), () => {
    $('runs').tHead.replaceChildren(element('tr', {}, ...titles.map(title => element('th', {scope: 'col'}, title))));
    $('runs').tBodies[0].replaceChildren(...row.map((tr, i) => keptRow(shown[i].path, tr)));
  });
  $('none').hidden = shown.length > 0;
}

// Rows are made anew only where something has changed, so that a reader's click or focus finds what it aimed at.
const rows = new Map();  // path -> row
function keptRow(path, tr) {
  const before = rows.get(path);
  const box = row => row.querySelector('input').checked;
  if (before && before.outerHTML === tr.outerHTML && box(before) === box(tr)) return before;
  rows.set(path, tr);
  return tr;
}
// Gives the focus back to what stands where the focused element stood.
function keepFocus(table, change) {
  const focused = table.contains(document.activeElement) ? document.activeElement : null;
  const label = focused && (focused.getAttribute('aria-label') || focused.textContent);
  change();
  if (!focused || table.contains(focused)) return focused && focused.focus();
  for (const other of table.querySelectorAll(focused.tagName)) {
    if ((other.getAttribute('aria-label') || other.textContent) === label) return other.focus();
  }
}

// Asks for the entries that are missing, part by part.
async function load(path) {
  for (;;) {
    const have = entries.get(path) || [];
    const more = await get('api/log', {run: path, from: have.length}).catch(() => null);
    if (!more) return;
    if (more.curves) each.set(path, more.curves);
    else each.delete(path);
    entries.set(path, more.from === 0 ? more.entries : have.concat(more.entries));
    if (!more.entries.length || entries.get(path).length >= more.total) return;
  }
}
// Appends the newest entry, which is part of the event, if it directly follows the known entries. Returns false if
// entries are missing.
function extend(run) {
  const have = entries.get(run.path);
  const last = run.last;
  if (!have || !have.length || !last || typeof run.before !== 'number') return false;
  const newest = have[have.length - 1].elapsed_time;
  if (newest === run.before) have.push(last);
  return newest === run.before || newest === last.elapsed_time;
}
async function choose(path, on) {
  if (!on) {
    chosen.delete(path);
  } else if (!chosen.has(path)) {
    chosen.add(path);
    await load(path);
  }
  showRuns();
  draw();
}

// Returns the curves of a run. Each key has its own points, since not all entries have all keys.
function curvesOf(path, axis, smoothing) {
  const log = entries.get(path) || [];
  const keys = new Set();
  for (const entry of log) for (const key in entry) if (!notCurves.includes(key)) keys.add(key);
  for (const key in each.get(path) || {}) keys.add(key);
  const out = [];
  for (const key of keys) {
    const {x, y} = pointsOf(log, each.get(path), key, axis);
    if (x.length) out.push({path, key, x, y: smoothed(y, smoothing)});
  }
  return out;
}

// A chart for each last part of a name: main/loss and validation/main/loss lie over each other.
function draw() {
  const charts = new Map();
  for (const path of [...chosen].sort()) {
    for (const curve of curvesOf(path, $('axis').value, Number($('smoothing').value))) {
      const title = curve.key.slice(curve.key.lastIndexOf('/') + 1);
      if (!charts.has(title)) charts.set(title, []);
      charts.get(title).push(curve);
    }
  }
  const order = [...charts.keys()].sort((a, b) => (b === 'loss') - (a === 'loss') || a.localeCompare(b));
  for (const title of figures.keys()) if (!charts.has(title)) figures.delete(title);
  const all = order.map(title => {
    if (!figures.has(title)) figures.set(title, chart(title));
    figures.get(title).update(charts.get(title));
    return figures.get(title).element;
  });
  // What stays in its place keeps the focus.
  if (all.length !== $('curves').children.length || all.some((e, i) => e !== $('curves').children[i])) {
    $('curves').replaceChildren(...all);
  }
  if (!order.length) $('curves').textContent = 'Choose a run.';
}

// A chart that stays while its curves grow: its logarithm is the reader's choice for this chart.
function chart(title) {
  const svg = svgElement('svg', {role: 'img'});
  const legend = element('div', {class: 'legend'});
  const where = element('span');
  const box = element('input', {type: 'checkbox', onchange: () => redraw()});
  const choice = element('label', {class: 'logarithm'}, box, ' logarithmic');
  let curves = [];
  let values = [];
  let frame = null;
  let at = null;  // where the pointer is
  function redraw() {
    const axis = $('axis').value;
    const several = new Set(curves.map(curve => curve.path)).size > 1;
    const keys = [...new Set(curves.map(curve => curve.key))];
    values = [];
    legend.replaceChildren(...curves.map(curve => {
      const which = keys.indexOf(curve.key);
      curve.color = colorOf(curve.path, several ? 0 : which);
      curve.dash = several ? dashes[which % dashes.length] : '';
      values.push(element('b'));
      return element('span', {}, rule(curve.color, curve.dash),
        (several ? nameOf(curve.path) + ' ' : '') + curve.key + ' ', values[values.length - 1]);
    }));
    box.disabled = !curves.every(curve => curve.y.every(y => y === null || y > 0));
    choice.title = box.disabled ? 'not all values are positive' : '';
    svg.setAttribute('aria-label', title + ' over ' + axis);
    frame = drawPlot(svg, {width: 420, height: 250, xName: axis, curves, logarithmic: box.checked && !box.disabled});
    point();
  }
  function point() {
    const x = at === null || !curves.length ? null : curves[0].x[nearest(curves[0].x, frame.xAt(at))];
    curves.forEach((curve, i) => {
      values[i].textContent = short(curve.y[x === null ? curve.y.length - 1 : nearest(curve.x, x)]);
    });
    frame.mark(x);
    where.textContent = x === null ? '' : ' at ' + short(x);
  }
  svg.addEventListener('pointermove', event => {
    at = event;
    point();
  });
  svg.addEventListener('pointerleave', () => {
    at = null;
    point();
  });
  return {
    element: element('figure', {}, element('figcaption', {}, element('span', {}, title, where), choice), svg, legend),
    update(next) {
      curves = next;
      redraw();
    },
  };
}

async function show(path) {
  open = path;
  shownForm = '';
  document.querySelectorAll('.run-name').forEach(e => e.textContent = nameOf(path));
  $('answer').textContent = '';
  await choose(path, true);
  await details();
}

function showLog() {
  const newest = (entries.get(open) || []).slice(-200).reverse();
  const keys = [...new Set(newest.flatMap(entry => Object.keys(entry)))];
  const first = key => ['epoch', 'iteration'].includes(key);
  keys.sort((a, b) => first(b) - first(a));
  $('log').tHead.replaceChildren(element('tr', {}, ...keys.map(key => element('th', {scope: 'col'}, key))));
  $('log').tBodies[0].replaceChildren(...newest.map(
    entry => element('tr', {}, ...keys.map(key => element('td', {}, short(entry[key]))))));
}

function showProgress(run) {
  $('progress').hidden = !run || !run.progress;
  if ($('progress').hidden) return;
  const fraction = fractionOf(run);
  const {left, rate} = run.progress;
  for (const [name, value] of Object.entries(stateOf(run))) $('state').setAttribute(name, value);
  $('state').textContent = run.state;
  $('left').textContent = [percent(fraction), run.state === 'running' && duration(left) && duration(left) + ' left',
    run.state === 'running' && speed(rate)].filter(text => text).join(', ');
  $('done').hidden = fraction === null;
  $('done').value = fraction || 0;
  $('numbers').replaceChildren(...progressRows(run).flatMap(([name, text]) => [element('dt', {}, name),
    element('dd', {}, text)]));
}

function showArguments(run) {
  const all = Object.entries(argumentsOf(run));
  $('arguments').replaceChildren(...all.flatMap(([key, value]) => [element('dt', {}, key),
    element('dd', {}, typeof value === 'object' ? JSON.stringify(value) : String(value))]));
  if (!all.length) $('arguments').textContent = 'The run has no file args.';
}

function commandLine(command) {
  const request = command.request || {};
  const answer = command.response;
  const changes = Object.entries((request.body && request.body.hyperparam) || {}).map(([k, v]) => k + ' = ' + v);
  const failed = answer && answer.status !== 'SUCCESS';
  const told = !answer ? 'waiting' :
    failed ? 'failed: ' + ((answer.body || {}).error || '') : 'done at iteration ' + answer.iteration;
  const time = String(request.created_at || '').slice(0, 19);
  return element('li', failed ? {class: 'error'} : {},
    `${time} ${command.name} ${changes.join(', ')} (${request.by || 'unknown'}): ${told}`);
}

function showForm(hyperparameters) {
  const form = JSON.stringify([open, hyperparameters]);
  if (form === shownForm) return;  // keeps what the user is typing
  shownForm = form;
  listens = Boolean(hyperparameters && typeof hyperparameters === 'object');
  if (!listens) {
    $('hyperparameters').replaceChildren('The program accepts no commands (it needs CommandsExtension or LivePage).');
    return;
  }
  const fields = [];
  for (const [optimizer, its] of Object.entries(hyperparameters)) {
    for (const [key, value] of Object.entries(its.hyperparam)) {
      fields.push(element('label', {}, (optimizer === 'main' ? '' : optimizer + ' ') + key,
        element('input', {value: short(value), 'data-optimizer': optimizer, 'data-key': key, 'data-old': short(value),
          inputmode: 'decimal'})));
    }
  }
  $('hyperparameters').replaceChildren(...fields, element('button', {type: 'submit'}, 'Change'));
}

// What the program cannot do is not offered: one that has ended obeys no commands, only one that is paused goes on.
function showButtons() {
  document.querySelectorAll('[data-command]').forEach(
    button => button.disabled = !listens || !isPossible(button.dataset.command, runs.get(open)));
  const change = $('hyperparameters').querySelector('button');
  if (change) change.disabled = !isPossible('adjust_hyperparams', runs.get(open));
}

async function details(steered = true, pictured = true, logged = true) {
  const run = runs.get(open);
  if (!run) return;
  if (logged) {
    showLog();
    showArguments(run);
  }
  showProgress(run);
  showButtons();
  const [commands, hyperparameters, pictures] = await Promise.all([
    steered && get('api/commands', {run: open}).catch(() => null),
    steered && get('api/hyperparams', {run: open}).catch(() => null),
    pictured && get('api/pictures', {run: open}).catch(() => [])]);
  if (pictured) showPictures(pictures);
  if (!steered) return;
  const newest = (Array.isArray(commands) ? commands : []).slice(-50).reverse();
  $('commands').replaceChildren(...newest.map(commandLine));
  showForm(hyperparameters);
  showButtons();
}

// A new version of a picture replaces the old one after it has loaded, so that the layout does not move.
function showPictures(pictures) {
  const there = new Map([...$('pictures').querySelectorAll('figure')].map(f => [f.dataset.name, f]));
  $('pictures').replaceChildren(...pictures.map(picture => {
    const id = open + ' ' + picture.name;
    const source = 'api/picture?' + new URLSearchParams({run: open, name: picture.name, at: picture.stamp});
    const shown = there.get(id) || element('figure', {'data-name': id},
      element('a', {target: '_blank', rel: 'noopener'}, element('img', {alt: picture.name})),
      element('figcaption', {}, picture.name));
    if (shown.dataset.stamp !== picture.stamp) {
      shown.dataset.stamp = picture.stamp;
      shown.firstChild.href = source;
      const drawn = element('img', {alt: picture.name});
      drawn.onload = () => {
        adaptPicture(drawn);
        shown.firstChild.replaceChildren(drawn);
      };
      drawn.src = source;
    }
    return shown;
  }));
  if (!pictures.length) $('pictures').textContent = 'The run has no pictures.';
}

function tell(text, failed) {
  $('answer').className = failed ? 'error' : '';
  $('answer').textContent = text;
}
async function send(command, body, run = open) {
  try {
    const answer = await fetch('api/command', {method: 'POST',
      headers: {'Content-Type': 'application/json', 'X-Token': $('token').value},
      body: JSON.stringify({run, name: command, body, by: $('by').value})});
    const told = await answer.json();
    tell(answer.ok ? command + ': requested' : told.error, !answer.ok);
  } catch (error) {
    tell(String(error), true);
  }
  await details();
}

document.querySelectorAll('[data-command]').forEach(button => button.addEventListener('click', () => {
  if (button.dataset.command === 'stop') askToStop();
  else send(button.dataset.command, null);
}));

// The question names the run that the answer is about, whatever else is shown by then.
function askToStop() {
  const dialog = $('ask-stop');
  const run = open;
  $('ask-stop-name').textContent = nameOf(run);
  dialog.returnValue = '';
  dialog.onclose = () => {
    if (dialog.returnValue === 'stop') send('stop', null, run);
  };
  dialog.showModal();
}
$('hyperparameters').addEventListener('submit', async event => {
  event.preventDefault();
  const wanted = new Map();  // optimizer -> its changes
  for (const input of event.target.querySelectorAll('input')) {
    const {old, optimizer, key} = input.dataset;
    if (input.value === old) continue;
    if (input.value.trim() === '' || !Number.isFinite(Number(input.value))) {
      return tell(key + ' must be a number', true);
    }
    if (!wanted.has(optimizer)) wanted.set(optimizer, {});
    wanted.get(optimizer)[key] = Number(input.value);
  }
  for (const [optimizer, hyperparam] of wanted) await send('adjust_hyperparams', {name: optimizer, hyperparam});
});
$('search').addEventListener('input', showRuns);
night.addEventListener('change', () => document.querySelectorAll('#pictures img').forEach(adaptPicture));
for (const id of ['axis', 'smoothing']) $(id).addEventListener('input', draw);

// The token is in the fragment of the address, which browsers do not send to servers; it is kept for this tab.
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) {
  sessionStorage.setItem('token', given);
  history.replaceState(null, '', location.pathname);
}
$('token').value = sessionStorage.getItem('token') || '';
$('token').addEventListener('input', () => sessionStorage.setItem('token', $('token').value));

async function begin() {
  for (const run of await get('api/runs')) runs.set(run.path, run);
  const written = [...runs.values()].filter(run => run.last || run.progress).sort((a, b) => a.modified - b.modified);
  const newest = written[0] || [...runs.values()][0];
  if (newest && !open) await show(newest.path);
  else showRuns();
  if (!newest) draw();
}

// Collects events for a moment, so that a thousand runs at once cause one redraw.
let timer = 0;
let redraws = false;
function soon(curves) {
  redraws = redraws || curves;
  timer = timer || setTimeout(() => {
    timer = 0;
    const [next] = runs.keys();
    if (open && !runs.has(open) && next !== undefined) show(next);
    else showRuns();
    if (redraws) draw();
    redraws = false;
  }, 50);
}

const events = new EventSource('api/events');
events.onopen = () => {
  $('connection').textContent = 'live';
  document.body.classList.remove('lost');
  begin().catch(error => $('connection').textContent = String(error));
};
events.onerror = () => {
  $('connection').textContent = 'not connected';
  document.body.classList.add('lost');
};
events.onmessage = async event => {
  const run = JSON.parse(event.data);
  const before = runs.get(run.path);
  if (run.state === 'gone') {
    for (const all of [runs, chosen, entries, each, rows]) all.delete(run.path);
    return soon(true);
  }
  runs.set(run.path, run);
  const changed = what => !before || before[what] === undefined || before[what] !== run[what];
  const grown = changed('size') || changed('curves');
  if (chosen.has(run.path) && grown && (changed('curves') || !extend(run))) await load(run.path);
  if (!open && (run.last || run.progress)) await show(run.path);
  soon(chosen.has(run.path) && (grown || changed('color')));
  if (run.path === open) await details(changed('commands'), changed('pictures'), grown);
};
