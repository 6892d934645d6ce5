// The site's search: finds headings, names in the code below them, and words of the text. The index (search_index.js,
// written by docs/tool/search.cpp) is loaded when the field is first used. A page's address may end in ?q=WORDS.
// Outside of a browser (in tests) only `chainerSearch.find(words)` is defined.
'use strict';

var chainerSearch = (function () {
  const kMost = 40;  // maximum number of results shown
  let pages = [], sections = [];

  // Returns the quality of a match from 0 to 1: a whole name, its beginning, the beginning of a part of it (a word of
  // EarlyStoppingTrigger, the text after a _), or anywhere inside.
  function match(word, text, lower) {
    let best = 0;
    for (let at = lower.indexOf(word); at >= 0 && best < 1; at = lower.indexOf(word, at + 1)) {
      const before = at ? text[at - 1] : ' ', first = text[at];
      const end = at + word.length, after = end < text.length ? text[end] : ' ';
      const begins = !/\w/.test(before), ends = !/\w/.test(after);
      const part = before === '_' || (/[A-Z]/.test(first) && /[a-z0-9]/.test(before)) || /[0-9]/.test(before);
      best = Math.max(best, begins && ends ? 1 : begins ? 0.8 : part ? 0.6 : 0.3);
    }
    return best;
  }

  function load(index) {
    pages = index.pages;
    sections = index.sections.map(([page, anchor, heading, code, text]) => ({
      file: pages[page][0], title: pages[page][1], anchor, heading, code, text,
      url: pages[page][0] + (anchor ? '#' + anchor : ''),
      lower: [heading, pages[page][1], code, text].map((s) => s.toLowerCase()),
    }));
  }

  function words_of(query) {
    return query.split(/[^\w]+/).filter((w) => w);
  }

  // Returns sections that contain all words, the best first: headings rank above page titles, these above code, and
  // code above text. A name without matches is searched by its parts.
  function find(query) {
    const found = find_all(words_of(query));
    return found.length || !query.includes('_') ? found : find_all(words_of(query.replace(/_/g, ' ')));
  }

  function find_all(queried) {
    if (!queried.length) return [];
    const words = queried.map((w) => w.toLowerCase()), phrase = words.join(' ');
    const weights = [1000, 100, 60, 20], found = [];
    for (const s of sections) {
      let score = 0;
      for (const word of words) {
        const texts = [s.heading, s.title, s.code, s.text];
        let best = 0;
        texts.forEach((text, i) => { best = Math.max(best, weights[i] * match(word, text, s.lower[i])); });
        if (!best) { score = 0; break; }
        score += best;
      }
      if (!score) continue;
      if (s.heading.toLowerCase() === phrase) score += 100;  // nothing but the query
      // Ties: a heading with the same case first, then the shortest one; the reference before other pages, and the
      // table of names last.
      if (queried.some((w) => s.heading.includes(w))) score += 5;
      if (!s.file.startsWith('md_')) score += 15;
      score -= Math.min(s.heading.length, 80) / 10 + (s.file === 'coverage.html' ? 80 : 0);
      found.push({section: s, score});
    }
    found.sort((a, b) => b.score - a.score);
    return found.slice(0, kMost).map((f) => f.section);
  }

  // Returns an excerpt of a section: its beginning if the heading matches, otherwise the words around the match.
  function excerpt(section, query) {
    const words = words_of(query.toLowerCase());
    if (section.text.trim() && words.every((w) => section.lower[0].includes(w)))
      return section.text.slice(0, 150).trim() + (section.text.length > 150 ? ' …' : '');
    for (const [text, lower] of [[section.text, section.lower[3]], [section.code, section.lower[2]]]) {
      const at = Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0));
      if (!isFinite(at)) continue;
      let begin = Math.max(0, at - 40);
      if (begin) begin = text.indexOf(' ', begin) + 1;
      return (begin ? '… ' : '') + text.slice(Math.min(begin, at), at + 110).trim() +
             (at + 110 < text.length ? ' …' : '');
    }
    return section.text.slice(0, 120).trim();
  }

  return {load, find, excerpt, words_of};
})();

