// The report as one HTML page that needs nothing else: a matrix by family, every rule opening to
// its findings and exchanges.

import { inventoryLines } from '../inventory/inventory-words.ts';
import type { Report, ReportRule } from '../report.ts';
import {
  count,
  duration,
  headline,
  notesOf,
  reportWords,
  VERDICTS,
  verdictWords,
} from '../verdict-words.ts';
import {
  type Detail,
  html,
  type Markup,
  ruleDetails,
  scenarioDetails,
  withCode,
} from './fragments.ts';
import { htmlPage } from './page.ts';

/** Beyond this a page is slow to open and too large to attach. */
const LARGEST_BYTES = 1_400_000;

/** From the most that is worth reading to the least that still proves. */
const DETAILS: readonly Detail[] = [
  { longestBody: 1500, findings: 20, shown: 40, plainLines: 200, wholeExchanges: 12 },
  { longestBody: 600, findings: 6, shown: 12, plainLines: 30, wholeExchanges: 6 },
  { longestBody: 240, findings: 2, shown: 4, plainLines: 10, wholeExchanges: 1 },
  { longestBody: 80, findings: 1, shown: 1, plainLines: 0, wholeExchanges: 0 },
];

/** `titles` are the families' names by their prefixes. */
export function htmlReport(report: Report, titles: Readonly<Record<string, string>>): string {
  let page = '';
  for (const detail of DETAILS) {
    page = pageOf(report, titles, detail);
    if (Buffer.byteLength(page) <= LARGEST_BYTES) return page;
  }
  return page;
}

function pageOf(report: Report, titles: Readonly<Record<string, string>>, detail: Detail): string {
  const scenarios = new Map(report.scenarios.map((each) => [each.id, each]));
  const tried = report.rules.filter((each) => each.verdict !== 'not_selected');
  const families = [...new Set(report.rules.map((each) => each.family))];
  const ofFamily = (family: string) => report.rules.filter((each) => each.family === family);
  const named = (family: string) => titles[family] ?? family;
  const titled = (family: string) =>
    titles[family] === undefined ? family : `${family}: ${titles[family]}`;
  const played = report.scenarios.filter((each) => each.verdict !== 'not_selected');
  const details = (rule: ReportRule) => ruleDetails(rule, scenarios, detail);
  const body = html`<main>
${head(report)}
${counts(report)}
${attention(report)}
<h2>${reportWords(report).isReceiver ? 'Checks by group' : 'Rules by family'}</h2>
<table class="matrix">
${families.map((family) => matrixRow(named(family), ofFamily(family)))}
</table>
${filter(report)}
${families.map((family) => familySection(titled(family), tried, family, details))}
${baseline(report)}
${inventory(report)}
${observed(report)}
${unlock(report)}
${notes(report)}
<h2>Scenarios</h2>
<p class="dim">Long bodies are cut here; the JSON report has the whole.</p>
${played.map((each) => scenarioDetails(each, detail))}
</main>`;
  return htmlPage(`Conformance of ${report.target.base_url}: ${report.verdict}`, body);
}

function when(iso: string): string {
  return iso.replace('T', ' ').replace(/(:\d\d)\.\d+Z$/, '$1 UTC');
}

const VERDICT_CLASS = {
  conformant: 'passed',
  deviates: 'deviates',
  incomplete: 'blocked',
  invalid: 'inconclusive',
} as const;

function head(report: Report): Markup {
  const { verdict, target, tool } = report;
  const cut = report.interrupted ? 'Interrupted: this is what was done until then. ' : '';
  const { isReceiver } = reportWords(report);
  const plane =
    target.control_url === null ? 'without a control plane' : `control plane ${target.control_url}`;
  const how = isReceiver
    ? html`of a webhook receiver`
    : html`${plane},
seed ${report.seed}, names marked <code>${report.mark}</code>`;
  return html`<header>
<div class="verdict ${VERDICT_CLASS[verdict]}">
<h1>${verdict}</h1>
<p><code>${target.base_url}</code> ${headline(report)}.</p>
${report.not_started === undefined ? null : html`<p>${report.not_started}</p>`}
</div>
<p class="dim">${cut}${count(report.requests, 'request')} in ${duration(report.duration_ms)},
${how}, ${when(report.started_at)},
conformance ${tool.version}</p>
</header>`;
}

function counts(report: Report): Markup {
  const items = VERDICTS.filter((each) => report.summary[each] > 0).map((each) => {
    const { sign, name, meaning } = verdictWords[each];
    const words = `${sign} ${report.summary[each]} ${name}`;
    return html`<li><span class="mark ${each}" title="${meaning}">${words}</span></li>`;
  });
  return html`<ul class="counts">${items}</ul>`;
}

