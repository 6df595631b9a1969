// Style of the HTML page, and the script that opens the target of a link.
export const STYLE = `
:root { color-scheme: light dark;
  --page: #ffffff; --text: #1c2126; --dim: #5b6570; --line: #d9dfe4; --soft: #f4f6f8;
  --link: #0b57b0; --bad: #b3261e; --warn: #8a5300; --good: #1a6e3c; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14181c; --text: #e4e8ec; --dim: #9aa6b2; --line: #323b44; --soft: #1d2329;
  --link: #8ab8f5; --bad: #ff9c92; --warn: #f2c063; --good: #86d7a3; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere; }
.bad { --own: var(--bad); }
.warn { --own: var(--warn); }
.good { --own: var(--good); }
header { border-left: 4px solid var(--own); padding: .25rem 0 .25rem 1rem; color: var(--dim); }
header h1, header h1 + p { color: var(--text); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; color: var(--own, inherit); }
a { color: var(--link); }
p { margin: .35rem 0; }
ul { margin: .25rem 0; padding-left: 1.25rem; }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { margin: .35rem 0; padding: .6rem .75rem; background: var(--soft); border-radius: 6px;
  white-space: pre-wrap; }
details { border-top: 1px solid var(--line); }
details:last-child { border-bottom: 1px solid var(--line); }
summary { padding: .5rem .25rem; cursor: pointer; }
summary:hover { background: var(--soft); }
details > div { padding: .25rem .25rem 1rem 1rem; }
dl { display: grid; grid-template-columns: minmax(5.5rem, max-content) 1fr; gap: .15rem .75rem;
  margin: .35rem 0; }
dt { color: var(--dim); }
dd { margin: 0; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
  border-top: 1px solid var(--line); }
th { font-weight: 500; color: var(--dim); }
td:first-child { white-space: nowrap; }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; width: auto; }
  dl { grid-template-columns: 1fr; gap: 0; }
  thead { display: none; }
  td { border: 0; padding: .1rem 0; }
  td[data-name]:not([data-name=""])::before { content: attr(data-name) ": "; color: var(--dim); }
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
