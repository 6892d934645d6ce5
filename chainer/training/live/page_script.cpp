// What the page does: it keeps the runs that the server tells of, draws those that are chosen, and sends commands.
#include "chainer/training/live/site.h"

namespace chainer::live {

const std::string_view kScript = R"script('use strict';
const $ = id => document.getElementById(id);
const colors = ['#1f77b4', '#e8710a', '#2ca02c', '#c2302a', '#8a5cc4', '#8c564b', '#d0569f', '#5f6b7a', '#8f8f10', '#10909f'];
const runs = new Map();     // path -> what /api/runs tells
const entries = new Map();  // path -> entries of the log
const chosen = new Map();   // path -> colour
let open = null, known = '';

function element(tag, attributes = {}, ...children) {
  const svg = ['svg', 'polyline', 'line', 'text', 'circle'].includes(tag);
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value); else e.setAttribute(name, value);
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
const short = v => typeof v !== 'number' ? String(v ?? '') : Number.isInteger(v) ? String(v) : String(+v.toPrecision(5));
const name = path => path === '.' ? 'this folder' : path;
const ago = s => s == null ? '' : s < 90 ? s + ' s' : s < 5400 ? Math.round(s / 60) + ' min' : s < 129600 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' d';

// A search: words that the name or an argument has, and comparisons with arguments or the newest values.
function matches(run) {
  const values = {...(run.args && typeof run.args === 'object' ? run.args : {}), ...(run.last || {})};
  const text = (run.path + ' ' + Object.entries(run.args || {}).map(([k, v]) => k + '=' + v).join(' ')).toLowerCase();
  return $('search').value.trim().split(/\s+/).every(word => {
    const m = word.match(/^([^<>=]+)(<=|>=|=|<|>)(.+)$/);
    if (!m) return text.includes(word.toLowerCase());
    const key = Object.keys(values).find(k => k.replace(/^-+/, '').toLowerCase() === m[1].replace(/^-+/, '').toLowerCase());
    if (key === undefined) return false;
    const a = Number(values[key]), b = Number(m[3]);
    if (Number.isNaN(a) || Number.isNaN(b)) return m[2] === '=' && String(values[key]).toLowerCase() === m[3].toLowerCase();
    return {'<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b, '=': a === b}[m[2]];
  });
}

function showRuns() {
  const shown = [...runs.values()].filter(matches);
  const keys = [];
  for (const run of shown) for (const k of Object.keys(run.last || {})) if (k.includes('/') && !keys.includes(k) && keys.length < 4) keys.push(k);
  $('runs').tHead.replaceChildren(element('tr', {}, ...['', 'run', 'state', 'epoch', 'iteration', ...keys, 'written'].map(
    t => element('th', {scope: 'col'}, t))));
  $('runs').tBodies[0].replaceChildren(...shown.map(run => {
    const box = element('input', {type: 'checkbox', 'aria-label': 'compare ' + name(run.path), onchange: e => choose(run.path, e.target.checked)});
    box.checked = chosen.has(run.path);
    if (box.checked) box.style.accentColor = chosen.get(run.path);
    const bad = ['half-written', 'a link', 'empty'].includes(run.state);
    const last = run.last || {};
    return element('tr', {class: run.path === open ? 'open' : ''}, element('td', {}, box),
      element('td', {}, element('button', {onclick: () => show(run.path)}, name(run.path))),
      element('td', {}, element('span', {class: 'state ' + (bad ? 'bad' : run.state)}, run.state + (run.foreign ? ', of another user' : ''))),
      ...['epoch', 'iteration', ...keys].map(k => element('td', {}, short(last[k]))), element('td', {}, ago(run.modified)));
  }));
  $('none').hidden = shown.length > 0;
}

async function load(path) {
  const have = entries.get(path) || [];
  const more = await get('api/log', {run: path, from: have.length}).catch(() => null);
  if (!more) return;
  entries.set(path, more.from === 0 ? more.entries : have.concat(more.entries));
}
// The newest entry stands in the news; where it follows the one that is here, nothing is asked for.
function extend(run) {
  const have = entries.get(run.path), last = run.last;
  if (!have || !have.length || !last || typeof run.before !== 'number') return false;
  const newest = have[have.length - 1].elapsed_time;
  if (newest === run.before) have.push(last);
  return newest === run.before || newest === last.elapsed_time;
}
async function choose(path, on) {
  if (!on) chosen.delete(path);
  else if (!chosen.has(path)) {
    const used = [...chosen.values()];
    chosen.set(path, colors.find(c => !used.includes(c)) || colors[chosen.size % colors.length]);
    await load(path);
  }
  showRuns();
  draw();
}

// Each last name is a figure: main/loss and validation/main/loss lie over each other.
function draw() {
  const axis = $('axis').value, smoothing = Number($('smoothing').value), figures = new Map();
  for (const [path, color] of chosen) {
    const all = entries.get(path) || [];
    const keys = [...new Set(all.length ? [...Object.keys(all[0]), ...Object.keys(all[all.length - 1])] : [])];
    for (const key of keys.filter(k => !['epoch', 'iteration', 'elapsed_time'].includes(k))) {
      const last = key.slice(key.lastIndexOf('/') + 1), points = [];
      let mean = null;
      for (const e of all) {
        const x = e[axis], y = e[key];
        if (!(Math.abs(x) <= 1e300 && Math.abs(y) <= 1e300) || typeof x !== 'number' || typeof y !== 'number') continue;
        mean = mean === null ? y : smoothing * mean + (1 - smoothing) * y;
        points.push([x, mean]);
      }
      if (!figures.has(last)) figures.set(last, []);
      if (points.length) figures.get(last).push({path, key, color, points});
    }
  }
  const order = [...figures.keys()].sort((a, b) => (b === 'loss') - (a === 'loss') || a.localeCompare(b));
  $('curves').replaceChildren(...order.filter(k => figures.get(k).length).map(k => figure(k, figures.get(k))));
  if (!order.length) $('curves').textContent = 'Choose a run.';
}

function thinned(points, most) {  // the least and the largest value of each stretch
  if (points.length <= most) return points;
  const out = [], step = points.length * 2 / most;
  for (let i = 0; i < points.length; i += step) {
    const part = points.slice(Math.floor(i), Math.max(Math.floor(i) + 1, Math.floor(i + step)));
    let low = part[0], high = part[0];
    for (const p of part) { if (p[1] < low[1]) low = p; if (p[1] > high[1]) high = p; }
    out.push(...(low === high ? [low] : low[0] < high[0] ? [low, high] : [high, low]));
  }
  return out;
}
function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= rough), out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(+v.toPrecision(12));
  return out;
}

