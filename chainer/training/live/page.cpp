// The page: its skeleton and its looks. What it does is page_script.cpp.
#include "chainer/training/live/site.h"

namespace chainer::live {

const std::string_view kPage = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chainer: runs</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="data:,">
<script src="page.js" defer></script>
</head>
<body>
<header>
<h1>Runs</h1>
<span id="connection" role="status">connecting</span>
<label class="search">Search <input id="search" type="search" placeholder="name, lr=0.1, batchsize>50"></label>
</header>
<main>
<div class="column">
<section id="list" aria-labelledby="list-title">
<h2 id="list-title">Results</h2>
<div class="wide"><table id="runs"><thead></thead><tbody></tbody></table></div>
<p id="none" hidden>No run matches.</p>
</section>
<section aria-labelledby="curves-title">
<h2 id="curves-title">Curves</h2>
<p class="tools">
<label>over <select id="axis"><option>iteration</option><option>epoch</option><option>elapsed_time</option></select></label>
<label><input type="checkbox" id="logarithmic"> logarithmic</label>
<label>smoothing <input type="range" id="smoothing" min="0" max="0.99" step="0.01" value="0"></label>
</p>
<div id="curves"></div>
</section>
<section id="entries" aria-labelledby="log-title">
<h2 id="log-title">Log <span class="run-name"></span></h2>
<div class="wide"><table id="log"><thead></thead><tbody></tbody></table></div>
</section>
</div>
<div class="column">
<section id="steering" aria-labelledby="steering-title">
<h2 id="steering-title">Steering <span class="run-name"></span></h2>
<p class="tools">
<button data-command="take_snapshot">Snapshot</button>
<button data-command="pause">Pause</button>
<button data-command="resume">Go on</button>
<button data-command="stop" class="strong">Stop</button>
</p>
<form id="hyperparameters" class="tools"></form>
<p class="tools">
<label>token <input id="token" type="password" autocomplete="off" placeholder="printed at the start"></label>
<label>your name <input id="by" autocomplete="off"></label>
</p>
<p id="answer" role="status"></p>
<ul id="commands"></ul>
</section>
<section aria-labelledby="pictures-title">
<h2 id="pictures-title">Pictures <span class="run-name"></span></h2>
<div id="pictures"></div>
</section>
<section aria-labelledby="arguments-title">
<h2 id="arguments-title">Arguments <span class="run-name"></span></h2>
<dl id="arguments"></dl>
</section>
</div>
</main>
</body>
</html>
)page";

const std::string_view kStyle = R"style(
:root { color-scheme: light dark; --ink: #1d2330; --soft: #5a6376; --paper: #f6f7f9; --card: #fff; --line: #d8dce4; --accent: #1457b8; --bad: #a1261b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9f0; --soft: #a4adbf; --paper: #14171d; --card: #1d222b; --line: #363d4a; --accent: #82b1ff; --bad: #ff9d91; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; padding: .6rem 1rem;
  background: var(--card); border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 2; }
h1 { font-size: 1.2rem; margin: 0; } h2 { font-size: 1rem; margin: 0 0 .5rem; }
.search { margin-left: auto; } .search input { width: 17rem; }
.run-name { color: var(--soft); font-weight: normal; overflow-wrap: anywhere; }
main { display: flex; flex-direction: column; gap: .8rem; padding: .8rem; max-width: 1500px; margin: auto; }
.column { display: contents; } #entries { order: 1; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem; min-width: 0; }
@media (min-width: 1000px) {
  main { flex-direction: row; align-items: flex-start; }
  .column { display: flex; flex-direction: column; gap: .8rem; flex: 2 1 0; min-width: 0; } .column + .column { flex-grow: 1; }
}
.wide { overflow-x: auto; max-height: 22rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; position: sticky; top: 0; background: var(--card); }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
#log th, #log td { text-align: right; }
#runs tbody tr.open { background: color-mix(in srgb, var(--accent) 12%, transparent); }
#runs button { background: none; border: 0; color: var(--accent); padding: .15rem 0; font: inherit; cursor: pointer; text-align: left; }
.state { padding: .05rem .5rem; border-radius: 1rem; border: 1px solid var(--line); color: var(--soft); font-size: .85em; }
.state.running { color: #fff; background: #1a7f37; border-color: #1a7f37; }
.state.bad { color: var(--bad); border-color: var(--bad); }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: 0 0 .6rem; }
button, input, select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .6rem; max-width: 100%; }
input[type=range], input[type=checkbox] { padding: 0; vertical-align: middle; }
form.tools label { display: flex; gap: .4rem; align-items: center; } form.tools input { width: 7.5rem; }
button { cursor: pointer; } button.strong { border-color: var(--bad); color: var(--bad); } button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#curves { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .85em; color: var(--soft); overflow-wrap: anywhere; }
.legend i { display: inline-block; width: 1.1em; height: 0; border-top: 3px solid; vertical-align: middle; margin-right: .3em; }
svg { width: 100%; height: auto; display: block; touch-action: pan-y; }
svg text { font-size: 12px; fill: var(--soft); } svg .grid { stroke: var(--line); } svg .at { stroke: var(--soft); stroke-dasharray: 3 3; }
svg polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
#pictures { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); max-height: 34rem; overflow-y: auto; }
#pictures img { width: 100%; min-height: 6rem; object-fit: contain; display: block; background: #fff; border: 1px solid var(--line); } #pictures figcaption { font-weight: normal; font-size: .8em; color: var(--soft); overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem 1rem; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
#commands { margin: 0; padding-left: 1.1rem; max-height: 14rem; overflow-y: auto; font-size: .9em; } #answer { min-height: 1.4em; margin: 0; } .error { color: var(--bad); }
@media (max-width: 600px) { body { font-size: 16px; } .search { margin-left: 0; width: 100%; } .search input { width: calc(100% - 4.5rem); } main { padding: .4rem; } .wide { max-height: 15rem; } button { padding: .5rem .8rem; } }
)style";

}  // namespace chainer::live
