// The report on a client as one HTML page that needs nothing else: every finding a line of time,
// with what a right client would have done beside it.
import { html, type Markup } from '../../reports/html/fragments.ts';
import { htmlPage } from '../../reports/html/page.ts';
import { STYLE } from '../../reports/html/style.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { glossary } from '../checks/glossary.ts';
import { reportVerdicts } from '../make-report.ts';
import type {
  ClientReport,
  ReportCall,
  ReportCheck,
  ReportFinding,
  ReportRecording,
} from '../report.ts';
import { clock, lastLines, recordingAt, request, result } from './timeline.ts';
import { byKind, runLine, typed, verdictWords } from './words.ts';

export function htmlReport(report: ClientReport): string {
  const words = glossary.map(({ word, meaning }) => html`<dt>${word}</dt><dd>${meaning}</dd>`);
  const body = html`<main>
${head(report)}
${counts(report)}
${attention(report)}
<h2>Words</h2>
<dl class="pair">${words}</dl>
<h2>Checks</h2>
${report.checks.map((check) => details(check, report))}
${baseline(report)}
<h2>The first run</h2>
${firstRun(report)}
</main>`;
  return htmlPage(`${typed(report.command)}: ${report.verdict}`, body, STYLE + timelineStyle);
}

const timelineStyle = `
.fails { --own: var(--bad); --own-soft: var(--bad-soft); }
.not_met { --own: var(--none); --own-soft: var(--none-soft); }
summary .id { flex: 0 0 11rem; }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; margin: .75rem 0; }
.beside h4 { margin: 0 0 .35rem; font-size: .875rem; }
.time { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line); }
.time li { position: relative; padding: .15rem 0 .35rem 1rem; font-size: .8125rem; }
.time li::before { content: ""; position: absolute; left: -5px; top: .55rem; width: 8px;
  height: 8px; border-radius: 50%; background: var(--none); }
.time li.shown::before { background: var(--own); }
.time li.end::before { border-radius: 0; }
.time .dim { display: block; }
@media (max-width: 50rem) { .beside { grid-template-columns: 1fr; } }
`;

const verdictClass = {
  conformant: 'passed',
  deviates: 'fails',
  incomplete: 'inconclusive',
  invalid: 'inconclusive',
} as const;

function head(report: ClientReport): Markup {
  const { verdict, unusable, interrupted, tool } = report;
  const cut = interrupted ? 'Interrupted: this is what was done until then. ' : '';
  const runs = `${count(report.runs, 'run')}, ${count(report.requests, 'request')}`;
  return html`<header>
<div class="verdict ${verdictClass[verdict]}">
<h1>${verdict}</h1>
<p><code>${typed(report.command)}</code> ${runLine(report)}.</p>
${unusable === null ? null : html`<p>${unusable}.</p>`}
</div>
<p class="dim">${cut}${runs} in ${duration(report.duration_ms)}, seed ${report.seed},
${report.started_at.slice(0, 16).replace('T', ' ')} UTC, conformance ${tool.version}.
The first run: ${report.does}.</p>
${report.notes.map((note) => html`<p>${note}</p>`)}
</header>`;
}

function counts({ summary }: ClientReport): Markup {
  const items = reportVerdicts
    .filter((each) => summary[each] > 0)
    .map((each) => {
      const { sign, name, meaning } = verdictWords[each];
      const words = `${sign} ${summary[each]} ${name}`;
      return html`<li><span class="mark ${each}" title="${meaning}">${words}</span></li>`;
    });
  return html`<ul class="counts">${items}</ul>`;
}

/** The way to what fails, for who has no time for the rest. */
function attention({ checks }: ClientReport): Markup | null {
  const failing = checks.filter(({ verdict }) => verdict === 'fails');
  if (failing.length === 0) return null;
  const items = failing.map(
    ({ id, title, at_stake: stake }) =>
      html`<li><a href="#${id}">${id}</a> ${title}. <span class="dim">${stake}</span></li>`,
  );
  return html`<nav aria-label="Failures"><h2>What fails</h2><ul>${items}</ul></nav>`;
}

