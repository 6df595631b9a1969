// Pieces of the HTML report: a rule, a finding, a scenario, an exchange. Everything that comes from
// anywhere else is escaped here.

import { requestLine } from '../exchange-lines.ts';
import { printable } from '../plain-text.ts';
import type { ReportExchange, ReportFinding, ReportRule, ReportScenario } from '../report.ts';
import { clipped } from '../report-exchange.ts';
import { adviceOf, duration, verdictWords } from '../verdict-words.ts';

/** Markup that is safe as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | number | null | readonly (Markup | string | null)[];

/** A template whose values are escaped unless they are markup already. */
export function html(parts: TemplateStringsArray, ...values: Piece[]): Markup {
  let text = parts[0]!;
  values.forEach((value, at) => {
    text += markupOf(value) + parts[at + 1]!;
  });
  return new Markup(text);
}

function markupOf(value: Piece): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return printable(String(value))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** How much of each thing a page shows; the JSON report has the whole. */
export interface Detail {
  readonly longestBody: number;
  readonly findings: number;
  /** Of what held, for a rule. */
  readonly shown: number;
  /** Lines of a scenario in which nothing was found. */
  readonly plainLines: number;
  /** Exchanges with headers and bodies, of a scenario in which something was. */
  readonly wholeExchanges: number;
}

export type Scenarios = ReadonlyMap<string, ReportScenario>;

function verdictMark(verdict: ReportRule['verdict']): Markup {
  const { sign, name, meaning } = verdictWords[verdict];
  return html`<span class="mark ${verdict}" title="${meaning}">${sign} ${name}</span>`;
}

/** What is to be looked at: it stands open, on paper as well. */
const OPEN: readonly ReportRule['verdict'][] = ['deviates', 'harness_error'];

export function ruleDetails(rule: ReportRule, scenarios: Scenarios, detail: Detail): Markup {
  const played = rule.scenarios.flatMap((id) => scenarios.get(id) ?? []);
  // What is wrong is what the reader came for.
  const open = OPEN.includes(rule.verdict) ? new Markup(' open') : null;
  const { findings } = rule;
  const more = findings.length - detail.findings;
  return html`<details id="rule-${rule.id}" class="${rule.verdict}"${open}>
<summary><span class="id">${rule.id}</span>
 <span class="words">${withCode(rule.words)}</span>${verdictMark(rule.verdict)}</summary>
<div class="inside">
${rule.reason === null ? null : html`<p>In the baseline: ${rule.reason}</p>`}
${findings.slice(0, detail.findings).map((each) => findingPart(each, scenarios, detail))}
${more > 0 ? html`<p class="dim">And ${more} more findings of this rule.</p>` : null}
${shownPart(rule, played, detail.shown)}
${lackingPart(rule)}
${scenarioLinks(rule, played)}
</div></details>
`;
}

/** Words of the catalogue, with what stands between backticks as code. */
export function withCode(words: string): Markup[] {
  return words
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

/** So many exchanges prove a finding; the others stand in its scenario. */
const CITED = 4;

function findingPart(finding: ReportFinding, scenarios: Scenarios, detail: Detail): Markup {
  const scenario = scenarios.get(finding.scenario);
  const cited = (scenario?.exchanges ?? []).filter(({ n }) => finding.exchanges.includes(n));
  return html`<div class="finding ${finding.verdict}">
<dl class="pair">
<dt>expected</dt><dd>${finding.expected}</dd>
<dt>actual</dt><dd>${finding.actual}</dd>
${adviceOf(finding).map(([name, words]) => html`<dt>${name}</dt><dd>${words}</dd>`)}
<dt>try again</dt><dd><code>${finding.replay}</code></dd>
<dt>fingerprint</dt><dd><code>${finding.fingerprint}</code></dd>
</dl>
${cited.slice(0, CITED).map((each) => exchangePart(each, detail.longestBody))}
</div>
`;
}

/** What held: the proof that a rule is kept. */
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
    return html`<li>${clipped(expected, 240)} <span class="dim">in ${id}${where}</span></li>`;
  });
  const rest = all.length - rows.length;
  const more = rest > 0 ? html`<li class="dim">and ${rest} more</li>` : null;
  return html`<p class="dim">As expected:</p><ul>${rows}${more}</ul>`;
}

