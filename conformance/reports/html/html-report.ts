// The report as one HTML page: what needs attention, a matrix by family, and every rule or check
// with its findings and exchanges.
import { isAccepted } from '../baseline.ts';
import {
  citedBy,
  clipped,
  clock,
  recordingOf,
  requestLine,
  timelineRequest,
  timelineResult,
} from '../exchanges.ts';
import { byReason, causeOf, groupsOf, groupTitle, whyNot } from '../groups.ts';
import { crashWords, inventoryLines } from '../inventory.ts';
import type {
  Report,
  ReportExchange,
  ReportFinding,
  ReportRule,
  ReportScenario,
} from '../report.ts';
import {
  adviceOf,
  count,
  duration,
  effortLine,
  headline,
  notesOf,
  VERDICTS,
  vocabularyOf,
} from '../verdict-words.ts';
import { html, Markup, withCode } from './fragments.ts';
import { htmlPage } from './page.ts';

/** Larger pages are slow to open and too large to attach. */
const LARGEST_BYTES = 1_400_000;
/** Exchanges that prove a finding; the others stand in its scenario. */
const CITED = 4;

/** How much of each thing a page shows; the JSON report has everything. */
interface Detail {
  readonly longestBody: number;
  readonly findings: number;
  /** Expectations that held, for one rule. */
  readonly shown: number;
  /** Lines of a scenario without findings. */
  readonly plainLines: number;
  /** Exchanges with headers and bodies, of a scenario with findings. */
  readonly wholeExchanges: number;
}

const DETAILS: readonly Detail[] = [
  { longestBody: 1500, findings: 20, shown: 40, plainLines: 200, wholeExchanges: 12 },
  { longestBody: 600, findings: 6, shown: 12, plainLines: 30, wholeExchanges: 6 },
  { longestBody: 240, findings: 2, shown: 4, plainLines: 10, wholeExchanges: 1 },
  { longestBody: 80, findings: 1, shown: 1, plainLines: 0, wholeExchanges: 0 },
];

/** `titles` are the names of the families by their prefixes. */
export function htmlReport(report: Report, titles: Readonly<Record<string, string>>): string {
  let page = '';
  for (const detail of DETAILS) {
    page = pageOf(report, titles, detail);
    if (Buffer.byteLength(page) <= LARGEST_BYTES) return page;
  }
  return page;
}

function pageOf(report: Report, titles: Readonly<Record<string, string>>, detail: Detail): string {
  const { noun, title } = vocabularyOf(report);
  const families = [...new Set(report.rules.map((each) => each.family))];
  const ofFamily = (family: string) => report.rules.filter((each) => each.family === family);
  const played = report.scenarios.filter((each) => each.verdict !== 'not_selected');
  const body = html`<main>
${head(report)}
${counts(report)}
${section('Requests that the target never answers properly', (report.crashes ?? []).map(crashWords))}
${attention(report)}
<h2>${noun === 'rule' ? 'Rules by family' : 'Checks'}</h2>
<table class="matrix">
${families.map((family) => matrixRow(titles[family] ?? family, ofFamily(family), report))}
</table>
${filter(report)}
${families.map((family) => familySection(familyTitle(family, titles), ofFamily(family), report, detail))}
${baseline(report)}
${observed(report)}
${unlock(report)}
${section('Notes', notesOf(report))}
<h2>${report.judge === 'client' ? 'Runs of the command' : 'Scenarios'}</h2>
<p class="dim">Long bodies are cut here; the JSON report has all of them.</p>
${played.map((each) => scenarioDetails(each, report, detail))}
${section('Made and left', report.inventory === undefined ? [] : inventoryLines(report.inventory))}
</main>`;
  return htmlPage(`${title}: ${report.target.base_url}: ${report.verdict}`, body);
}

function familyTitle(family: string, titles: Readonly<Record<string, string>>): string {
  return titles[family] === undefined ? family : `${family}: ${titles[family]}`;
}

function section(title: string, lines: readonly string[]): Markup | null {
  if (lines.length === 0) return null;
  return html`<h2>${title}</h2><ul>${lines.map((each) => html`<li>${each}</li>`)}</ul>`;
}

const VERDICT_CLASS = {
  conformant: 'passed',
  deviates: 'deviates',
  incomplete: 'blocked',
  invalid: 'inconclusive',
} as const;

