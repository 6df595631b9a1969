// The report as one HTML page: what needs attention, a matrix by family, and every rule or check
// with its findings and the exchanges that prove them.
import {
  causeOf,
  citedBy,
  findingFacts,
  groupsOf,
  isAccepted,
  recordingOf,
  type Section,
  sectionsOf,
  whyNot,
} from '../document.ts';
import { clock, requestLine, timelineLines } from '../exchanges.ts';
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
import { clip, factList, htmlOf, ruleLink } from './parts.ts';

// Larger pages are slow to open and too large to attach; the JSON report has everything.
const LONGEST_BODY = 600;
const FINDINGS_SHOWN = 10;
/** Findings of one rule with headers and bodies of their exchanges. */
const PROVEN = 2;
const EXCHANGES_SHOWN = 4;
const EXPECTATIONS_SHOWN = 8;
/** Calls of one scenario or run. */
const CALLS_SHOWN = 60;

interface Context {
  readonly report: Report;
  readonly mark: (verdict: ReportRule['verdict']) => Markup;
}

/** `titles` are the names of the families by their prefixes. */
export function htmlReport(report: Report, titles: Readonly<Record<string, string>>): string {
  const { noun, title, verdicts } = vocabularyOf(report);
  const ids = new Set(report.rules.map(({ id }) => id));
  const sections = sectionsOf(report);
  const at = (place: Section['place']) =>
    sections.filter((each) => each.place === place).flatMap(({ parts }) => htmlOf(parts, ids));
  const label = (verdict: ReportRule['verdict'], number = '') => {
    const { sign, name, meaning } = verdicts[verdict];
    return html`<span class="mark ${verdict}" title="${meaning}">${sign} ${number}${name}</span>`;
  };
  const context: Context = { report, mark: label };
  const families = [...new Set(report.rules.map((each) => each.family))].map((family) => ({
    name: titles[family] ?? family,
    title: titles[family] === undefined ? family : `${family}: ${titles[family]}`,
    rules: report.rules.filter((each) => each.family === family),
  }));
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const filters = used.filter((each) => each !== 'not_selected');
  const body = html`<main>
${head(report)}
<ul class="counts">${used.map((each) => html`<li>${label(each, `${report.summary[each]} `)}</li>`)}</ul>
<nav aria-label="What needs attention">${at('first')}${wrong(report)}${at('doubt')}</nav>
<h2>${noun === 'rule' ? 'Rules by family' : 'Checks'}</h2>
<table class="matrix">
${families.map(({ name, rules }) => matrixRow(name, rules, context))}
</table>
<div id="filter" role="group" aria-label="Show">${filters.map(
    (each) =>
      html`<label><input type="checkbox" id="show-${each}" checked> ${verdicts[each].name}</label>`,
  )}</div>
${families.map(({ title: family, rules }) => {
  const own = rules.filter((each) => each.verdict !== 'not_selected');
  const rows = own.map((rule) => ruleDetails(rule, context));
  return own.length === 0 ? null : html`<section><h3>${family}</h3>${rows}</section>`;
})}
${at('later')}
${at('last')}
<p class="dim">The JSON report has every request and response.</p>
</main>`;
  return htmlPage(`${title}: ${report.target.base_url}: ${report.verdict}`, body);
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
      const own = rules.map(({ id }) => ruleLink(id));
      if (cause === null) return html`<li>${own}${withCode(rules[0]!.words)}${follow}</li>`;
      return html`<li>${title} ${own}<br><span class="dim">${cause.mend}</span>${follow}</li>`;
    }),
  );
  return items.length === 0 ? null : html`<h2>What is wrong</h2><ul>${items}</ul>`;
}

function matrixRow(title: string, rules: readonly ReportRule[], { report }: Context): Markup {
  const { verdicts } = vocabularyOf(report);
  const cells = rules.map(({ id, verdict, words }) => {
    const { sign, name } = verdicts[verdict];
    const short = id.slice(id.indexOf('-') + 1);
    if (verdict === 'not_selected') {
      return html`<span class="${verdict}" title="${id} ${name}">${sign} ${short}</span>`;
    }
    return html`<a class="${verdict}" href="#rule-${id}" title="${id} ${name}: ${words}"
 aria-label="${id} ${name}">${sign} ${short}</a>`;
  });
  return html`<tr><th scope="row">${title}</th><td><div class="cells">${cells}</div></td></tr>
`;
}

