// The script of the live page: receives runs from the server, draws the chosen ones and sends commands. The server puts
// plot.js before it.

const $ = id => document.getElementById(id);
const colors = ['#1f6bb8', '#e36b0a', '#2b9447', '#c42633', '#8054b3', '#805240', '#d166ad', '#737373'];
const dashes = ['', '6 3', '2 3', '8 3 2 3'];
const notCurves = ['epoch', 'iteration', 'elapsed_time'];
const runs = new Map();     // path -> element of /api/runs
const entries = new Map();  // path -> entries of the log
const chosen = new Map();   // path -> color
let open = null;            // the path of the run in the right column
let shownForm = '';         // the hyperparameters in the form, as JSON

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

function rowOf(run, keys) {
  const box = element('input', {type: 'checkbox', 'aria-label': 'compare ' + nameOf(run.path),
    onchange: event => choose(run.path, event.target.checked)});
  box.checked = chosen.has(run.path);
  if (box.checked) box.style.accentColor = chosen.get(run.path);
  const bad = ['half-written', 'a link', 'empty', 'failed'].includes(run.state);
  const last = run.last || {};
  return element('tr', {class: run.path === open ? 'open' : ''},
    element('td', {}, box),
    element('td', {}, element('button', {onclick: () => show(run.path)}, nameOf(run.path))),
    element('td', {}, element('span', {class: 'state ' + (bad ? 'bad' : run.state)},
      run.state + (run.foreign ? ', of another user' : ''))),
    ...['epoch', 'iteration', ...keys].map(key => element('td', {}, short(last[key]))),
    element('td', {}, ago(run.modified)));
}

function showRuns() {
  const shown = [...runs.values()].filter(matches);
  const keys = new Set();
  for (const run of shown) {
    for (const key of Object.keys(run.last || {})) if (key.includes('/') && keys.size < 4) keys.add(key);
  }
  const titles = ['', 'run', 'state', 'epoch', 'iteration', ...keys, 'written'];
  $('runs').tHead.replaceChildren(element('tr', {}, ...titles.map(title => element('th', {scope: 'col'}, title))));
  $('runs').tBodies[0].replaceChildren(...shown.map(run => rowOf(run, [...keys])));
  $('none').hidden = shown.length > 0;
}

// Requests missing entries of the log, part by part.
async function load(path) {
  for (;;) {
    const have = entries.get(path) || [];
    const more = await get('api/log', {run: path, from: have.length}).catch(() => null);
    if (!more) return;
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
    const used = [...chosen.values()];
    chosen.set(path, colors.find(color => !used.includes(color)) || colors[chosen.size % colors.length]);
    await load(path);
  }
  showRuns();
  draw();
}

// Returns the curves of a run. Each key has its own points, since not all entries have all keys.
function curvesOf(path, axis, smoothing) {
  const all = entries.get(path) || [];
  const keys = new Set();
  for (const entry of all) for (const key in entry) if (!notCurves.includes(key)) keys.add(key);
  const out = [];
  for (const key of keys) {
    const points = all.filter(entry => isDrawable(entry[axis]) && isDrawable(entry[key]));
    if (!points.length) continue;
    out.push({path, key, x: points.map(entry => entry[axis]), y: smoothed(points.map(entry => entry[key]), smoothing)});
  }
  return out;
}

// Draws one figure for each last part of a name: main/loss and validation/main/loss share a figure.
function draw() {
  const figures = new Map();
  for (const [path, color] of chosen) {
    for (const curve of curvesOf(path, $('axis').value, Number($('smoothing').value))) {
      const title = curve.key.slice(curve.key.lastIndexOf('/') + 1);
      if (!figures.has(title)) figures.set(title, []);
      figures.get(title).push({...curve, runColor: color});
    }
  }
  const order = [...figures.keys()].sort((a, b) => (b === 'loss') - (a === 'loss') || a.localeCompare(b));
  $('curves').replaceChildren(...order.map(title => figure(title, figures.get(title))));
  if (!order.length) $('curves').textContent = 'Choose a run.';
}

