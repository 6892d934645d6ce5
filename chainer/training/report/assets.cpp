#include "chainer/training/report/assets.h"

namespace chainer::run_report {

// The classes of SVG (k333338 and so on) are the colours of plot/figure.cpp and report/graph.cpp: at night each gets a
// lighter or darker one of the same hue.
const char* const kStyle = R"css(
:root{color-scheme:light dark;--ground:#fff;--card:#fff;--ink:#22222a;--soft:#5a5a66;--line:#d9d9e0;--accent:#1b5fa5;--warn:#fdf3dc;--warnline:#b97800}
*{box-sizing:border-box}
body{margin:0 auto;max-width:74rem;padding:1rem;font:16px/1.5 system-ui,"DejaVu Sans",sans-serif;background:var(--ground);color:var(--ink)}
h1{font-size:1.6rem;margin:.3rem 0}h2{font-size:1.2rem;margin:2rem 0 .6rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .4rem}
a{color:var(--accent)}p{margin:.4rem 0}.soft{color:var(--soft)}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.3rem 0}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,31rem),1fr));gap:1rem}
figure{margin:0;border:1px solid var(--line);border-radius:6px;padding:.5rem;background:var(--card);min-width:0;break-inside:avoid}
figcaption{font-weight:600}
figure svg{display:block;width:100%;height:auto}
.legend{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.85rem}
.legend svg{display:inline-block;width:1.4em;height:.7em;vertical-align:baseline}
.tools{display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:center;font-size:.85rem;color:var(--soft)}
.tools input[type=range]{width:7rem;vertical-align:middle}
button{font:inherit;padding:.1rem .6rem}
.value{min-height:1.4em;font-size:.85rem;font-variant-numeric:tabular-nums;color:var(--ink)}
.scroll{overflow-x:auto}.scroll>svg{width:auto;height:auto;max-width:max(100%,34rem)}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right}th{font-weight:600}
pre{font:.8rem/1.35 ui-monospace,"DejaVu Sans Mono",monospace;overflow-x:auto;margin:.4rem 0}
ul.remarks{padding:.6rem .6rem .6rem 1.8rem;background:var(--warn);border-left:4px solid var(--warnline);margin:.4rem 0}
.bar{display:inline-block;height:.7em;background:var(--accent);vertical-align:baseline}
img{max-width:100%;height:auto;background:#fff}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (prefers-color-scheme:dark){
:root{--ground:#15161a;--card:#1b1c22;--ink:#e6e6ea;--soft:#a9a9b5;--line:#3a3b44;--accent:#7db8f5;--warn:#33290f;--warnline:#e0a63a}
.kffffff{fill:#1b1c22}.k333338{fill:#e6e6ea}.se0e0e6{stroke:#33343d}.s73737a{stroke:#8b8b96}.k73737a{fill:#8b8b96}.ke0e0e6{fill:#3a3b44}.kb8d4f5{fill:#24476e}
.s1f6bb8{stroke:#6cb0f5}.se36b0a{stroke:#f79a4b}.s2b9447{stroke:#63cf80}.sc42633{stroke:#f57f88}.s8054b3{stroke:#bd98ea}.s805240{stroke:#c79a88}.sd166ad{stroke:#ee94d2}.s737373{stroke:#a8a8a8}
}
@media print{
:root{--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--accent:#1b5fa5;--warn:#fff}
.tools,.value,nav{display:none}body{max-width:none;font-size:11px}.plots{grid-template-columns:1fr 1fr}h2{break-after:avoid}pre{white-space:pre-wrap}
}
)css";

// Draws a curve again from the numbers of the page, in the width that the plot has, when somebody zooms, smooths,
// chooses a logarithmic scale or points at it.
const char* const kScript = R"js(
(()=>{const all=JSON.parse(document.getElementById('data').textContent),NS='http://www.w3.org/2000/svg';
const fmt=v=>v===null||!isFinite(v)?'NaN':v!==0&&(Math.abs(v)>=1e6||Math.abs(v)<1e-4)?v.toExponential(2):String(+v.toPrecision(5));
const steps=(a,b,n)=>{const r=(b-a)/n,e=10**Math.floor(Math.log10(r)),s=[1,2,2.5,5,10].find(m=>e*m>=r*.999999)*e,o=[];for(let i=Math.ceil(a/s-1e-9);i*s<=b+s*1e-9;i++)o.push(+(i*s).toPrecision(12));return o};
const logs=(a,b)=>{const o=[];for(let e=Math.floor(a);e<=Math.ceil(b);e++)for(const m of b-a<3?[1,2,5]:[1]){const v=e+Math.log10(m);if(v>=a-1e-9&&v<=b+1e-9)o.push(v)}return o};
const smooth=(y,k)=>{if(!k)return y;let m=0,w=0;return y.map(v=>{if(v===null)return null;m=m*k+v*(1-k);w=w*k+1-k;return m/w})};
document.querySelectorAll('figure[data-plot]').forEach(fig=>{
const plot=all[+fig.dataset.plot],st={log:false,k:0,x:null},tools=document.createElement('div');tools.className='tools';
tools.innerHTML='<label><input type="checkbox"> log scale</label><label>smoothing <input type="range" min="0" max="0.99" step="0.01" value="0"></label><button type="button" hidden>whole curve</button>';
const value=document.createElement('div');value.className='value';
fig.append(tools,value);
const [box,range]=tools.querySelectorAll('input'),reset=tools.querySelector('button');
let svg=fig.querySelector(':scope>svg'),map=null;
const el=(n,a,t)=>{const e=document.createElementNS(NS,n);for(const k in a)e.setAttribute(k,a[k]);if(t!==undefined)e.textContent=t;svg.append(e);return e};
function draw(){const W=Math.max(260,fig.clientWidth-16),H=Math.round(Math.max(210,Math.min(300,W*.6))),L=62,R=12,T=10,B=40;
svg.replaceChildren();svg.setAttribute('viewBox',`0 0 ${W} ${H}`);svg.setAttribute('width',W);svg.setAttribute('height',H);
const f=v=>st.log?(v>0?Math.log10(v):null):v;
const series=plot.s.map(s=>({c:s.c,l:s.l,x:s.x,raw:s.y,y:smooth(s.y,st.k)}));
let a=Infinity,b=-Infinity;series.forEach(s=>s.x.forEach(x=>{a=Math.min(a,x);b=Math.max(b,x)}));
if(a>b){a=0;b=1}if(a===b){a-=1;b+=1}const pad=(b-a)*.02;a-=pad;b+=pad;if(st.x)[a,b]=st.x;
let lo=Infinity,hi=-Infinity;series.forEach(s=>s.y.forEach((v,i)=>{if(v===null||s.x[i]<a||s.x[i]>b)return;const g=f(v);if(g===null)return;lo=Math.min(lo,g);hi=Math.max(hi,g)}));
if(lo>hi){lo=0;hi=1}if(lo===hi){const d=lo===0?1:Math.abs(lo)*.1;lo-=d;hi+=d}const p=(hi-lo)*.05;lo-=p;hi+=p;
const X=x=>L+(x-a)/(b-a)*(W-L-R),Y=y=>H-B-(y-lo)/(hi-lo)*(H-T-B);
el('rect',{class:'kffffff',fill:'#fff',width:W,height:H});
for(const x of steps(a,b,Math.max(2,Math.floor((W-L-R)/85)))){el('path',{class:'se0e0e6',stroke:'#e0e0e6',d:`M${X(x)},${T}V${H-B}`});el('text',{class:'k333338',fill:'#333338',x:X(x),y:H-B+16,'font-size':12,'text-anchor':'middle'},fmt(x))}
for(const y of st.log?logs(lo,hi):steps(lo,hi,Math.max(2,Math.floor((H-T-B)/45)))){el('path',{class:'se0e0e6',stroke:'#e0e0e6',d:`M${L},${Y(y)}H${W-R}`});el('text',{class:'k333338',fill:'#333338',x:L-6,y:Y(y)+4,'font-size':12,'text-anchor':'end'},fmt(st.log?10**y:y))}
el('text',{class:'k333338',fill:'#333338',x:(L+W-R)/2,y:H-6,'font-size':12,'text-anchor':'middle'},plot.x);
const inner=el('svg',{x:L,y:T,width:W-L-R,height:H-T-B,viewBox:`${L} ${T} ${W-L-R} ${H-T-B}`}),outer=svg;svg=inner;
const path=(s,y,o)=>{let d='',pen=false;s.x.forEach((x,i)=>{const g=y[i]===null?null:f(y[i]);if(g===null){pen=false;return}d+=(pen?'L':'M')+X(x).toFixed(1)+','+Y(g).toFixed(1);pen=true});
el('path',{class:'s'+s.c,fill:'none',stroke:'#'+s.c,'stroke-width':1.8,'stroke-opacity':o,'stroke-linejoin':'round','stroke-linecap':'round',d})};
series.forEach(s=>{if(st.k)path(s,s.raw,.25);path(s,s.y,1)});svg=outer;
el('path',{class:'s73737a',stroke:'#73737a',fill:'none',d:`M${L},${T}V${H-B}H${W-R}`});
map={X,Y,f,a,b,L,R,W,H,T,B,series,cursor:el('path',{class:'s73737a',stroke:'#73737a',d:''}),band:el('rect',{fill:'#1f6bb8','fill-opacity':.15,y:T,height:H-T-B,width:0})}}
const xat=e=>{const r=svg.getBoundingClientRect(),u=(e.clientX-r.left)/r.width*map.W;return Math.min(map.b,Math.max(map.a,map.a+(u-map.L)/(map.W-map.L-map.R)*(map.b-map.a)))};
let from=null;
function show(x){map.cursor.setAttribute('d',`M${map.X(x)},${map.T}V${map.H-map.B}`);
value.textContent=plot.x+' '+fmt(x)+': '+map.series.map(s=>{let k=0;for(let i=1;i<s.x.length;i++)if(Math.abs(s.x[i]-x)<Math.abs(s.x[k]-x))k=i;return s.l+' '+fmt(s.y[k])}).join(' · ')}
svg.addEventListener('pointermove',e=>{if(!map)draw();const x=xat(e);show(x);if(from!==null){const u=Math.min(map.X(x),map.X(from)),v=Math.max(map.X(x),map.X(from));map.band.setAttribute('x',u);map.band.setAttribute('width',v-u)}});
svg.addEventListener('pointerleave',()=>{map&&map.cursor.setAttribute('d','');value.textContent=''});
svg.addEventListener('pointerdown',e=>{if(e.pointerType==='mouse'){if(!map)draw();from=xat(e);e.preventDefault();svg.setPointerCapture(e.pointerId)}});
svg.addEventListener('pointerup',e=>{if(from===null)return;const x=xat(e),u=Math.min(x,from),v=Math.max(x,from);from=null;if(v-u>(map.b-map.a)*.01){st.x=[u,v];reset.hidden=false}draw()});
box.onchange=()=>{st.log=box.checked;draw()};range.oninput=()=>{st.k=+range.value;draw()};
reset.onclick=()=>{st.x=null;reset.hidden=true;draw()};
let w=0;new ResizeObserver(()=>{if(fig.clientWidth!==w){w=fig.clientWidth;draw()}}).observe(fig);
})})();
)js";

}  // namespace chainer::run_report
