// Draws with plot.js and reads what became of it, and what the live page says of runs, without a browser:
// `node draw.js plot.js progress.js` or `qjs --std draw.js plot.js progress.js`.
const read = typeof require === 'function' ? file => require('fs').readFileSync(file, 'utf8') : file => std.loadFile(file);
const files = typeof process === 'object' ? process.argv.slice(2) : scriptArgs.slice(1);

class Element {
  constructor(tag) {
    this.tag = tag;
    this.attributes = {};
    this.children = [];
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  appendChild(child) {
    this.children.push(child);
    return child;
  }
  replaceChildren() {
    this.children = [];
  }
  all(name) {
    return this.children.flatMap(child => [child, ...child.all(name)]).filter(
      child => (child.attributes.class || '').split(' ').includes(name));
  }
}
globalThis.document = {createElementNS: (space, tag) => new Element(tag)};
const source = read(files[0]);
const names = 'drawPlot, ticks, axisEnds, smoothed, thinnedPositions, tickText, isOnWhite, duration, bytes, speed, ' +
  'fractionOf, percent, progressRows, stateTitle, isPossible, pointsOf';
const {drawPlot, ticks, axisEnds, smoothed, thinnedPositions, tickText, isOnWhite, duration, bytes, speed,
  fractionOf, percent, progressRows, stateTitle, isPossible, pointsOf} =
  new Function(source + read(files[1]) + `\nreturn {${names}};`)();

let failed = 0;
let passed = 0;
function expect(what, condition) {
  if (condition) return ++passed;
  ++failed;
  console.log('FAILED: ' + what);
}
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

expect('ticks are round', same(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]));
expect('ticks of large numbers', same(ticks(-2e9, 2e9, 4), [-2e9, -1e9, 0, 1e9, 2e9]));
for (const value of [0, 0.1, -3e-12, 1e300, 5e-324, 1e-310]) {
  for (const next of [value, value + Math.abs(value) * 1.2e-16, value * (1 + 3e-16)]) {
    const [low, high] = axisEnds(Math.min(value, next), Math.max(value, next), 0.05);
    expect(`one value ${value} has room`, low < value && high > value);
    const marks = ticks(low, high, 5);
    expect(`ticks around ${value}`, marks.length > 1 && marks.length <= 100);
  }
}
expect('no values have the unit interval', same(axisEnds(Infinity, -Infinity, 0), [0, 1]));
expect('means keep gaps', same(smoothed([1, null, 3], 0.5), [1, null, (0.25 + 1.5) / 0.75]));
const spike = Array.from({length: 100000}, (_, i) => i === 777 ? 5 : i % 7);
expect('thinning keeps extremes', thinnedPositions(spike, 900).some(i => spike[i] >= 5) &&
  thinnedPositions(spike, 900).length <= 910);
expect('texts of ticks', same([0.25, 1e7, 2e-5, NaN].map(tickText), ['0.25', '1.00e+7', '2.00e-5', 'NaN']));

const svg = new Element('svg');
const x = Array.from({length: 50}, (_, i) => i);
const frame = drawPlot(svg, {width: 400, height: 240, xName: 'iteration', curves: [
  {x, y: x.map(i => Math.exp(-i / 9)), color: '#1f6bb8'},
  {x, y: x.map(i => i === 20 ? null : i / 50), color: '#e36b0a', dash: '6 3'}]});
const curves = svg.all('curve');
expect('two curves', curves.length === 2 && curves[0].attributes.class.includes('s1f6bb8'));
expect('all points of the first', curves[0].attributes.d.split(/[ML]/).length === 51);
expect('a gap is a gap', curves[1].attributes.d.split('M').length === 3);
expect('numbers at the axes', svg.all('tick').length > 6 && svg.all('tick').every(t => t.textContent !== 'NaN'));
expect('a cursor', frame.toX(0) < frame.toX(49) && (frame.mark(3), frame.cursor.attributes.d.startsWith('M')));
drawPlot(svg, {width: 400, height: 240, xName: 'x', logarithmic: true, curves: [{x, y: x, color: '#1f6bb8'}]});
expect('no logarithm of zero', !svg.all('curve')[0].attributes.d.includes('NaN'));
for (const curves of [[], [{x: [], y: [], color: '#1f6bb8'}], [{x: [1], y: [null], color: '#1f6bb8'}]]) {
  drawPlot(svg, {width: 400, height: 240, xName: 'x', curves});
  expect('nothing to draw', svg.all('tick').length > 2);
}
// Few points are dots, as are points between gaps; long curves are lines alone.
const dotsOf = y => {
  drawPlot(svg, {width: 400, height: 240, xName: 'x', curves: [{x: y.map((_, i) => i), y, color: '#1f6bb8'}]});
  return svg.all('dot').length ? svg.all('dot')[0].attributes.d.split('M').length - 1 : 0;
};
expect('dots', same([[1], [1, 2, 3], [1, 2, 3, 4], [1, 2, null, 3, null, 4, 5]].map(dotsOf), [1, 3, 0, 1]));

