// Draws axes and curves as SVG, for the live page and for reports. figure.cpp follows the same rules in C++.
'use strict';

const colors = ['#1f6bb8', '#e36b0a', '#2b9447', '#c42633', '#8054b3', '#805240', '#d166ad', '#737373'];
const dashes = ['', '6 3', '2 3', '8 3 2 3'];
const fewPoints = 3;      // curves of so many points have dots

const rounding = 1e-9;    // values that differ by less, relatively, are drawn as one
const smallest = 1e-290;  // values below are drawn as zero
const mostTicks = 100;

function isDrawable(value) {
  return typeof value === 'number' && Math.abs(value) <= 1e300;
}

// Returns the ends of an axis for values in [low, high], with a margin on both sides (a fraction of the length). A
// range of a single value (up to rounding) is widened; without values (low > high), the range is [0, 1].
function axisEnds(low, high, margin) {
  if (low > high) {
    low = 0;
    high = 1;
  }
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= rounding * size || high === low) {
    const middle = low + (high - low) / 2;
    const room = size < smallest ? 1 : size * 0.1;
    low = middle - room;
    high = middle + room;
  }
  const room = (high - low) * margin;
  return [low - room, high + room];
}

// Returns about `count` round numbers in [low, high].
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = base * ([1, 2, 2.5, 5].find(factor => base * factor >= raw) || 10);
  const first = Math.ceil(low / step - 1e-9);
  const out = [];
  for (let i = 0; i < mostTicks && (first + i) * step <= high + step * 1e-9; ++i) {
    out.push(Number(((first + i) * step).toPrecision(12)));
  }
  return out;
}

// Returns logarithms of round numbers between two logarithms: powers of ten, and for short ranges 2 and 5 times these.
function logarithmicTicks(low, high) {
  const out = [];
  for (let power = Math.floor(low); power <= Math.ceil(high) && out.length < mostTicks; ++power) {
    for (const factor of high - low < 3 ? [1, 2, 5] : [1]) {
      const value = power + Math.log10(factor);
      if (value >= low - rounding && value <= high + rounding) out.push(value);
    }
  }
  return out;
}

function tickText(value) {
  if (!Number.isFinite(value)) return 'NaN';
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  return String(Number(value.toPrecision(5)));
}

// Returns exponential moving averages with bias correction; gaps (null) stay gaps.
function smoothed(values, weight) {
  if (!weight) return values;
  let sum = 0;
  let total = 0;
  return values.map(value => {
    if (value === null) return null;
    sum = sum * weight + value * (1 - weight);
    total = total * weight + 1 - weight;
    return sum / total;
  });
}

// Returns about `most` positions of a curve at most: those of the smallest and the largest value of each interval.
function thinnedPositions(values, most) {
  const all = [...values.keys()];
  if (values.length <= most) return all;
  const out = [];
  const step = values.length * 2 / most;
  for (let from = 0; from < values.length; from += step) {
    const end = Math.max(Math.floor(from) + 1, Math.floor(from + step));
    let low = -1;
    let high = -1;
    for (let i = Math.floor(from); i < end && i < values.length; ++i) {
      if (values[i] === null) continue;
      if (low < 0 || values[i] < values[low]) low = i;
      if (high < 0 || values[i] > values[high]) high = i;
    }
    if (low < 0) out.push(Math.floor(from));
    else out.push(...(low === high ? [low] : [Math.min(low, high), Math.max(low, high)]));
  }
  return out;
}

// Returns the index of the value nearest to `at`.
function nearest(values, at) {
  let found = 0;
  for (let i = 1; i < values.length; ++i) {
    if (Math.abs(values[i] - at) < Math.abs(values[found] - at)) found = i;
  }
  return found;
}