function ruleDetails(rule: ReportRule, context: Context): Markup {
  const { report, mark } = context;
  const { id, verdict, words, reason, findings, unlock } = rule;
  const played = report.scenarios.filter((each) => rule.scenarios.includes(each.id));
  const open = verdict === 'deviates' || verdict === 'harness_error' ? new Markup(' open') : null;
  const cause = causeOf(rule);
  const why = findings.length === 0 && /inconclusive|blocked/.test(verdict) ? whyNot(rule) : null;
  const own = findings.filter(
    ({ fingerprint }, n) => findings.findIndex((e) => e.fingerprint === fingerprint) === n,
  );
  const more = own.length - FINDINGS_SHOWN;
  const scenarios = played.map(
    (each) => html`<li>${each.id}: ${each.title} ${mark(each.by_rule[id] ?? 'not_selected')}</li>`,
  );
  return html`<details id="rule-${id}" class="${verdict}"${open}>
<summary><span class="id">${id}</span>
 <span class="words">${withCode(words)}</span>${mark(verdict)}</summary>
<div class="inside">
${cause === undefined ? null : html`<p>Follows from ${ruleLink(cause)}</p>`}
${reason === null ? null : html`<p>${isAccepted(rule) ? 'Accepted as not tested' : 'In the baseline'}: ${reason}</p>`}
${why === null ? null : html`<p>${why}</p>`}
${own.slice(0, FINDINGS_SHOWN).map((each, n) => findingPart(each, n < PROVEN, report))}
${more > 0 ? html`<p class="dim">And ${count(more, 'more finding')}.</p>` : null}
${shownPart(rule, played)}
${unlock.length === 0 ? null : html`<p>To test it, add:</p><ul>${unlock.map((each) => html`<li>${each}</li>`)}</ul>`}
${report.judge === 'client' || played.length === 0 ? null : html`<p class="dim">Tested by:</p><ul>${scenarios}</ul>`}
</div></details>
`;
}

function findingPart(finding: ReportFinding, isProven: boolean, report: Report): Markup {
  const { advice, verdict, fingerprint } = finding;
  const { seen, advice: own } = findingFacts(finding, report);
  const example = advice?.example;
  const proof = vocabularyOf(report).isTimeline
    ? timeline(recordingOf(report, finding), new Set(finding.exchanges))
    : citedBy(report, finding).slice(0, EXCHANGES_SHOWN).map(exchangePart);
  return html`<div class="finding ${verdict}">
${factList([...seen, ...own, ['fingerprint', fingerprint]])}
${isProven ? proof : null}
${example === undefined ? null : html`<p class="dim">Right:</p><pre>${example}</pre>`}
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
  const wanted = exchanges.filter(({ n }) => cited.has(n));
  const others = exchanges.filter(({ n }) => !cited.has(n));
  const shown = [...wanted, ...others].slice(0, CALLS_SHOWN).sort((a, b) => a.n - b.n);
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
function shownPart({ id, findings }: ReportRule, played: readonly ReportScenario[]): Markup | null {
  const all = played.flatMap(({ id: scenario, shown }) =>
    shown.filter(({ rules }) => rules.includes(id)).map((each) => ({ scenario, ...each })),
  );
  // Beside a failure it says nothing.
  if (all.length === 0 || findings.length > 0) return null;
  const rows = all
    .slice(0, EXPECTATIONS_SHOWN)
    .map(
      ({ expected, scenario }) =>
        html`<li>${clip(expected, 240)} <span class="dim">in ${scenario}</span></li>`,
    );
  const rest = all.length - rows.length;
  const more = rest > 0 ? html`<li class="dim">and ${rest} more</li>` : null;
  return html`<p class="dim">As expected:</p><ul>${rows}${more}</ul>`;
}

function exchangePart(exchange: ReportExchange): Markup {
  const { n, kind, request, response, failure } = exchange;
  const message = ({ headers, body }: Pick<ReportExchange['request'], 'headers' | 'body'>) => [
    ...headers.map(([name, value]) => `${name}: ${clip(value, LONGEST_BODY)}`),
    ...(body === null ? [] : ['', clip(body, LONGEST_BODY)]),
  ];
  const asked = requestLine({
    ...exchange,
    request: { ...request, body: clip(request.body ?? '', 200) },
  });
  const isCall = kind !== 'operator';
  const status = `${response?.status} after ${duration(exchange.duration_ms)}`;
  const answer =
    response === null
      ? [failure ?? 'no response']
      : isCall
        ? [status, ...message(response)]
        : [clip(response.body ?? '', LONGEST_BODY)];
  return html`<div class="exchange"><strong>${n}.</strong> <code>${asked}</code>
${isCall ? html`<pre>${message(request).join('\n')}</pre>` : null}<pre>${answer.join('\n')}</pre></div>
`;
}