function head(report: Report): Markup {
  const { verdict, target, tool, judge, mark, client } = report;
  const cut = report.interrupted ? 'Interrupted: this is what was done until then. ' : '';
  const plane =
    target.control_url === null ? 'no control plane' : `control plane ${target.control_url}`;
  const how = judge === undefined ? html`, ${plane}, names contain <code>${mark}</code>` : null;
  const does = client === undefined ? null : html`<p>The first run: ${client.does}.</p>`;
  const when = report.started_at.replace('T', ' ').replace(/(:\d\d)\.\d+Z$/, '$1 UTC');
  return html`<header>
<div class="verdict ${VERDICT_CLASS[verdict]}">
<h1>${verdict}</h1>
<p><code>${target.base_url}</code> ${headline(report)}.</p>
${report.not_started === undefined ? null : html`<p>${report.not_started}</p>`}
</div>
${does}
<p class="dim">${cut}${effortLine(report)}${how}, ${when}, conformance ${tool.version}</p>
</header>`;
}

function counts(report: Report): Markup {
  const { verdicts } = vocabularyOf(report);
  const items = VERDICTS.filter((each) => report.summary[each] > 0).map((each) => {
    const { sign, name, meaning } = verdicts[each];
    const words = `${sign} ${report.summary[each]} ${name}`;
    return html`<li><span class="mark ${each}" title="${meaning}">${words}</span></li>`;
  });
  return html`<ul class="counts">${items}</ul>`;
}

/** Links to what deviates and, by reason, to what could not be judged. */
function attention(report: Report): Markup | null {
  const { verdicts } = vocabularyOf(report);
  const link = (id: string) => html`<a href="#rule-${id}">${id}</a> `;
  const failing = (['deviates', 'harness_error'] as const).flatMap((verdict) =>
    groupsOf(report, verdict).map((group) => {
      const [first] = group.rules;
      const followers = group.followers.map(({ id }) => link(id));
      const follow =
        followers.length === 0
          ? null
          : html` <span class="dim">From it follow: ${followers}</span>`;
      if (group.cause === null) {
        return html`<li>${link(first!.id)}${withCode(first!.words)}${follow}</li>`;
      }
      return html`<li>${groupTitle(group, report)} ${group.rules.map(({ id }) => link(id))}<br>
<span class="dim">${group.cause.mend}</span>${follow}</li>`;
    }),
  );
  const open = (['blocked', 'inconclusive'] as const).flatMap((verdict) => {
    const rules = report.rules.filter(
      (each) => each.verdict === verdict && causeOf(each) === undefined,
    );
    return [...byReason(rules, whyNot)].map(
      ([reason, ids]) => html`<li>${verdicts[verdict].name}: ${ids.map(link)}
<span class="dim">${clipped(reason, 300)}</span></li>`,
    );
  });
  if (failing.length + open.length === 0) return null;
  const part = (title: string, items: readonly Markup[]) =>
    items.length === 0 ? null : html`<h2>${title}</h2><ul>${items}</ul>`;
  return html`<nav aria-label="What needs attention">${part('What is wrong', failing)}
${part('What could not be judged', open)}</nav>`;
}

/** Hidden until the script runs; without it every row is shown. */
function filter(report: Report): Markup {
  const { verdicts } = vocabularyOf(report);
  const used = VERDICTS.filter((each) => report.summary[each] > 0 && each !== 'not_selected');
  const choices = used.map(
    (each) =>
      html`<label><input type="checkbox" value="${each}" checked> ${verdicts[each].name}</label>`,
  );
  return html`<div id="filter" role="search" hidden>
<label>Filter <input type="search" placeholder="id or words"></label>${choices}
<output></output></div>`;
}

