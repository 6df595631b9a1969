// The report as one HTML page: what needs attention, a matrix by family, and every rule or check
// with its findings and exchanges.
import {
  causeOf,
  citedBy,
  groupsOf,
  isAccepted,
  membersOf,
  recordingOf,
  type Section,
  sectionsOf,
  whyNot,
} from '../document.ts';
import { clipped, clock, requestLine, timelineLines } from '../exchanges.ts';
import type {
  Report,
  ReportExchange,
  ReportFinding,
  ReportRule,
  ReportScenario,
} from '../report.ts';
import { count, duration, effortLine, headline, VERDICTS, vocabularyOf } from '../verdict-words.ts';
import { html, Markup, withCode } from './fragments.ts';
import { htmlPage } from './page.ts';

/** Larger pages are slow to open and too large to attach. */
const LARGEST_BYTES = 1_400_000;
/** Exchanges that prove a finding; the others stand in its scenario. */
const CITED = 4;
/** Calls shown around those that a finding cites. */
const TIMELINE_SHOWN = 60;

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
  const { noun, title, verdicts } = vocabularyOf(report);
  const ids = new Set(report.rules.map(({ id }) => id));
  const sections = sectionsOf(report);
  const at = (place: Section['place']) =>
    sections.filter((each) => each.place === place).map((each) => sectionPart(each, ids));
  const mark = (verdict: ReportRule['verdict']) => {
    const { sign, name, meaning } = verdicts[verdict];
    return html`<span class="mark ${verdict}" title="${meaning}">${sign} ${name}</span>`;
  };
  const context: Context = { report, detail, mark };
  const families = [...new Set(report.rules.map((each) => each.family))].map((family) => ({
    name: titles[family] ?? family,
    title: titles[family] === undefined ? family : `${family}: ${titles[family]}`,
    rules: report.rules.filter((each) => each.family === family),
  }));
  const played = report.scenarios.filter((each) => each.verdict !== 'not_selected');
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const body = html`<main>
${head(report)}
<ul class="counts">${used.map((each) => {
    const { sign, name, meaning } = verdicts[each];
    const words = `${sign} ${report.summary[each]} ${name}`;
    return html`<li><span class="mark ${each}" title="${meaning}">${words}</span></li>`;
  })}</ul>
<nav aria-label="What needs attention">${at('first')}${wrong(report)}${at('doubt')}</nav>
<h2>${noun === 'rule' ? 'Rules by family' : 'Checks'}</h2>
<table class="matrix">
${families.map(({ name, rules }) => matrixRow(name, rules, context))}
</table>
<div id="filter" role="search" hidden>
<label>Filter <input type="search" placeholder="id or words"></label>${used
    .filter((each) => each !== 'not_selected')
    .map(
      (each) =>
        html`<label><input type="checkbox" value="${each}" checked> ${verdicts[each].name}</label>`,
    )}
<output></output></div>
${families.map(({ title: family, rules }) => {
  const own = rules.filter((each) => each.verdict !== 'not_selected');
  const rows = own.map((rule) => ruleDetails(rule, context));
  return own.length === 0 ? null : html`<section><h3>${family}</h3>${rows}</section>`;
})}
${at('later')}
<h2>${report.judge === 'client' ? 'Runs of the command' : 'Scenarios'}</h2>
<p class="dim">Long bodies are cut here; the JSON report has all of them.</p>
${played.map((each) => scenarioDetails(each, context))}
${at('last')}
</main>`;
  return htmlPage(`${title}: ${report.target.base_url}: ${report.verdict}`, body);
}

interface Context {
  readonly report: Report;
  readonly detail: Detail;
  readonly mark: (verdict: ReportRule['verdict']) => Markup;
}

const ruleLink = (id: string) => html`<a href="#rule-${id}">${id}</a> `;