function details(check: ReportCheck, report: ClientReport): Markup {
  const { id, title, verdict, orders, reason, why } = check;
  const { sign, name, meaning } = verdictWords[verdict];
  const shown =
    check.shown === null
      ? []
      : [
          html`<p>As it should be: ${check.shown.actual}
<span class="dim">(${check.shown.place}${others(check.places)})</span></p>`,
        ];
  const rules = check.rules.map((rule) => html`<dt>${rule.id}</dt><dd>${rule.words}</dd>`);
  return html`<details id="${id}" class="${verdict}"${verdict === 'fails' ? OPEN : null}>
<summary><span class="id">${id}</span><span class="words">${title}</span>
<span class="mark ${verdict}" title="${meaning}">${sign} ${name}</span></summary>
<div class="inside">
<p>${orders}</p>
${reason === null ? null : html`<p>In the baseline: ${reason}</p>`}
${why === null ? null : html`<p class="dim">${why}</p>`}
${byKind(check).map((group) => finding(group, check, report))}
${shown}
<dl class="pair"><dt>a right one</dt><dd>${check.expected}</dd>
<dt>at stake</dt><dd>${check.at_stake}</dd>
<dt>mend</dt><dd>${check.mend.words}</dd>${rules}</dl>
</div></details>
`;
}

const OPEN = html` open`;

function others(places: number): string {
  return places > 1 ? `, and ${count(places - 1, 'other place')}` : '';
}

function finding(
  group: readonly ReportFinding[],
  check: ReportCheck,
  report: ClientReport,
): Markup | null {
  const [first, ...more] = group;
  const recording = first === undefined ? undefined : recordingAt(report, first.run);
  if (first === undefined || recording === undefined) return null;
  const also = more.map(({ place }) => html`<li>${place}</li>`);
  return html`<div class="finding ${first.verdict}">
<dl class="pair">
<dt>where</dt><dd>${first.place}</dd>
<dt>your client</dt><dd>${first.actual} (in ${first.seen})</dd>
<dt>try again</dt><dd><code>${first.replay}</code></dd>
<dt>fingerprint</dt><dd><code>${first.fingerprint}</code></dd>
</dl>
<div class="beside"><div><h4>What your client did</h4>${timeline(recording, first.calls)}</div>
<div><h4>What a right client does</h4><pre>${check.mend.example}</pre></div></div>
${also.length === 0 ? null : html`<p>The same at:</p><ul>${also}</ul>`}
</div>
`;
}

const mostCalls = 60;

function timeline(recording: ReportRecording, shown: readonly number[]): Markup {
  const { ending, calls } = recording;
  const told = calls.filter(({ n }) => shown.includes(n)).slice(0, mostCalls);
  const others = calls.filter((call) => !told.includes(call)).slice(0, mostCalls - told.length);
  const kept = [...told, ...others].sort((a, b) => a.n - b.n);
  const rest = calls.length + recording.left_out - kept.length;
  const printed = lastLines(recording, 8);
  return html`<ol class="time">
${kept.map((call) => step(call, shown.includes(call.n)))}
${rest > 0 ? html`<li class="dim">and ${count(rest, 'other call')}</li>` : null}
<li class="end">${clock(ending.duration_ms)} the command ${ending.words}
${printed.length === 0 ? null : html`<pre>${printed.join('\n')}</pre>`}</li>
</ol>`;
}

function step(call: ReportCall, isShown: boolean): Markup {
  const body =
    call.body === null ? null : html`<span class="dim">${call.body.slice(0, 300)}</span>`;
  return html`<li class="${isShown ? 'shown' : ''}">${clock(call.at_ms)}
<code>${call.n}. ${request(call)}</code>${isShown ? body : null}
<span class="dim">→ ${result(call)}</span></li>
`;
}

function firstRun(report: ClientReport): Markup | null {
  const first = recordingAt(report, 1);
  return first === undefined ? null : timeline(first, []);
}

function baseline(report: ClientReport): Markup | null {
  if (report.baseline === null) return null;
  const { known, stale, expired } = report.baseline;
  const lines = [
    ...expired.map(({ check, expires }) => html`<li>${check} counts again since ${expires}</li>`),
    ...stale.map(({ check }) => html`<li>${check} no longer fails so</li>`),
  ];
  return html`<h2>Baseline</h2>
<p>${count(known, 'check')} fail as the baseline says.</p><ul>${lines}</ul>`;
}
