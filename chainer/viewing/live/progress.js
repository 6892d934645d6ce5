// What the page of runs says about progress, speed, time left, load and state: functions without a document.

const alive = ['running', 'paused'];

function duration(seconds) {
  if (typeof seconds !== 'number') return '';
  const s = Math.max(0, Math.round(seconds));
  const two = n => String(n).padStart(2, '0');
  if (s < 60) return s + ' s';
  if (s < 86400) return (s >= 3600 ? Math.floor(s / 3600) + ' h ' + two(Math.floor(s / 60) % 60) : Math.floor(s / 60)) +
    ' min' + (s < 3600 ? ' ' + two(s % 60) + ' s' : '');
  return Math.floor(s / 86400) + ' d ' + Math.floor(s / 3600) % 24 + ' h';
}
function bytes(n) {
  if (typeof n !== 'number') return '';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (n >= 999.5 && i < units.length - 1) {
    n /= 1000;
    ++i;
  }
  return Number(n.toPrecision(3)) + ' ' + units[i];
}
function speed(rate) {
  if (typeof rate !== 'number' || rate <= 0) return '';
  return rate >= 0.5 ? Number(rate.toPrecision(4)) + ' iterations/s' :
    Number((1 / rate).toPrecision(3)) + ' s per iteration';
}

// The part of the stop trigger's length that is done; null if unknown.
function fractionOf(run) {
  const p = run.progress;
  if (!p || typeof p.length !== 'number' || p.length <= 0 || typeof p[p.unit] !== 'number') return null;
  return Math.min(1, Math.max(0, p[p.unit] / p.length));
}

// A rounded-down percentage: 100 % means that the run is complete.
function percent(fraction) {
  return fraction === null ? '' : Math.floor(fraction * 100 + 1e-9) + ' %';
}

// Pairs of a name and a text. Load, speed and time left are those of a program that runs.
function progressRows(run) {
  const p = run.progress;
  if (!p) return [];
  const of = unit => p.unit === unit && typeof p.length === 'number' ? ' of ' + Number(p.length.toPrecision(6)) : '';
  const rows = [];
  if (typeof p.iteration === 'number') rows.push(['iteration', p.iteration + of('iteration')]);
  if (typeof p.epoch === 'number') rows.push(['epoch', p.epoch.toFixed(2).replace(/\.?0+$/, '') + of('epoch')]);
  if (run.state === 'running') {
    rows.push(['speed', speed(p.rate) || 'not known yet']);
    if (fractionOf(run) !== null) rows.push(['time left', duration(p.left) || 'not known yet']);
  }
  if (typeof p.elapsed_time === 'number') rows.push(['time gone', duration(p.elapsed_time)]);
  if (!alive.includes(run.state)) return rows;
  if (typeof p.processor === 'number') rows.push(['processor', Math.round(p.processor * 100) + ' % of a core']);
  if (typeof p.memory === 'number') {
    rows.push(['memory', bytes(p.memory) + (p.arrays ? ' (arrays ' + bytes(p.arrays) + ')' : '')]);
  }
  return rows;
}

function stateTitle(run) {
  if (!run.told) return run.state === 'running' || run.state === 'idle' ? 'judged by the times of its log' : '';
  return {
    running: 'its program reports progress',
    paused: 'its program waits for "Resume"',
    finished: 'it ended at the end of its length',
    failed: 'its program ended with an error, or without a word',
    stopped: 'it was ended before its end',
    idle: 'its program, on another machine, has been silent for a while',
  }[run.state] || '';
}

// Whether the program can carry out a command. Programs that report no state may.
function isPossible(command, run) {
  if (!run || !run.told || run.state === 'idle') return true;
  if (!alive.includes(run.state)) return false;
  return command === 'pause' ? run.state === 'running' : command === 'resume' ? run.state === 'paused' : true;
}

// The values of a key over an axis: those of each iteration where a run of few epochs has them, else those of its log.
function pointsOf(log, each, key, axis) {
  const entries = log.filter(entry => isDrawable(entry[axis]) && isDrawable(entry[key]));
  const all = axis === 'iteration' && each && each[key];
  if (all && Array.isArray(all.x) && Array.isArray(all.y) && all.x.length > entries.length) {
    return {x: all.x, y: all.y.map(y => isDrawable(y) ? y : null)};
  }
  return {x: entries.map(entry => entry[axis]), y: entries.map(entry => entry[key])};
}