function sectionPart({ title, entries, columns }: Section, rules: ReadonlySet<string>): Markup {
  if (columns !== undefined) {
    const rows = entries.map(
      ({ label, text, details }) => html`<tr><td class="id">${label}</td><td>${withCode(text)}</td>
${details.map((each, at) => html`<td data-name="${columns[at]!}">${withCode(each)}</td>`)}</tr>
`,
    );
    return html`<h2>${title}</h2><table class="plain"><thead>
<tr><th></th><th></th>${columns.map((each) => html`<th>${each}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
  }
  const items = entries.map(({ label, text, details }) => {
    const ids = details.map((each) => (rules.has(each) ? ruleLink(each) : `${each} `));
    const strong = label === '' ? null : html`<strong>${label}</strong> `;
    return html`<li>${ids}${strong}${clipped(text, 1000)}</li>`;
  });
  return html`<h2>${title}</h2><ul>${items}</ul>`;
}

const VERDICT_CLASS = {
  conformant: 'passed',
  deviates: 'deviates',
  incomplete: 'blocked',
  invalid: 'inconclusive',
} as const;

function head(report: Report): Markup {
  const { verdict, target, tool, judge, mark, client, not_started: start } = report;
  const cut = report.interrupted ? 'Interrupted: this is what was done until then. ' : '';
  const plane =
    target.control_url === null ? 'no control plane' : `control plane ${target.control_url}`;
  const how = judge === undefined ? html`, ${plane}, names contain <code>${mark}</code>` : null;
  const when = report.started_at.replace('T', ' ').replace(/(:\d\d)\.\d+Z$/, '$1 UTC');
  return html`<header>
<div class="verdict ${VERDICT_CLASS[verdict]}">
<h1>${verdict}</h1>
<p><code>${target.base_url}</code> ${headline(report)}.</p>
${start === undefined ? null : html`<p>${start}</p>`}
</div>
${client === undefined ? null : html`<p>The first run: ${client.does}.</p>`}
<p class="dim">${cut}${effortLine(report)}${how}, ${when}, conformance ${tool.version}</p>
</header>`;
}

/** Links to what deviates, with what follows from it. */
function wrong(report: Report): Markup | null {
  const items = (['deviates', 'harness_error'] as const).flatMap((verdict) =>
    groupsOf(report, verdict).map(({ title, cause, rules, followers }) => {
      const links = followers.map(({ id }) => ruleLink(id));
      const follow =
        links.length === 0 ? null : html` <span class="dim">From it follow: ${links}</span>`;
      const [first] = rules;
      if (cause === null)
        return html`<li>${ruleLink(first!.id)}${withCode(first!.words)}${follow}</li>`;
      return html`<li>${title} ${rules.map(({ id }) => ruleLink(id))}<br>
<span class="dim">${cause.mend}</span>${follow}</li>`;
    }),
  );
  return items.length === 0 ? null : html`<h2>What is wrong</h2><ul>${items}</ul>`;
}

function matrixRow(title: string, rules: readonly ReportRule[], { report }: Context): Markup {
  const { verdicts } = vocabularyOf(report);
  const cells = rules.map(({ id, verdict, words }) => {
    const { sign, name } = verdicts[verdict];
    const short = id.slice(id.indexOf('-') + 1);
    const label = `${id} ${name}`;
    if (verdict === 'not_selected') {
      return html`<span class="${verdict}" title="${label}">${sign} ${short}</span>`;
    }
    return html`<a class="${verdict}" href="#rule-${id}" title="${label}: ${words}"
 aria-label="${label}">${sign} ${short}</a>`;
  });
  return html`<tr><th scope="row">${title}</th><td><div class="cells">${cells}</div></td></tr>
`;
}