/** The way to what deviates, for who has no time for the rest. */
function attention(report: Report): Markup | null {
  const rules = report.rules.filter((each) => each.verdict === 'deviates');
  if (rules.length === 0) return null;
  const items = rules.map(
    ({ id, words }) => html`<li><a href="#rule-${id}">${id}</a> ${withCode(words)}</li>`,
  );
  return html`<nav aria-label="Deviations"><h2>Deviations</h2><ul>${items}</ul></nav>`;
}

/** Hides what one does not look for; without script everything is there. */
function filter(report: Report): Markup {
  const verdicts = VERDICTS.filter((each) => report.summary[each] > 0 && each !== 'not_selected');
  const choices = verdicts.map((each) => {
    const { name } = verdictWords[each];
    return html`<label><input type="checkbox" value="${each}" checked> ${name}</label>`;
  });
  return html`<div id="filter" role="search" hidden>
<label>Filter <input type="search" placeholder="id or words"></label>${choices}
<output></output></div>`;
}

function familySection(
  title: string,
  tried: readonly ReportRule[],
  family: string,
  details: (rule: ReportRule) => Markup,
): Markup | null {
  const own = tried.filter((each) => each.family === family);
  if (own.length === 0) return null;
  const rows = own.map(details);
  return html`<section><h3>${title}</h3>
${rows}
</section>`;
}

function matrixRow(title: string, rules: readonly ReportRule[]): Markup {
  const cells = rules.map(({ id, verdict, words }) => {
    const { sign, name } = verdictWords[verdict];
    const short = id.slice(id.indexOf('-') + 1);
    if (verdict === 'not_selected') {
      return html`<span class="${verdict}" title="${id} ${name}">${sign} ${short}</span>`;
    }
    const label = `${id} ${name}`;
    return html`<a class="${verdict}" href="#rule-${id}" title="${label}: ${words}"
 aria-label="${label}">${sign} ${short}</a>`;
  });
  return html`<tr><th scope="row">${title}</th><td><div class="cells">${cells}</div></td></tr>
`;
}

function baseline(report: Report): Markup | null {
  if (report.baseline === null) return null;
  const { known, accepted, stale, expired } = report.baseline;
  const lines = [
    ...expired.map(
      (each) => html`<li>${each.rule} counts again since ${each.expires}: ${each.reason}</li>`,
    ),
    ...stale.map((each) => html`<li>${each.rule} no longer deviates in ${each.scenario}</li>`),
  ];
  return html`<h2>Baseline</h2>
<p>Known deviations: ${known}. Accepted as not tested: ${accepted}.</p><ul>${lines}</ul>`;
}

function inventory({ inventory: made }: Report): Markup | null {
  if (made === undefined) return null;
  const lines = inventoryLines(made).map((each) => html`<li>${each}</li>`);
  return html`<h2>Made and left</h2><ul>${lines}</ul>`;
}

function observed(report: Report): Markup | null {
  if (report.observed.length === 0) return null;
  const rows = report.observed.map(({ id, question, observed: seen, simulator, same }) => {
    const sign = same === null ? '' : same ? '=' : '≠';
    // Where both do the same the target's own words stand on both sides, as they came.
    const choice = same === true ? html`${simulator}` : html`${withCode(simulator)}`;
    return html`<tr><td class="id">${id}</td><td>${withCode(question)}</td>
<td data-name="target">${seen ?? 'not seen in this run'}</td>
<td>${sign}</td><td data-name="simulator">${choice}</td></tr>
`;
  });
  return html`<h2>Where the specification is open</h2>
<p class="dim">Never judged: what the target does, beside the simulator's choice.</p>
<table class="plain"><thead>
<tr><th>id</th><th>question</th><th>target</th><th>same</th><th>simulator</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function unlock(report: Report): Markup | null {
  if (report.unlock.length === 0) return null;
  const rows = report.unlock.map(
    ({ add, rules, with_others: others }) =>
      html`<tr><td>${add}</td><td class="number" data-name="rules">${rules}</td>
<td class="number" data-name="together with others">${others}</td></tr>
`,
  );
  return html`<h2>What would unlock more rules</h2>
<table class="plain"><thead><tr><th>add</th><th class="number">rules</th>
<th class="number">together with others</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function notes(report: Report): Markup | null {
  const known = notesOf(report);
  if (known.length === 0) return null;
  const lines = known.map((each) => html`<li>${each}</li>`);
  return html`<h2>To know</h2><ul>${lines}</ul>`;
}
