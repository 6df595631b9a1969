// The report as one page that needs nothing else.
import { count, duration } from '../../reports/verdict-words.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './report.ts';

const STYLE = [
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}',
  'pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f5;padding:.5rem;margin:.25rem 0}',
  'li{margin:.5rem 0}.model{border-left:.3rem solid #15803d}',
  '.target{border-left:.3rem solid #b91c1c}',
].join('');

export function htmlReport(report: ExploreReport): string {
  const { target, verdict, sequences, requests, duration_ms: ms, seed } = report;
  const much = `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}`;
  const title = `${target.base_url} ${verdict}`;
  const open = report.open.map(({ question, seen }) => `<li>${text(question)}: ${seen}</li>`);
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${text(title)}</title><style>${STYLE}</style><h1>${text(title)}</h1>`,
    `<p>${text(much)}, seed ${seed}.${report.interrupted ? ' Interrupted.' : ''}</p>`,
    ...report.differences.map(differencePart),
    open.length === 0 ? '' : `<h2>Open, so not counted</h2><ul>${open.join('')}</ul>`,
    ...report.notes.map((note) => `<p>${text(note)}</p>`),
    '</html>\n',
  ].join('\n');
}

function differencePart(found: ReportDifference): string {
  const shrunk = `${count(found.calls, 'call')}, shrunk from ${found.shrunk_from}`;
  const rules = found.rules.join(', ') || 'none';
  return [
    `<h2 id="${text(found.id)}">${text(found.id)}: ${text(found.title)}</h2>`,
    `<p>Rules: ${text(rules)}. Shown ${text(found.reproduced)} times; ${text(shrunk)}.</p><ol>`,
    ...found.steps.map(stepPart),
    `</ol><pre>${text(found.replay)}</pre>`,
  ].join('\n');
}

function stepPart({ as, request, operator, model, target, differs }: ReportStep): string {
  const sent = request?.body == null ? '' : `\n${shown(request.body)}`;
  const what =
    request === null
      ? `operator: ${shown(operator)}`
      : `${request.method} ${request.path} as ${as}${sent}`;
  const expected = `<pre class="model">expected ${answer(model)}</pre>`;
  const answered = `<pre class="target">answered ${answer(target)}</pre>`;
  const answers = differs
    ? expected + answered
    : `<div>${text(String(target?.status ?? 'done'))}</div>`;
  return `<li><pre>${text(what)}</pre>${answers}</li>`;
}

const answer = (given: ReportAnswer | null): string =>
  given === null ? 'nothing' : text(`${given.status ?? ''} ${shown(given.body)}`.trim());

function shown(value: unknown): string {
  const json = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return json.length > 4_000 ? `${json.slice(0, 4_000)}…` : json;
}

/** What a target says must not become markup. */
function text(given: string): string {
  return given.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