if (typeof document !== 'undefined') (function () {
  const root = document.currentScript.src.replace(/search\.js.*$/, '');
  const field = document.createElement('input'), list = document.createElement('div');
  let loading = false, ready = false, chosen = -1;

  function marked(parent, text, query) {  // with matches in <mark>
    const words = chainerSearch.words_of(query);
    for (const piece of text.split(words.length ? new RegExp('(' + words.join('|') + ')', 'i') : [])) {
      if (!piece) continue;
      const hit = words.some((w) => w.toLowerCase() === piece.toLowerCase());
      const node = hit ? document.createElement('mark') : document.createTextNode(piece);
      if (hit) node.textContent = piece;
      parent.appendChild(node);
    }
  }

  function show() {
    const query = field.value;
    list.textContent = '';
    chosen = -1;
    list.hidden = !query.trim();
    if (list.hidden || !ready) return;
    place();
    const found = chainerSearch.find(query);
    for (const section of found) {
      const entry = document.createElement('a');
      entry.href = root + section.url;
      for (const [name, text] of [['name', section.heading], ['page', section.title],
                                  ['excerpt', chainerSearch.excerpt(section, query)]]) {
        const part = document.createElement('span');
        part.className = name;
        if (name !== 'page') marked(part, text, query);
        else if (section.title !== section.heading) part.textContent = text;
        entry.appendChild(part);
      }
      list.appendChild(entry);
    }
    if (!found.length) list.textContent = 'Nothing is found.';
  }

  // Next to the field if it is in a column, otherwise below it.
  function place() {
    const box = field.getBoundingClientRect(), column = box.right < innerWidth / 2;
    const left = column ? box.right + 20 : box.left, top = column ? 12 : box.bottom + 6;
    list.style.left = left + 'px';
    list.style.top = top + 'px';
    list.style.width = Math.min(760, innerWidth - left - 40) + 'px';
    list.style.maxHeight = innerHeight - top - 40 + 'px';
  }

  function choose(step) {
    const entries = list.querySelectorAll('a');
    if (!entries.length) return;
    if (chosen >= 0) entries[chosen].classList.remove('chosen');
    chosen = (chosen + step + entries.length) % entries.length;
    entries[chosen].classList.add('chosen');
    entries[chosen].scrollIntoView({block: 'nearest'});
  }

  function load() {
    if (loading) return;
    loading = true;
    const script = document.createElement('script');
    script.src = root + 'search_index.js';
    script.onload = () => { ready = true; show(); };
    document.body.appendChild(script);
  }

  field.id = 'site-search';
  field.type = 'search';
  field.placeholder = 'Search ( / )';
  field.setAttribute('aria-label', 'Search');
  field.autocomplete = 'off';
  list.id = 'site-search-results';
  list.hidden = true;
  field.addEventListener('focus', load);
  field.addEventListener('focus', show);
  field.addEventListener('input', () => { load(); show(); });
  field.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      choose(e.key === 'ArrowDown' ? 1 : chosen < 0 ? 0 : -1);
      e.preventDefault();
    } else if (e.key === 'Enter') {
      const entry = list.querySelectorAll('a')[Math.max(chosen, 0)];
      if (entry) { list.hidden = true; location.href = entry.href; }
    } else if (e.key === 'Escape') {
      list.hidden = true;
      field.blur();
    }
  });
  list.addEventListener('click', () => { list.hidden = true; });
  document.addEventListener('mousedown', (e) => {
    if (e.target !== field && !list.contains(e.target)) list.hidden = true;
  });
  document.addEventListener('keydown', (e) => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /^(input|textarea)$/i.test(e.target.tagName)) return;
    field.focus();
    e.preventDefault();
  });
  (document.getElementById('titlearea') || document.body).appendChild(field);
  document.body.appendChild(list);
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    field.value = asked;
    load();
  }
})();

if (typeof module !== 'undefined') module.exports = chainerSearch;
