// Style of the HTML report, and the script that opens the target of a link.
import { VERDICTS } from '../verdict-words.ts';

/** An unticked box hides the rules with its verdict. */
const hidden = VERDICTS.map(
  (each) => `body:has(#show-${each}:not(:checked)) section > details.${each} { display: none; }`,
).join('\n');

export const STYLE = `
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1c2126; --dim: #5b6570; --line: #d9dfe4; --soft: #f4f6f8;
  --link: #0b57b0;
  --bad: #b3261e; --bad-soft: #fbe9e7; --warn: #8a5300; --warn-soft: #fdf1dc;
  --good: #1a6e3c; --good-soft: #e3f3e8; --none: #5b6570; --none-soft: #eceff2;
  --known: #5b3fa0; --known-soft: #eee9f8; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14181c; --text: #e4e8ec; --dim: #9aa6b2; --line: #323b44; --soft: #1d2329;
  --link: #8ab8f5;
  --bad: #ff9c92; --bad-soft: #46201d; --warn: #f2c063; --warn-soft: #3d2f12;
  --good: #86d7a3; --good-soft: #173524; --none: #9aa6b2; --none-soft: #262d34;
  --known: #c3b0f5; --known-soft: #2c2444; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
a { color: var(--link); }
p { margin: .35rem 0; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
.dim { color: var(--dim); }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .35rem 0; padding: .6rem .75rem; background: var(--soft); border-radius: 6px;
  white-space: pre-wrap; }
.deviates, .harness_error { --own: var(--bad); --own-soft: var(--bad-soft); }
.blocked, .inconclusive, .advisory { --own: var(--warn); --own-soft: var(--warn-soft); }
.known { --own: var(--known); --own-soft: var(--known-soft); }
.passed { --own: var(--good); --own-soft: var(--good-soft); }
.not_tested, .not_selected { --own: var(--none); --own-soft: var(--none-soft); }
.mark { color: var(--own); background: var(--own-soft); border-radius: 999px; padding: .1rem .6rem;
  font-size: .8125rem; white-space: nowrap; }
.verdict { border-left: 4px solid var(--own); padding: .25rem 0 .25rem 1rem; margin-bottom: 1rem; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: 1rem 0;
  list-style: none; }
.matrix { border-collapse: collapse; width: 100%; }
.matrix th { text-align: left; font-weight: 500; padding: .3rem 1rem .3rem 0; vertical-align: top;
  width: 15rem; }
.cells { display: flex; flex-wrap: wrap; gap: 3px; padding: .3rem 0; }
.cells a, .cells span { min-width: 2.6rem; padding: .1rem .3rem; text-align: center;
  text-decoration: none; font-size: .75rem; border-radius: 4px; color: var(--own);
  background: var(--own-soft); }
.cells a:hover, .cells a:focus-visible { outline: 2px solid var(--own); }
details { border-top: 1px solid var(--line); }
details:last-child { border-bottom: 1px solid var(--line); }
summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline;
  padding: .5rem .25rem; cursor: pointer; }
summary::before { content: "▸"; color: var(--dim); }
details[open] > summary::before { content: "▾"; }
summary .id { min-width: 5.5rem; font-weight: 600; }
summary .words { flex: 1 1 20rem; }
summary:hover { background: var(--soft); }
.inside { padding: .25rem .25rem 1rem 1rem; }
.finding { border-left: 3px solid var(--own); padding-left: .9rem; margin: .75rem 0; }
.pair { display: grid; grid-template-columns: minmax(5.5rem, max-content) 1fr; gap: .15rem .75rem; margin: .35rem 0; }
.pair dt { color: var(--dim); }
.pair dd { margin: 0; white-space: pre-wrap; }
table.plain { border-collapse: collapse; width: 100%; font-size: .9rem; }
table.plain th, table.plain td { text-align: left; vertical-align: top;
  padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); }
table.plain th { font-weight: 500; color: var(--dim); }
#filter { display: flex; flex-wrap: wrap; gap: .35rem 1rem; margin: 1.5rem 0 0; }
${hidden}
@media (max-width: 40rem) {
  .matrix, .matrix tbody, .matrix tr, .matrix th, .matrix td, table.plain tr, table.plain td {
    display: block; width: auto; }
  .pair { grid-template-columns: 1fr; gap: 0; }
  table.plain thead { display: none; }
  table.plain td { border: 0; padding: .1rem 0; }
  table.plain td[data-name]:not([data-name=""])::before { content: attr(data-name) ": "; color: var(--dim); }
}
@media print {
  /* The matrix shows what passed. */
  #filter, details.passed, details.not_tested, details.not_selected { display: none; }
}
`;

/** Without the script everything still opens by hand. */
export const SCRIPT = `
const show = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const place = id && document.getElementById(id);
  for (let at = place; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (place) place.scrollIntoView();
};
addEventListener('hashchange', show);
show();
`;