function figure(title, curves) {
  const axis = $('axis').value;
  const several = new Set(curves.map(curve => curve.path)).size > 1;
  const keys = [...new Set(curves.map(curve => curve.key))];
  const legend = element('div', {class: 'legend'});
  const values = [];
  for (const curve of curves) {
    const which = keys.indexOf(curve.key);
    curve.color = several ? curve.runColor : colors[which % colors.length];
    curve.dash = several ? dashes[which % dashes.length] : '';
    const rule = element('i', {class: 's' + curve.color.slice(1)});
    rule.style.borderColor = curve.color;
    if (curve.dash) rule.style.borderTopStyle = which === 1 ? 'dashed' : 'dotted';
    const value = element('b');
    values.push(value);
    legend.append(element('span', {}, rule, (several ? nameOf(curve.path) + ' ' : '') + curve.key + ' ', value));
  }
  const svg = svgElement('svg', {role: 'img', 'aria-label': title + ' over ' + axis});
  const logarithmic = $('logarithmic').checked && curves.every(curve => curve.y.every(y => y > 0));
  const frame = drawPlot(svg, {width: 420, height: 250, xName: axis, curves, logarithmic});
  const where = element('span');
  const showAt = x => curves.forEach((curve, i) => {
    values[i].textContent = short(curve.y[x === null ? curve.y.length - 1 : nearest(curve.x, x)]);
  });
  showAt(null);
  svg.addEventListener('pointermove', event => {
    const x = curves[0].x[nearest(curves[0].x, frame.xAt(event))];
    showAt(x);
    frame.mark(x);
    where.textContent = ' at ' + short(x);
  });
  svg.addEventListener('pointerleave', () => {
    showAt(null);
    frame.mark(null);
    where.textContent = '';
  });
  return element('figure', {}, element('figcaption', {}, title, where), svg, legend);
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
  const listens = hyperparameters && typeof hyperparameters === 'object';
  document.querySelectorAll('[data-command]').forEach(button => button.disabled = !listens);
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

async function details(steered = true, pictured = true) {
  const run = runs.get(open);
  if (!run) return;
  showLog();
  showArguments(run);
  const [commands, hyperparameters, pictures] = await Promise.all([
    steered && get('api/commands', {run: open}).catch(() => null),
    steered && get('api/hyperparams', {run: open}).catch(() => null),
    pictured && get('api/pictures', {run: open}).catch(() => [])]);
  if (pictured) showPictures(pictures);
  if (!steered) return;
  const newest = (Array.isArray(commands) ? commands : []).slice(-50).reverse();
  $('commands').replaceChildren(...newest.map(commandLine));
  showForm(hyperparameters);
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
      drawn.onload = () => shown.firstChild.replaceChildren(drawn);
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
async function send(command, body) {
  try {
    const answer = await fetch('api/command', {method: 'POST',
      headers: {'Content-Type': 'application/json', 'X-Token': $('token').value},
      body: JSON.stringify({run: open, name: command, body, by: $('by').value})});
    const told = await answer.json();
    tell(answer.ok ? command + ': requested' : told.error, !answer.ok);
  } catch (error) {
    tell(String(error), true);
  }
  await details();
}

document.querySelectorAll('[data-command]').forEach(
  button => button.addEventListener('click', () => send(button.dataset.command, null)));
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
for (const id of ['axis', 'logarithmic', 'smoothing']) $(id).addEventListener('input', draw);

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
  const written = [...runs.values()].filter(run => run.last).sort((a, b) => a.modified - b.modified);
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
    for (const all of [runs, chosen, entries]) all.delete(run.path);
    return soon(true);
  }
  runs.set(run.path, run);
  if (chosen.has(run.path) && !extend(run)) await load(run.path);
  if (!open && run.last) await show(run.path);
  soon(chosen.has(run.path));
  const changed = what => !before || before[what] === undefined || before[what] !== run[what];
  if (run.path === open) await details(changed('commands'), changed('pictures'));
};