// Pictures on white paper, photographs, and photographs with a white frame.
const pixels = color => new Uint8ClampedArray(Array.from({length: 400}, (_, i) => color(i % 20, Math.floor(i / 20)))
  .flatMap(v => [v, v, v, 255]));
const inside = (x, y, frame) => Math.min(x, y, 19 - x, 19 - y) >= frame;
expect('a plot', isOnWhite(pixels((x, y) => x === 5 || y === 15 ? (inside(x, y, 1) ? 0 : 255) : 255), 20, 20));
expect('a photograph', !isOnWhite(pixels((x, y) => x * 12), 20, 20));
expect('a white frame', !isOnWhite(pixels((x, y) => inside(x, y, 1) ? x * 10 : 255), 20, 20));
expect('a dark plot', !isOnWhite(pixels(() => 27), 20, 20));

// Progress.
const texts = new Map([[4, '4 s'], [75, '1 min 15 s'], [7260, '2 h 01 min'], [200000, '2 d 7 h'], [59.7, '1 min 00 s']]);
for (const [seconds, text] of texts) expect(`a duration of ${text}`, duration(seconds) === text);
expect('no duration', duration(null) === '' && speed(0) === '' && bytes(undefined) === '');
expect('speeds', same([116.23, 0.05].map(speed), ['116.2 iterations/s', '20 s per iteration']));
expect('bytes', same([999, 1000, 312456789, 999999999].map(bytes), ['999 B', '1 kB', '312 MB', '1 GB']));
const progress = {iteration: 1980, epoch: 3.3, length: 5, unit: 'epoch', rate: 116, left: 9, elapsed_time: 17,
  processor: 1.93, memory: 3.12e8, arrays: 4.1e7};
const run = (state, more = {}) => ({state, told: true, progress: {...progress, ...more}});
const rowsOf = run => Object.fromEntries(progressRows(run));
expect('the done part', Math.abs(fractionOf(run('running')) - 0.66) < 1e-9 && percent(0.66) === '66 %');
expect('99.99 % is not the end', percent(0.9999) === '99 %' && percent(1) === '100 %' && percent(null) === '');
expect('no length', fractionOf(run('running', {length: null})) === null && fractionOf({progress: null}) === null &&
  fractionOf(run('running', {unit: 'second'})) === null);
expect('a running job', same(rowsOf(run('running')), {'iteration': '1980', 'epoch': '3.3 of 5', 'speed': '116 iterations/s',
  'time left': '9 s', 'time gone': '17 s', 'processor': '193 % of a core', 'memory': '312 MB (arrays 41 MB)'}));
expect('an ended job uses nothing', same(Object.keys(rowsOf(run('failed'))), ['iteration', 'epoch', 'time gone']));
expect('a paused job has no speed', !('speed' in rowsOf(run('paused'))) && 'memory' in rowsOf(run('paused')));
expect('texts are no numbers', same(progressRows({state: 'running', progress: {iteration: '<b>', memory: {}}}),
  [['speed', 'not known yet']]));
const possible = state => ['stop', 'pause', 'resume'].filter(command => isPossible(command, run(state)));
expect('commands', same(['running', 'paused', 'finished', 'failed', 'stopped'].map(possible),
  [['stop', 'pause'], ['stop', 'resume'], [], [], []]));
expect('commands of silent programs', isPossible('stop', {state: 'idle', told: false}) && isPossible('stop', undefined));
expect('a guess is called one', stateTitle({state: 'running', told: false}).includes('judged'));

// Values of each iteration, where the log has fewer.
const log = [{iteration: 10, epoch: 1, loss: 3, val: 4}];
const each = {loss: {x: [1, 2, 3], y: [5, null, 'x']}};
expect('values of each iteration', same(pointsOf(log, each, 'loss', 'iteration'), {x: [1, 2, 3], y: [5, null, null]}));
expect('values of the log', same(pointsOf(log, each, 'val', 'iteration'), {x: [10], y: [4]}) &&
  same(pointsOf(log, each, 'loss', 'epoch'), {x: [1], y: [3]}) && same(pointsOf(log, undefined, 'loss', 'iteration'), {x: [10], y: [3]}));
console.log(`${passed} passed, ${failed} failed`);
if (failed) throw new Error('failed');