function lackingPart(rule: ReportRule): Markup | null {
  if (rule.unlock.length === 0) return null;
  const rows = rule.unlock.map((each) => html`<li>${each}</li>`);
  return html`<p>To test it, add:</p><ul>${rows}</ul>`;
}

function scenarioLinks(rule: ReportRule, played: readonly ReportScenario[]): Markup {
  if (rule.scenarios.length === 0) return html`<p class="dim">No scenario tries it.</p>`;
  const rows = played.map(({ id, title, by_rule: byRule }) => {
    const verdict = byRule[rule.id] ?? 'not_selected';
    return html`<li><a href="#scenario-${id}">${id}</a>: ${title} ${verdictMark(verdict)}</li>`;
  });
  return html`<p class="dim">Scenarios that try it:</p><ul>${rows}</ul>`;
}

export function scenarioDetails(scenario: ReportScenario, detail: Detail): Markup {
  const { id, title, verdict, rules, why, exchanges, attempts } = scenario;
  const isPlain = verdict === 'passed' || verdict === 'not_tested';
  const whole = isPlain ? [] : exchanges.slice(0, detail.wholeExchanges);
  const rest = exchanges.slice(whole.length);
  const lines = rest.slice(0, isPlain ? detail.plainLines : undefined);
  const more = rest.length - lines.length;
  const links = rules.map((each) => html`<a href="#rule-${each}">${each}</a> `);
  const again = attempts > 1 ? `, played ${attempts} times` : '';
  const mark = verdictMark(verdict);
  return html`<details id="scenario-${id}" class="${verdict}">
<summary><span class="words"><strong>${id}</strong><br>${title}</span>${mark}</summary>
<div class="inside">
<p class="dim">${links} ${duration(scenario.duration_ms)}${again}</p>
${why === null ? null : html`<p>${clipped(why, 2000)}</p>`}
${whole.map((each) => exchangePart(each, detail.longestBody))}
${lines.length === 0 ? null : html`<pre>${lines.map(answeredLine).join('\n')}</pre>`}
${more > 0 ? html`<p class="dim">And ${more} more exchanges.</p>` : null}
</div></details>
`;
}

/** Where nothing was found, what was asked and answered is told in a line. */
function answeredLine(exchange: ReportExchange): string {
  const { n, request, response, failure } = exchange;
  const asked = requestLine({ ...exchange, request: { ...request, body: '' } });
  const code = /"code"\s*:\s*"([a-z_]+)"/.exec(response?.body ?? '')?.[1] ?? '';
  const came = response === null ? (failure ?? 'no answer') : `${response.status} ${code}`;
  return `${n}. ${clipped(asked, 160)} → ${came.trim()}`;
}

function exchangePart(exchange: ReportExchange, longest: number): Markup {
  const { n, kind, request, response, failure } = exchange;
  const line = html`<div class="line"><strong>${n}.</strong><code>${requestLine({
    ...exchange,
    request: { ...request, body: clipped(request.body ?? '', 200) },
  })}</code></div>`;
  if (kind === 'operator') {
    const came = response?.body ?? null;
    const shown = came === null ? null : html`<pre>${clipped(came, longest)}</pre>`;
    return html`<div class="exchange">${line}${shown}</div>
`;
  }
  const sent = [...request.headers.map(header), ...bodyLines(request.body, longest)].join('\n');
  const came =
    response === null
      ? (failure ?? 'no answer')
      : [
          `${response.status} after ${duration(exchange.duration_ms)}`,
          ...response.headers.map(header),
          ...bodyLines(response.body, longest),
        ].join('\n');
  return html`<div class="exchange">${line}<pre>${sent}</pre><pre>${came}</pre></div>
`;
}

function header([name, value]: readonly [string, string]): string {
  return `${name}: ${value}`;
}

function bodyLines(body: string | null, longest: number): string[] {
  return body === null ? [] : ['', clipped(body, longest)];
}
