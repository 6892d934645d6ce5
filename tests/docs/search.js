// Searches the site as its visitors do: search.js HTML_FOLDER COVERAGE, where COVERAGE is docs/coverage.md. Every
// heading of every page must lead to its section, every name of the manual that exists here to a section that holds
// it, and every name in the code of the reference to some section.
'use strict';
const fs = require('fs');
const [folder, coverage] = process.argv.slice(2);
global.chainerSearch = require(fs.realpathSync(folder) + '/search.js');
require(fs.realpathSync(folder) + '/search_index.js');

let passed = 0, failed = 0;
function expect(condition, message) {
  if (condition) return ++passed;
  if (++failed <= 40) console.log('FAILED: ' + message);
}
const index = {};
const load = chainerSearch.load;
const text = fs.readFileSync(folder + '/search_index.js', 'utf8');
new Function('chainerSearch', text)({load: (i) => Object.assign(index, i)});

// What a visitor sees of the results: the first ten.
const first = (query) => chainerSearch.find(query).slice(0, 10);

expect(first('early').some((s) => s.heading.includes('EarlyStoppingTrigger')), 'early: no EarlyStoppingTrigger');
expect(/png/.test(first('png')[0].heading), 'png: the first result is no function of that name');
expect(first('softmax_cross_entropy')[0].heading === 'F::softmax_cross_entropy', 'softmax_cross_entropy: not first');
expect(first('F::softmax_cross_entropy(y, t)').some((s) => s.file.startsWith('md_')), 'a call: not in the guide');
expect(first('learning_rate').length, 'learning_rate is not looked for by its parts');
expect(!chainerSearch.find('zzyzx').length && !chainerSearch.find(' :: ').length, 'nothing is found everywhere');

// Headings, as the pages themselves have them.
const headings = [];
for (const file of fs.readdirSync(folder).filter((f) => f.endsWith('.html'))) {
  const html = fs.readFileSync(folder + '/' + file, 'utf8').split('<!-- contents -->')[0];
  for (const [, id, inner] of html.matchAll(/<h\d><a class="anchor" id="([^"]*)"><\/a>\s*([^]*?)<\/h\d>/g)) {
    const heading = inner.replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"')
        .replace(/&#160;/g, ' ').replace(/&amp;/g, '&').trim();
    headings.push(heading);
    if (!/\w/.test(heading.replace(/operator|\W/g, ''))) continue;  // operator+
    expect(chainerSearch.find(heading).some((s) => s.url === file + '#' + id), `heading '${heading}' of ${file}`);
    const title = index.pages.find((p) => p[0] === file);
    expect(title && title[1], `${file} has no title in the index`);
  }
}
expect(headings.length > 500, `only ${headings.length} headings were looked for`);

// The manual's names that are here, by the last part of their name here: somewhere else than in the table of names.
for (const line of fs.readFileSync(coverage, 'utf8').split('\n')) {
  const [, name, use] = line.split('|').map((s) => s.trim().replace(/`/g, ''));
  if (!use || !/yes/.test(line) || !/\w/.test(use)) continue;
  const last = use.replace(/<.*/, '').replace(/\W+$/, '').split(/\W+/).pop();
  expect(first(last).some((s) => s.file !== 'coverage.html'), `${use}, the manual's ${name}`);
}
// The names in the reference's code.
let declared = 0;
for (const [page, anchor, heading, code] of index.sections) {
  const file = index.pages[page][0];
  if (file.startsWith('md_') || !code.includes('// in namespace')) continue;
  for (const [, name] of code.matchAll(/(\w+)\(/g)) {
    ++declared;
    expect(chainerSearch.find(name).length, `${name} in the code of ${heading}`);
  }
}
expect(declared > 1000, `only ${declared} declared names were looked for`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