function matrixRow(title: string, rules: readonly ReportRule[], report: Report): Markup {
  const { verdicts } = vocabularyOf(report);
  const cells = rules.map(({ id, verdict, words }) => {
    const { sign, name } = verdicts[verdict];
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

function familySection(
  title: string,
  rules: readonly ReportRule[],
  report: Report,
  detail: Detail,
): Markup | null {
  const own = rules.filter((each) => each.verdict !== 'not_selected');
  if (own.length === 0) return null;
  return html`<section><h3>${title}</h3>
${own.map((rule) => ruleDetails(rule, report, detail))}
</section>`;
}

function verdictMark(verdict: ReportRule['verdict'], report: Report): Markup {
  const { sign, name, meaning } = vocabularyOf(report).verdicts[verdict];
  return html`<span class="mark ${verdict}" title="${meaning}">${sign} ${name}</span>`;
}

function ruleDetails(rule: ReportRule, report: Report, detail: Detail): Markup {
  const { id, verdict, words, reason, findings, unlock } = rule;
  const played = report.scenarios.filter((each) => rule.scenarios.includes(each.id));
  const open = verdict === 'deviates' || verdict === 'harness_error' ? new Markup(' open') : null;
  const cause = causeOf(rule);
  const why = findings.length === 0 && /inconclusive|blocked/.test(verdict) ? whyNot(rule) : null;
  const more = findings.length - detail.findings;
  return html`<details id="rule-${id}" class="${verdict}"${open}>
<summary><span class="id">${id}</span>
 <span class="words">${withCode(words)}</span>${verdictMark(verdict, report)}</summary>
<div class="inside">
${cause === undefined ? null : html`<p>Follows from <a href="#rule-${cause}">${cause}</a>.</p>`}
${reason === null ? null : html`<p>${isAccepted(rule) ? 'Accepted as not tested' : 'In the baseline'}: ${reason}</p>`}
${why === null ? null : html`<p>${why}</p>`}
${findings.slice(0, detail.findings).map((each) => findingPart(each, report, detail))}
${more > 0 ? html`<p class="dim">And ${count(more, 'more finding')}.</p>` : null}
${shownPart(rule, played, detail.shown)}
${unlock.length === 0 ? null : html`<p>To test it, add:</p><ul>${unlock.map((each) => html`<li>${each}</li>`)}</ul>`}
${scenarioLinks(rule, played, report)}
</div></details>
`;
}

function findingPart(finding: ReportFinding, report: Report, detail: Detail): Markup {
  const { place, seen, advice } = finding;
  const { isTimeline } = vocabularyOf(report);
  const cited = citedBy(report, finding);
  const shown = isTimeline
    ? timeline(recordingOf(report, finding), new Set(finding.exchanges))
    : cited.slice(0, CITED).map((each) => exchangePart(each, detail.longestBody));
  const example =
    advice?.example === undefined
      ? null
      : html`<p class="dim">Right:</p><pre>${advice.example}</pre>`;
  return html`<div class="finding ${finding.verdict}">
<dl class="pair">
${place === undefined ? null : html`<dt>where</dt><dd>${place}</dd>`}
<dt>expected</dt><dd>${finding.expected}</dd>
<dt>actual</dt><dd>${finding.actual}${seen === undefined ? null : html` (in ${seen})`}</dd>
${adviceOf(finding).map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}
<dt>try again</dt><dd><code>${finding.replay}</code></dd>
<dt>fingerprint</dt><dd><code>${finding.fingerprint}</code></dd>
</dl>
${shown}${example}
</div>
`;
}

/** Calls shown around those that a finding cites. */
const TIMELINE_SHOWN = 60;

/** The calls of one run of a client in order, with how the command ended. */
function timeline(
  recording: ReportScenario | undefined,
  cited: ReadonlySet<number>,
): Markup | null {
  if (recording === undefined) return null;
  const { exchanges, ending } = recording;
  const wanted = exchanges.filter(({ n }) => cited.has(n)).slice(0, TIMELINE_SHOWN);
  const others = exchanges
    .filter(({ n }) => !cited.has(n))
    .slice(0, TIMELINE_SHOWN - wanted.length);
  const shown = [...wanted, ...others].sort((a, b) => a.n - b.n);
  const rest = exchanges.length - shown.length;
  const lines = shown.map((each) => {
    const mark = cited.has(each.n) ? '▸' : ' ';
    return `${mark}${clock(each.at_ms)}  ${each.n}. ${timelineRequest(each)}
            → ${timelineResult(each)}`;
  });
  if (rest > 0) lines.push(`            and ${count(rest, 'other call')}`);
  if (ending !== undefined) lines.push(` ${clock(ending.at_ms)}  the command ${ending.words}`);
  const output = ending?.output.trimEnd() ?? '';
  return html`<pre>${lines.join('\n')}</pre>
${output === '' ? null : html`<p class="dim">It printed last:</p><pre>${output}</pre>`}`;
}

/** Expectations that held: the proof that a rule is kept. */
function shownPart(
  rule: ReportRule,
  played: readonly ReportScenario[],
  most: number,
): Markup | null {
  const all = played.flatMap(({ id, shown }) =>
    shown.filter((each) => each.rules.includes(rule.id)).map((each) => ({ id, ...each })),
  );
  if (all.length === 0) return null;
  const rows = all.slice(0, most).map(({ id, expected, exchanges }) => {
    const where = exchanges.length === 0 ? '' : ` (exchange ${exchanges.join(', ')})`;
    const scenario = id === rule.id ? '' : `in ${id}`;
    return html`<li>${clipped(expected, 240)} <span class="dim">${scenario}${where}</span></li>`;
  });
  const rest = all.length - rows.length;
  const more = rest > 0 ? html`<li class="dim">and ${rest} more</li>` : null;
  return html`<p class="dim">As expected:</p><ul>${rows}${more}</ul>`;
}

function scenarioLinks(
  rule: ReportRule,
  played: readonly ReportScenario[],
  report: Report,
): Markup | null {
  if (report.judge === 'client') return null;
  if (rule.scenarios.length === 0) return html`<p class="dim">No scenario tests it.</p>`;
  const rows = played.map(({ id, title, by_rule: byRule }) => {
    const verdict = byRule[rule.id] ?? 'not_selected';
    return html`<li><a href="#scenario-${id}">${id}</a>: ${title} ${verdictMark(verdict, report)}</li>`;
  });
  return html`<p class="dim">Scenarios that test it:</p><ul>${rows}</ul>`;
}

function scenarioDetails(scenario: ReportScenario, report: Report, detail: Detail): Markup {
  const { id, title, verdict, rules, why, exchanges, attempts } = scenario;
  const isPlain = verdict === 'passed' || verdict === 'not_tested';
  const { isTimeline } = vocabularyOf(report);
  const whole = isPlain || isTimeline ? [] : exchanges.slice(0, detail.wholeExchanges);
  const rest = isTimeline ? [] : exchanges.slice(whole.length);
  const lines = rest.slice(0, isPlain ? detail.plainLines : undefined);
  const more = rest.length - lines.length;
  const links = rules.map((each) => html`<a href="#rule-${each}">${each}</a> `);
  const again = attempts > 1 ? `, played ${attempts} times` : '';
  return html`<details id="scenario-${id}" class="${verdict}">
<summary><span class="words"><strong>${id}</strong><br>${title}</span>${verdictMark(verdict, report)}</summary>
<div class="inside">
<p class="dim">${links} ${duration(scenario.duration_ms)}${again}</p>
${why === null ? null : html`<p>${clipped(why, 2000)}</p>`}
${whole.map((each) => exchangePart(each, detail.longestBody))}
${isTimeline ? timeline(scenario, new Set()) : null}
${lines.length === 0 ? null : html`<pre>${lines.map(answeredLine).join('\n')}</pre>`}
${more > 0 ? html`<p class="dim">And ${count(more, 'more exchange')}.</p>` : null}
</div></details>
`;
}

/** One line for an exchange without findings. */
function answeredLine(exchange: ReportExchange): string {
  const { n, request, response, failure } = exchange;
  const asked = requestLine({ ...exchange, request: { ...request, body: '' } });
  const code = /"code"\s*:\s*"([a-z_]+)"/.exec(response?.body ?? '')?.[1] ?? '';
  const result = response === null ? (failure ?? 'no response') : `${response.status} ${code}`;
  return `${n}. ${clipped(asked, 160)} → ${result.trim()}`;
}

function exchangePart(exchange: ReportExchange, longest: number): Markup {
  const { n, kind, request, response, failure } = exchange;
  const asked = requestLine({
    ...exchange,
    request: { ...request, body: clipped(request.body ?? '', 200) },
  });
  const line = html`<div class="line"><strong>${n}.</strong><code>${asked}</code></div>`;
  if (kind === 'operator') {
    const body = response?.body ?? null;
    const shown = body === null ? null : html`<pre>${clipped(body, longest)}</pre>`;
    return html`<div class="exchange">${line}${shown}</div>
`;
  }
  const messageOf = (lines: readonly string[], body: string | null) =>
    [...lines, ...(body === null ? [] : ['', clipped(body, longest)])].join('\n');
  const headers = (of: ReportExchange['request']['headers']) =>
    of.map(([name, value]) => `${name}: ${value}`);
  const status = `${response?.status} after ${duration(exchange.duration_ms)}`;
  const result =
    response === null
      ? (failure ?? 'no response')
      : messageOf([status, ...headers(response.headers)], response.body);
  return html`<div class="exchange">${line}<pre>${messageOf(headers(request.headers), request.body)}</pre>
<pre>${result}</pre></div>
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

function observed(report: Report): Markup | null {
  if (report.observed.length === 0) return null;
  const rows = report.observed.map(({ id, question, observed: seen, simulator, same }) => {
    const sign = same === null ? '' : same ? '=' : '≠';
    // If both do the same, the words of the target stand on both sides: they are not markup.
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