function ruleDetails(rule: ReportRule, context: Context): Markup {
  const { report, detail, mark } = context;
  const { id, verdict, words, reason, findings, unlock } = rule;
  const played = report.scenarios.filter((each) => rule.scenarios.includes(each.id));
  const open = verdict === 'deviates' || verdict === 'harness_error' ? new Markup(' open') : null;
  const cause = causeOf(rule);
  const why = findings.length === 0 && /inconclusive|blocked/.test(verdict) ? whyNot(rule) : null;
  const more = findings.length - detail.findings;
  const rows = played.map(
    (each) => html`<li><a href="#scenario-${each.id}">${each.id}</a>: ${each.title}
 ${mark(each.by_rule[id] ?? 'not_selected')}</li>`,
  );
  const scenarios =
    rule.scenarios.length === 0
      ? html`<p class="dim">No scenario tests it.</p>`
      : html`<p class="dim">Scenarios that test it:</p><ul>${rows}</ul>`;
  return html`<details id="rule-${id}" class="${verdict}"${open}>
<summary><span class="id">${id}</span>
 <span class="words">${withCode(words)}</span>${mark(verdict)}</summary>
<div class="inside">
${cause === undefined ? null : html`<p>Follows from ${ruleLink(cause)}</p>`}
${reason === null ? null : html`<p>${isAccepted(rule) ? 'Accepted as not tested' : 'In the baseline'}: ${reason}</p>`}
${why === null ? null : html`<p>${why}</p>`}
${findings.slice(0, detail.findings).map((each) => findingPart(each, context))}
${more > 0 ? html`<p class="dim">And ${count(more, 'more finding')}.</p>` : null}
${shownPart(rule, played, detail.shown)}
${unlock.length === 0 ? null : html`<p>To test it, add:</p><ul>${unlock.map((each) => html`<li>${each}</li>`)}</ul>`}
${report.judge === 'client' ? null : scenarios}
</div></details>
`;
}

function findingPart(finding: ReportFinding, { report, detail }: Context): Markup {
  const { isTimeline } = vocabularyOf(report);
  const shown = isTimeline
    ? timeline(recordingOf(report, finding), new Set(finding.exchanges))
    : citedBy(report, finding)
        .slice(0, CITED)
        .map((each) => exchangePart(each, detail.longestBody));
  const { advice, verdict, fingerprint } = finding;
  const members = membersOf(finding, report).map(([name, text]) => {
    const value = name === 'try again' ? html`<code>${text}</code>` : html`${text}`;
    return html`<dt>${name}</dt><dd>${value}</dd>`;
  });
  const example =
    advice?.example === undefined
      ? null
      : html`<p class="dim">Right:</p><pre>${advice.example}</pre>`;
  return html`<div class="finding ${verdict}">
<dl class="pair">${members}<dt>fingerprint</dt><dd><code>${fingerprint}</code></dd></dl>
${shown}${example}
</div>
`;
}

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
  const lines = shown.flatMap((each) => {
    const [request, ...result] = timelineLines(each, 400);
    return [`${cited.has(each.n) ? '▸' : ' '}${request}`, ...result];
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

function scenarioDetails(scenario: ReportScenario, { report, detail, mark }: Context): Markup {
  const { id, title, verdict, rules, why, exchanges, attempts } = scenario;
  const isPlain = verdict === 'passed' || verdict === 'not_tested';
  const { isTimeline } = vocabularyOf(report);
  const whole = isPlain || isTimeline ? [] : exchanges.slice(0, detail.wholeExchanges);
  const rest = isTimeline ? [] : exchanges.slice(whole.length);
  const lines = rest.slice(0, isPlain ? detail.plainLines : undefined);
  const more = rest.length - lines.length;
  const again = attempts > 1 ? `, played ${attempts} times` : '';
  return html`<details id="scenario-${id}" class="${verdict}">
<summary><span class="words"><strong>${id}</strong><br>${title}</span>${mark(verdict)}</summary>
<div class="inside">
<p class="dim">${rules.map(ruleLink)} ${duration(scenario.duration_ms)}${again}</p>
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
  const message = (
    { headers, body }: { headers: ReportExchange['request']['headers']; body: string | null },
    first: readonly string[] = [],
  ) =>
    [
      ...first,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      ...(body === null ? [] : ['', clipped(body, longest)]),
    ].join('\n');
  const asked = requestLine({
    ...exchange,
    request: { ...request, body: clipped(request.body ?? '', 200) },
  });
  const line = html`<div class="line"><strong>${n}.</strong><code>${asked}</code></div>`;
  const isCall = kind !== 'operator';
  const status = [`${response?.status} after ${duration(exchange.duration_ms)}`];
  const result = isCall ? message(response ?? request, status) : (response?.body ?? '');
  const answer = response === null ? (failure ?? 'no response') : result;
  const sent = isCall ? html`<pre>${message(request)}</pre>` : null;
  return html`<div class="exchange">${line}${sent}<pre>${clipped(answer, longest * 3)}</pre></div>
`;
}