function figure(title, curves) {
  const w = 420, h = 230, left = 50, bottom = 24, top = 8, right = 8;
  const logarithmic = $('logarithmic').checked && curves.every(c => c.points.every(p => p[1] > 0));
  const f = v => logarithmic ? Math.log10(v) : v;
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const c of curves) for (const [x, y] of c.points) {
    x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, f(y)); y1 = Math.max(y1, f(y));
  }
  if (x0 === x1) { x0 -= 0.5; x1 += 0.5; }
  if (y0 === y1) { const by = Math.abs(y0) / 2 || 0.5; y0 -= by; y1 += by; }
  const px = x => left + (x - x0) / (x1 - x0) * (w - left - right), py = y => top + (y1 - f(y)) / (y1 - y0) * (h - top - bottom);
  const svg = element('svg', {viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': title + ' over ' + $('axis').value});
  for (const t of ticks(y0, y1)) {
    const y = top + (y1 - t) / (y1 - y0) * (h - top - bottom);
    svg.append(element('line', {class: 'grid', x1: left, x2: w - right, y1: y, y2: y}),
      element('text', {x: left - 5, y: y + 4, 'text-anchor': 'end'}, logarithmic ? String(+(10 ** t).toPrecision(2)) : String(t)));
  }
  for (const t of ticks(x0, x1)) svg.append(element('text', {x: px(t), y: h - 6, 'text-anchor': 'middle'}, t >= 1e5 ? t / 1000 + 'k' : String(t)));
  const several = new Set(curves.map(c => c.path)).size > 1;
  const keys = [...new Set(curves.map(c => c.key))];
  const legend = element('div', {class: 'legend'}), values = [];
  for (const c of curves) {
    const which = keys.indexOf(c.key), color = several ? c.color : colors[which % colors.length];
    const line = element('polyline', {points: thinned(c.points, 900).map(p => px(p[0]).toFixed(1) + ',' + py(p[1]).toFixed(1)).join(' '), stroke: color});
    const rule = element('i');
    rule.style.borderColor = color;
    if (several && which) { line.setAttribute('stroke-dasharray', which === 1 ? '6 3' : '2 3'); rule.style.borderTopStyle = which === 1 ? 'dashed' : 'dotted'; }
    svg.append(line);
    const value = element('b', {}, short(c.points[c.points.length - 1][1]));
    values.push(value);
    legend.append(element('span', {}, rule, (several ? name(c.path) + ' ' : '') + c.key + ' ', value));
  }
  const at = element('line', {class: 'at', y1: top, y2: h - bottom, x1: -9, x2: -9}), where = element('span');
  svg.append(at);
  svg.addEventListener('pointermove', e => {
    const box = svg.getBoundingClientRect(), x = x0 + ((e.clientX - box.left) * w / box.width - left) / (w - left - right) * (x1 - x0);
    let told = null;
    curves.forEach((c, i) => {
      let low = 0, high = c.points.length - 1;
      while (high - low > 1) { const m = (low + high) >> 1; if (c.points[m][0] < x) low = m; else high = m; }
      const p = x - c.points[low][0] < c.points[high][0] - x ? c.points[low] : c.points[high];
      values[i].textContent = short(p[1]);
      told ??= p[0];
    });
    at.setAttribute('x1', px(told)); at.setAttribute('x2', px(told));
    where.textContent = ' at ' + short(told);
  });
  svg.addEventListener('pointerleave', () => {
    at.setAttribute('x1', -9); at.setAttribute('x2', -9);
    where.textContent = '';
    curves.forEach((c, i) => values[i].textContent = short(c.points[c.points.length - 1][1]));
  });
  return element('figure', {}, element('figcaption', {}, title, where), svg, legend);
}

async function show(path) {
  open = path;
  known = '';
  document.querySelectorAll('.run-name').forEach(e => e.textContent = name(path));
  $('answer').textContent = '';
  await choose(path, true);
  await details();
}

async function details(steered = true, pictured = true) {
  const run = runs.get(open);
  if (!run) return;
  const all = entries.get(open) || [], newest = all.slice(-200).reverse();
  const keys = [...new Set(newest.flatMap(e => Object.keys(e)))];
  keys.sort((a, b) => ['epoch', 'iteration'].includes(b) - ['epoch', 'iteration'].includes(a));
  $('log').tHead.replaceChildren(element('tr', {}, ...keys.map(k => element('th', {scope: 'col'}, k))));
  $('log').tBodies[0].replaceChildren(...newest.map(e => element('tr', {}, ...keys.map(k => element('td', {}, short(e[k]))))));
  const args = run.args && typeof run.args === 'object' ? Object.entries(run.args) : [];
  $('arguments').replaceChildren(...args.flatMap(([k, v]) => [element('dt', {}, k), element('dd', {}, typeof v === 'object' ? JSON.stringify(v) : String(v))]));
  if (!args.length) $('arguments').textContent = 'The run has no file args.';
  const [commands, hyperparameters, pictures] = await Promise.all([steered && get('api/commands', {run: open}).catch(() => null),
    steered && get('api/hyperparams', {run: open}).catch(() => null), pictured && get('api/pictures', {run: open}).catch(() => [])]);
  if (pictured) showPictures(pictures);
  if (!steered) return;
  $('commands').replaceChildren(...(Array.isArray(commands) ? commands : []).slice(-50).reverse().map(c => {
    const q = c.request || {}, a = c.response;
    const what = q.body && q.body.hyperparam ? Object.entries(q.body.hyperparam).map(([k, v]) => k + ' = ' + v).join(', ') : '';
    const told = !a ? 'waits' : a.status === 'SUCCESS' ? 'done in iteration ' + a.iteration : 'failed: ' + ((a.body || {}).error || '');
    return element('li', a && a.status !== 'SUCCESS' ? {class: 'error'} : {},
      `${String(q.created_at || '').slice(0, 19)} ${c.name} ${what} (${q.by || 'somebody'}): ${told}`);
  }));
  const form = JSON.stringify([open, hyperparameters]);
  if (form !== known) {
    known = form;
    const listens = hyperparameters && typeof hyperparameters === 'object';
    document.querySelectorAll('[data-command]').forEach(b => b.disabled = !listens);
    $('hyperparameters').replaceChildren(...(!listens ? ['The program does not say that it obeys (CommandsExtension, LivePage).'] :
      Object.entries(hyperparameters).flatMap(([optimizer, its]) => Object.entries(its.hyperparam).map(([key, value]) =>
        element('label', {}, (optimizer === 'main' ? '' : optimizer + ' ') + key,
          element('input', {value: short(value), 'data-optimizer': optimizer, 'data-key': key, 'data-old': short(value), inputmode: 'decimal'}))))),
      ...(listens ? [element('button', {type: 'submit'}, 'Change')] : []));
  }
}

// A picture that was drawn anew takes the old one's place when it is there, so that nothing moves.
function showPictures(pictures) {
  const there = new Map([...$('pictures').querySelectorAll('figure')].map(f => [f.dataset.name, f]));
  $('pictures').replaceChildren(...pictures.map(p => {
    const id = open + ' ' + p.name, source = 'api/picture?' + new URLSearchParams({run: open, name: p.name, at: p.stamp});
    const f = there.get(id) || element('figure', {'data-name': id}, element('a', {target: '_blank', rel: 'noopener'}, element('img', {alt: p.name})),
      element('figcaption', {}, p.name));
    if (f.dataset.stamp !== p.stamp) {
      f.dataset.stamp = p.stamp;
      f.firstChild.href = source;
      const drawn = element('img', {alt: p.name});
      drawn.onload = () => f.firstChild.replaceChildren(drawn);
      drawn.src = source;
    }
    return f;
  }));
  if (!pictures.length) $('pictures').textContent = 'The run has no pictures.';
}

async function send(command, body) {
  try {
    const answer = await fetch('api/command', {method: 'POST', headers: {'Content-Type': 'application/json', 'X-Token': $('token').value},
      body: JSON.stringify({run: open, name: command, body, by: $('by').value})});
    const told = await answer.json();
    $('answer').className = answer.ok ? '' : 'error';
    $('answer').textContent = answer.ok ? command + ': asked' : told.error;
  } catch (e) { $('answer').className = 'error'; $('answer').textContent = String(e); }
  await details();
}

document.querySelectorAll('[data-command]').forEach(b => b.addEventListener('click', () => send(b.dataset.command, null)));
$('hyperparameters').addEventListener('submit', async e => {
  e.preventDefault();
  const wanted = new Map();
  for (const input of e.target.querySelectorAll('input')) {
    if (input.value === input.dataset.old) continue;
    if (input.value.trim() === '' || !Number.isFinite(Number(input.value))) { $('answer').className = 'error'; $('answer').textContent = input.dataset.key + ' is to be a number'; return; }
    if (!wanted.has(input.dataset.optimizer)) wanted.set(input.dataset.optimizer, {});
    wanted.get(input.dataset.optimizer)[input.dataset.key] = Number(input.value);
  }
  for (const [optimizer, hyperparam] of wanted) await send('adjust_hyperparams', {name: optimizer, hyperparam});
});
$('search').addEventListener('input', showRuns);
for (const id of ['axis', 'logarithmic', 'smoothing']) $(id).addEventListener('input', draw);

// The token comes behind the address, which no server sees, and stays in this tab.
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) {
  sessionStorage.setItem('token', given);
  history.replaceState(null, '', location.pathname);
}
$('token').value = sessionStorage.getItem('token') || '';
$('token').addEventListener('input', () => sessionStorage.setItem('token', $('token').value));

