// Draws with plot.js and reads what became of it, without a browser: `node draw.js plot.js` or `qjs --std draw.js plot.js`.
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
const {drawPlot, ticks, axisEnds, smoothed, thinnedPositions, tickText} =
  new Function(source + '\nreturn {drawPlot, ticks, axisEnds, smoothed, thinnedPositions, tickText};')();

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
console.log(`${passed} passed, ${failed} failed`);
if (failed) throw new Error('failed');
