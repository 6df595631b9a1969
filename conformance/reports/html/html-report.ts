// The report as one HTML page: what needs attention, a matrix by family, and every rule or check
// with its findings and the exchanges that prove them.
import { ruleFamilies } from '../../../fixtures/rules.ts';
import {
  causeOf,
  distinct,
  findingDetail,
  groupsOf,
  isAccepted,
  sectionsOf,
  whyNot,
} from '../document.ts';
import { FINGERPRINT, facts, item, list } from '../parts.ts';
import type { Report, ReportRule } from '../report.ts';
import {
  adviceCount,
  count,
  effortLine,
  headline,
  VERDICTS,
  vocabularyOf,
} from '../verdict-words.ts';
import { html, htmlOf, htmlPage, Markup, ruleLink, withCode } from './layout.ts';

// Larger pages are slow to open and too large to attach; the JSON report has everything.
const FINDINGS_SHOWN = 10;

interface Context {
  readonly report: Report;
  /** The rules that have a section on the page. */
  readonly ids: ReadonlySet<string>;
  readonly mark: (verdict: ReportRule['verdict'], number?: string) => Markup;
}

export function htmlReport(report: Report): string {
  const { noun, title, verdicts } = vocabularyOf(report);
  const own = report.rules.filter(({ verdict }) => verdict !== 'not_selected');
  const ids = new Set(own.map(({ id }) => id));
  const { first, doubt, unlock, later, left } = sectionsOf(report);
  const mark: Context['mark'] = (verdict, number = '') => {
    const { sign, name, meaning } = verdicts[verdict];
    return html`<span class="mark ${verdict}" title="${meaning}">${sign} ${number}${name}</span>`;
  };
  const context = { report, ids, mark };
  const titles = new Map<string, string>(ruleFamilies.map((each) => [each.prefix, each.title]));
  const families = [...new Set(report.rules.map(({ family }) => family))];
  const rulesOf = (family: string) => report.rules.filter((each) => each.family === family);
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const filters = used.filter((each) => each !== 'not_selected');
  const attention = [...htmlOf(first, ids), ...wrong(report), ...htmlOf(doubt, ids)];
  const { advisory } = report.summary;
  const calm =
    advisory === 0 ? 'Nothing needs attention.' : `Nothing fails; ${adviceCount(advisory)}.`;
  const body = html`<main>
${head(report)}
<ul class="counts"><li>${count(report.rules.length, noun)}:</li>${used.map((each) => html`<li>${mark(each, `${report.summary[each]} `)}</li>`)}</ul>
<nav aria-label="What needs attention">${attention.length === 0 ? html`<p>${calm}</p>` : attention}</nav>
${htmlOf(unlock, ids)}
<h2>${noun === 'rule' ? 'Rules by family' : 'Checks'}</h2>
<table class="matrix">
${families.map((each) => matrixRow(titles.get(each) ?? each, rulesOf(each), context))}
</table>
<div id="filter" role="group" aria-label="Show">${filters.map(
    (each) =>
      html`<label><input type="checkbox" id="show-${each}" checked> ${verdicts[each].name}</label>`,
  )}</div>
${families.map((family) => {
  const rows = own.filter((each) => each.family === family).map((each) => details(each, context));
  const name = titles.has(family) ? `${family}: ${titles.get(family)}` : family;
  return rows.length === 0 ? null : html`<section><h3>${name}</h3>${rows}</section>`;
})}
${htmlOf([...later, ...list(left.map((each) => item(each)))], ids)}
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

/** Links to what deviates, with the rules that follow from it. */
function wrong(report: Report): Markup[] {
  const items = (['deviates', 'harness_error'] as const).flatMap((verdict) =>
    groupsOf(report, verdict).map(({ title, cause, rules, followers }) => {
      const links = followers.map(({ id }) => ruleLink(id));
      const follow =
        links.length === 0
          ? null
          : html` <span class="dim">Could not be judged because of it: ${links}</span>`;
      const own = rules.map(({ id }) => ruleLink(id));
      // The words of a check for clients name the situation; the finding says what the client does.
      const [finding] = report.judge === 'client' ? rules[0]!.findings : [];
      const does = finding ? html`<br><span class="dim">${finding.actual}</span>` : null;
      if (cause === null) return html`<li>${own}${withCode(rules[0]!.words)}${does}${follow}</li>`;
      return html`<li>${title} ${own}<br><span class="dim">${cause.mend}</span>${follow}</li>`;
    }),
  );
  return items.length === 0 ? [] : [html`<h2>What is wrong</h2><ul>${items}</ul>`];
}

function matrixRow(title: string, rules: readonly ReportRule[], { report, ids }: Context): Markup {
  const { verdicts } = vocabularyOf(report);
  const cells = rules.map(({ id, verdict, words }) => {
    const { sign, name } = verdicts[verdict];
    const short = id.slice(id.indexOf('-') + 1);
    if (!ids.has(id)) {
      return html`<span class="${verdict}" title="${id} ${name}">${sign} ${short}</span>`;
    }
    return html`<a class="${verdict}" href="#rule-${id}" title="${id} ${name}: ${words}"
 aria-label="${id} ${name}">${sign} ${short}</a>`;
  });
  return html`<tr><th scope="row">${title}</th><td><div class="cells">${cells}</div></td></tr>
`;
}

function details(rule: ReportRule, { report, ids, mark }: Context): Markup {
  const { id, verdict, words, reason, unlock } = rule;
  const played = report.scenarios.filter((each) => rule.scenarios.includes(each.id));
  const isOpen = verdict === 'deviates' || verdict === 'harness_error';
  const cause = causeOf(rule);
  const until = rule.until === undefined ? '' : ` until ${rule.until}`;
  const findings = distinct(rule.findings);
  const isUnclear = findings.length === 0 && /inconclusive|blocked/.test(verdict);
  const more = findings.length - FINDINGS_SHOWN;
  const scenarios = played.map(
    (each) => html`<li>${each.id}: ${each.title} ${mark(each.by_rule[id] ?? 'not_selected')}</li>`,
  );
  const proof = findings.slice(0, FINDINGS_SHOWN).map((each) => {
    const parts = findingDetail(each, report);
    const mark = facts([[FINGERPRINT, each.fingerprint]]);
    return html`<div class="finding ${each.verdict}">${htmlOf([...parts, ...mark], ids)}</div>
`;
  });
  return html`<details id="rule-${id}" class="${verdict}"${isOpen ? new Markup(' open') : null}>
<summary><span class="id">${id}</span>
 <span class="words">${withCode(words)}</span>${mark(verdict)}</summary>
<div class="inside">
${cause === undefined ? null : html`<p>Follows from ${ruleLink(cause)}</p>`}
${reason === null ? null : html`<p>${isAccepted(rule) ? 'Accepted as not tested' : `In the baseline${until}`}: ${reason}</p>`}
${isUnclear ? html`<p>${whyNot(rule)}</p>` : null}
${proof}
${more > 0 ? html`<p class="dim">And ${count(more, 'more finding')}.</p>` : null}
${unlock.length === 0 ? null : html`<p>To test it, add:</p><ul>${unlock.map((each) => html`<li>${each}</li>`)}</ul>`}
${report.judge === 'client' || played.length === 0 ? null : html`<p class="dim">Tested by:</p><ul>${scenarios}</ul>`}
</div></details>
`;
}
