// The report as one page that needs nothing else.
import { count, duration } from '../../reports/verdict-words.ts';
import { operatorWords } from './operator-words.ts';
import type { ExploreReport, ReportDifference, ReportStep } from './schema.ts';
import {
  alsoLine,
  atOnceLine,
  callerLines,
  cameVerb,
  EXPECTED,
  headerTexts,
  headlineOf,
  inconclusiveLine,
  inventoryLine,
  judgeLine,
  legible,
  NO_SCRIPT,
  OPEN,
  openLine,
  placeOf,
  ruleLines,
  runLine,
  type Side,
  shownLine,
  sidesOf,
  timeline,
  UNEXPLAINED,
} from './words.ts';

const STYLE = [
  ':root{color-scheme:light dark;--page:#fff;--text:#1c2126;--soft:#f4f4f5;--bar:#c7d2fe;',
  '--good:#15803d;--bad:#b91c1c}',
  '@media (prefers-color-scheme:dark){:root{--page:#14181c;--text:#e4e8ec;--soft:#1d2329;',
  '--bar:#3730a3;--good:#86d7a3;--bad:#ff9c92}}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;',
  'background:var(--page);color:var(--text);overflow-wrap:anywhere}',
  'pre{white-space:pre-wrap;background:var(--soft);padding:.5rem;margin:.25rem 0}',
  'ol{padding-left:1.75rem}li{margin:.5rem 0}.model{border-left:.3rem solid var(--good)}',
  '.target{border-left:.3rem solid var(--bad)}.line{overflow:hidden}',
  '.bar{background:var(--bar);white-space:nowrap;margin:.1rem 0;padding:0 .25rem;',
  'font-size:.8rem;box-sizing:border-box}',
].join('');

export function htmlReport(report: ExploreReport): string {
  const { target, sequences, requests, duration_ms: ms, seed } = report;
  const much = `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}`;
  const title = `${target.base_url} ${headlineOf(report)}`;
  const ends = [inconclusiveLine(report), inventoryLine(report), ...report.notes];
  const open = report.open.map((each) => `<li>${words(openLine(each))}</li>`);
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${text(title)}</title><style>${STYLE}</style><h1>${text(title)}</h1>`,
    `<p>${text(much)}, seed ${seed}.${report.interrupted ? ' Interrupted.' : ''}</p>`,
    ...report.differences.map(differencePart),
    report.unexplained.length === 0 ? '' : `<h1>Unexplained</h1><p>${text(UNEXPLAINED)}</p>`,
    ...report.unexplained.map(differencePart),
    open.length === 0 ? '' : `<h2>Open</h2><p>${OPEN}</p><ul>${open.join('')}</ul>`,
    ...ends.map((each) => (each === null ? '' : `<p>${text(each)}</p>`)),
    '</html>\n',
  ].join('\n');
}

function differencePart(found: ReportDifference): string {
  const rules = ruleLines(found).map((each) => `<li>${words(each)}</li>`);
  const script = found.script === null ? `<p>${NO_SCRIPT}</p>` : scriptPart(found.script);
  return [
    `<h2 id="${text(found.id)}">${text(found.id)}: ${text(found.title)}</h2>`,
    `<ul>${rules.join('')}</ul>`,
    `<p>${text(shownLine(found))} ${words(judgeLine(found))}</p>`,
    `<p>${text(alsoLine(found) ?? '')}</p>`,
    `<div class="line">${found.steps.map((each) => barOf(each, found)).join('')}</div><ol>`,
    ...found.steps.map(stepPart),
    `</ol><ul>${callerLines(found)
      .map((each) => `<li>${text(each)}</li>`)
      .join('')}</ul>`,
    `<p>${text(EXPECTED)} ${atOnceLine(found) ?? ''} ${words(runLine(found) ?? '')}</p><p>Play it again:</p><pre>${text(found.replay)}</pre>${script}`,
  ].join('\n');
}

const scriptPart = (script: string): string =>
  `<details><summary>As a script, with curl alone</summary><pre>${text(script)}</pre></details>`;

/** Of calls at once: from when to when each was under way. */
function barOf(step: ReportStep, { steps }: ReportDifference): string {
  const times = step.at_once;
  if (times === undefined) return '';
  const all = steps.flatMap(({ at_once: each }) => (each === undefined ? [] : [each]));
  const from = Math.min(...all.map(({ sent_ms: ms }) => ms));
  const whole = Math.max(0.1, ...all.map(({ answered_ms: ms }) => ms - from));
  const part = (ms: number) => `${((ms / whole) * 100).toFixed(1)}%`;
  const place = `margin-left:${part(times.sent_ms - from)}`;
  const width = `width:${part(times.answered_ms - times.sent_ms)}`;
  const words = `${step.n}. ${step.request?.method ?? ''} ${step.target?.status ?? 'no answer'}`;
  return `<div class="bar" style="${place};${width}">${text(words)}</div>`;
}

function stepPart(step: ReportStep): string {
  const { n, as, request, operator, target, differs } = step;
  const times = timeline(step);
  const when = times === null ? '' : `<div>${text(times)}</div>`;
  const headers = headerTexts(step).map((each) => `\n${each}`);
  const sent = request?.body == null ? '' : `\n${shown(request.body)}`;
  const what =
    request === null
      ? operatorWords(operator)
      : `${request.method} ${request.path} as ${as}${headers.join('')}${sent}`;
  const [model, came] = sidesOf(step);
  const verb = cameVerb(step);
  const expected = `<pre class="model">expected ${sideText(model)}</pre>`;
  const answered = `<pre class="target">${verb} ${sideText(came)}</pre>`;
  const where = placePart(step);
  const answers = differs
    ? where + expected + answered
    : times !== null && target !== null
      ? `<pre>answered ${sideText(target)}</pre>`
      : `<div>${target === null ? 'done' : `answered ${text(String(target.status))}`}</div>`;
  return `<li value="${n}"><pre>${text(what)}</pre>${when}${answers}</li>`;
}

function placePart(step: ReportStep): string {
  const place = placeOf(step);
  if (place === null) return '';
  const [name, came, expected] = [place.name, place.came, place.expected].map(
    (each) => `<code>${text(each)}</code>`,
  );
  return `<p>in ${name} ${came} in place of ${expected}</p>`;
}

const sideText = (side: Side): string =>
  text('words' in side ? side.words : `${side.status ?? ''} ${shown(side.body)}`.trim());

function shown(value: unknown): string {
  const json = legible(value, 1);
  return json.length > 4_000 ? `${json.slice(0, 4_000)}…` : json;
}

/** Words of ours, in which backticks are round what is code. */
const words = (given: string): string => text(given).replace(/`(.*?)`/g, '<code>$1</code>');

/** What a target says must not become markup. */
function text(given: string): string {
  return given.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