function svgElement(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Replaces the content of an SVG element with curves ({x, y, color, dash, opacity}; elements of y may be null). `range`
// is a part of the x axis. Returns the mapping from values to positions, and the marks that follow the pointer.
function drawPlot(svg, {width, height, xName, curves, logarithmic = false, range = null}) {
  const [left, right, top, bottom] = [62, width - 12, 10, height - 40];
  const value = y => y === null ? null : !logarithmic ? y : y > 0 ? Math.log10(y) : null;
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const curve of curves) {
    for (const x of curve.x) {
      x0 = Math.min(x0, x);
      x1 = Math.max(x1, x);
    }
  }
  [x0, x1] = range || axisEnds(x0, x1, 0.02);
  for (const curve of curves) {
    curve.y.forEach((y, i) => {
      const v = value(y);
      if (v === null || curve.x[i] < x0 || curve.x[i] > x1) return;
      y0 = Math.min(y0, v);
      y1 = Math.max(y1, v);
    });
  }
  [y0, y1] = axisEnds(y0, y1, 0.05);
  const toX = x => left + (x - x0) / (x1 - x0) * (right - left);
  const toY = v => bottom - (v - y0) / (y1 - y0) * (bottom - top);

  svg.replaceChildren();
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const add = (tag, attributes, text) => svg.appendChild(svgElement(tag, attributes, text));
  for (const x of ticks(x0, x1, Math.max(2, Math.floor((right - left) / 85)))) {
    add('path', {class: 'grid', d: `M${toX(x)},${top}V${bottom}`});
    add('text', {class: 'tick', x: toX(x), y: bottom + 16, 'text-anchor': 'middle'}, tickText(x));
  }
  const rows = logarithmic ? logarithmicTicks(y0, y1) : ticks(y0, y1, Math.max(2, Math.floor((bottom - top) / 45)));
  for (const y of rows) {
    add('path', {class: 'grid', d: `M${left},${toY(y)}H${right}`});
    add('text', {class: 'tick', x: left - 6, y: toY(y) + 4, 'text-anchor': 'end'}, tickText(logarithmic ? 10 ** y : y));
  }
  add('text', {class: 'tick', x: (left + right) / 2, y: height - 6, 'text-anchor': 'middle'}, xName);
  // Clips curves to the axes.
  const inner = add('svg', {x: left, y: top, width: right - left, height: bottom - top,
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`});
  for (const curve of curves) {
    // Runs of points without a gap. Points of their own, and those of short curves, are dots.
    const parts = [];
    let part = null;
    for (const i of thinnedPositions(curve.y, 1800)) {
      const v = value(curve.y[i]);
      if (v === null) {
        part = null;
        continue;
      }
      if (!part) parts.push(part = []);
      part.push(toX(curve.x[i]).toFixed(1) + ',' + toY(v).toFixed(1));
    }
    const style = {stroke: curve.color, 'stroke-opacity': curve.opacity || 1};
    inner.appendChild(svgElement('path', {class: 'curve s' + curve.color.slice(1), ...style,
      'stroke-dasharray': curve.dash || 'none', d: parts.map(points => 'M' + points.join('L')).join('')}));
    const few = parts.reduce((sum, points) => sum + points.length, 0) <= fewPoints;
    const dots = parts.filter(points => few || points.length === 1).flat();
    if (dots.length) {
      inner.appendChild(svgElement('path', {class: 'dot s' + curve.color.slice(1), ...style,
        d: dots.map(point => `M${point}h0`).join('')}));
    }
  }
  add('path', {class: 'frame', d: `M${left},${top}V${bottom}H${right}`});
  const cursor = add('path', {class: 'cursor', d: ''});
  const band = add('rect', {class: 'band', y: top, height: bottom - top, width: 0});
  return {
    toX, x0, x1, left, right, cursor, band,
    // Returns the x under the pointer, clipped to the axis.
    xAt(event) {
      const box = svg.getBoundingClientRect();
      const place = (event.clientX - box.left) / box.width * width;
      return Math.min(x1, Math.max(x0, x0 + (place - left) / (right - left) * (x1 - x0)));
    },
    mark(x) {
      cursor.setAttribute('d', x === null ? '' : `M${toX(x)},${top}V${bottom}`);
    },
  };
}

// Whether pixels (red, green, blue, opacity) show a drawing on white paper, as plots are: its border is white, and so is
// a good part of it. At night such pictures are shown with light and dark exchanged; photographs stay as they are.
function isOnWhite(pixels, width, height) {
  let [white, border, whiteBorder] = [0, 0, 0];
  for (let i = 0; i < width * height; ++i) {
    const isWhite = Math.min(pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]) >= 245;
    const [x, y] = [i % width, Math.floor(i / width)];
    const isBorder = x === 0 || y === 0 || x === width - 1 || y === height - 1;
    white += isWhite;
    border += isBorder;
    whiteBorder += isBorder && isWhite;
  }
  return whiteBorder >= 0.98 * border && white >= 0.35 * width * height;
}
const night = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : {matches: false};
// Adapts a picture that has arrived. One that suits the night itself, as our SVG files do, is not white then.
function adaptPicture(image) {
  let plot = false;
  if (night.matches && image.naturalWidth) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 64, 64);
    context.drawImage(image, 0, 0, 64, 64);
    plot = isOnWhite(context.getImageData(0, 0, 64, 64).data, 64, 64);
  }
  image.classList.toggle('plot', plot);
}