async function begin() {
  for (const run of await get('api/runs')) runs.set(run.path, run);
  const newest = [...runs.values()].filter(r => r.last).sort((a, b) => a.modified - b.modified)[0] || [...runs.values()][0];
  if (newest && !open) await show(newest.path); else showRuns();
  if (!newest) draw();
}
// A thousand runs that come at once are shown once.
let timer = 0, redraw = false;
function soon(curves) {
  redraw = redraw || curves;
  timer = timer || setTimeout(() => {
    timer = 0;
    const [next] = runs.keys();
    if (open && !runs.has(open) && next !== undefined) show(next); else showRuns();
    if (redraw) draw();
    redraw = false;
  }, 50);
}
const events = new EventSource('api/events');
events.onopen = () => { $('connection').textContent = 'live'; begin().catch(e => $('connection').textContent = String(e)); };
events.onerror = () => $('connection').textContent = 'not connected';
events.onmessage = async e => {
  const run = JSON.parse(e.data), before = runs.get(run.path);
  if (run.state === 'gone') {
    for (const all of [runs, chosen, entries]) all.delete(run.path);
    return soon(true);
  }
  runs.set(run.path, run);
  if (chosen.has(run.path) && !extend(run)) await load(run.path);
  if (!open && run.last) await show(run.path);
  soon(chosen.has(run.path));
  const other = what => !before || before[what] === undefined || before[what] !== run[what];
  if (run.path === open) await details(other('commands'), other('pictures'));
};
)script";

}  // namespace chainer::live
