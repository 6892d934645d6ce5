// Makes the plots of a report interactive: draws each again from the data in the page, at its current width, for
// zooming, smoothing, logarithmic scales and values under the pointer.
{
  const plots = JSON.parse(document.getElementById('data').textContent);

  function addTools(figure) {
    const tools = document.createElement('div');
    tools.className = 'tools';
    tools.innerHTML = '<label><input type="checkbox"> log scale</label>' +
      '<label>smoothing <input type="range" min="0" max="0.99" step="0.01" value="0"></label>' +
      '<button type="button" hidden>whole curve</button>';
    const shown = document.createElement('div');
    shown.className = 'value';
    figure.append(tools, shown);
    const [logarithmic, smoothing] = tools.querySelectorAll('input');
    return {logarithmic, smoothing, whole: tools.querySelector('button'), shown};
  }

  function start(figure) {
    const plot = plots[Number(figure.dataset.plot)];
    const tools = addTools(figure);
    const svg = figure.querySelector(':scope>svg');
    let range = null;
    let frame = null;
    let from = null;  // where a selection begins
    let width = 0;

    function series() {
      const weight = Number(tools.smoothing.value);
      return plot.s.map(s => ({label: s.l, color: '#' + s.c, dash: s.d, x: s.x, raw: s.y, y: smoothed(s.y, weight)}));
    }
    function draw() {
      const across = Math.max(260, figure.clientWidth - 16);
      const height = Math.round(Math.max(210, Math.min(300, across * 0.6)));
      const curves = series();
      const raw = curves.map(c => ({...c, y: c.raw, opacity: 0.25}));
      frame = drawPlot(svg, {width: across, height, xName: plot.x, range, logarithmic: tools.logarithmic.checked,
        curves: Number(tools.smoothing.value) ? [...raw, ...curves] : curves});
      svg.setAttribute('width', across);
      svg.setAttribute('height', height);
    }
    function show(x) {
      frame.mark(x);
      tools.shown.textContent = plot.x + ' ' + tickText(x) + ': ' +
        series().map(s => s.label + ' ' + tickText(s.y[nearest(s.x, x)] ?? NaN)).join(' · ');
    }

    svg.addEventListener('pointermove', event => {
      if (!frame) draw();
      const x = frame.xAt(event);
      show(x);
      if (from === null) return;
      const [a, b] = [frame.toX(x), frame.toX(from)];
      frame.band.setAttribute('x', Math.min(a, b));
      frame.band.setAttribute('width', Math.abs(a - b));
    });
    svg.addEventListener('pointerleave', () => {
      if (frame) frame.mark(null);
      tools.shown.textContent = '';
    });
    svg.addEventListener('pointerdown', event => {
      if (event.pointerType !== 'mouse') return;
      if (!frame) draw();
      from = frame.xAt(event);
      event.preventDefault();
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointerup', event => {
      if (from === null) return;
      const x = frame.xAt(event);
      const [low, high] = [Math.min(x, from), Math.max(x, from)];
      from = null;
      if (high - low > (frame.x1 - frame.x0) * 0.01) {
        range = [low, high];
        tools.whole.hidden = false;
      }
      draw();
    });
    tools.logarithmic.onchange = draw;
    tools.smoothing.oninput = draw;
    tools.whole.onclick = () => {
      range = null;
      tools.whole.hidden = true;
      draw();
    };
    new ResizeObserver(() => {
      if (figure.clientWidth === width) return;
      width = figure.clientWidth;
      draw();
    }).observe(figure);
  }

  document.querySelectorAll('figure[data-plot]').forEach(start);

  const pictures = document.querySelectorAll('figure img');
  for (const image of pictures) {
    image.addEventListener('load', () => adaptPicture(image));
    if (image.complete) adaptPicture(image);
  }
  night.addEventListener('change', () => pictures.forEach(adaptPicture));
}
