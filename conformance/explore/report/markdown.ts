// The report as Markdown, for an issue or a pull request.
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

export function markdownReport(report: ExploreReport): string {
  const { target, sequences, requests, duration_ms: ms, seed } = report;
  const much = `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}`;
  const open = report.open.map((each) => `- ${words(openLine(each))}`);
  const why = inconclusiveLine(report);
  const made = inventoryLine(report);
  const lines = [
    `# ${inline(target.base_url)} ${headlineOf(report)}`,
    '',
    `${much}, seed ${seed}.${report.interrupted ? ' Interrupted: what is known so far.' : ''}`,
    ...report.differences.flatMap(differenceLines),
    ...(report.unexplained.length === 0 ? [] : ['', '# Unexplained', '', UNEXPLAINED]),
    ...report.unexplained.flatMap(differenceLines),
    ...(open.length === 0 ? [] : ['', '## Open', '', OPEN, '', ...open]),
    ...(report.notes.length === 0 ? [] : ['', ...report.notes.map(inline)]),
    ...(why === null ? [] : ['', inline(why)]),
    ...(made === null ? [] : ['', made]),
  ];
  return `${lines.join('\n')}\n`;
}

function differenceLines(found: ReportDifference): string[] {
  return [
    '',
    `## ${found.id}: ${inline(found.title)}`,
    '',
    ...ruleLines(found).map((each) => `- ${each}`),
    '',
    `${shownLine(found)} ${judgeLine(found)}`,
    ...[alsoLine(found)].flatMap((each) => (each === null ? [] : ['', inline(each)])),
    '',
    ...found.steps.flatMap(stepLines),
    '',
    ...callerLines(found).map((each) => `- ${inline(each)}`),
    '',
    EXPECTED,
    ...[atOnceLine(found), runLine(found)].flatMap((each) => each ?? []),
    '',
    'Play it again:',
    '',
    '```sh',
    found.replay,
    '```',
    ...scriptLines(found),
  ];
}

/** A fence that nothing in the script ends. */
function scriptLines({ script }: ReportDifference): string[] {
  if (script === null) return ['', NO_SCRIPT];
  const fence = '`'.repeat(
    Math.max(3, ...[...script.matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  const opened = ['', '<details><summary>As a script, with curl alone</summary>', ''];
  return [...opened, `${fence}bash`, script.trimEnd(), fence, '', '</details>'];
}

function stepLines(step: ReportStep): string[] {
  const { n, as, request, operator, target, differs } = step;
  const times = timeline(step);
  const when = times === null ? '' : ` (${times})`;
  const what =
    request === null
      ? inline(operatorWords(operator))
      : `\`${request.method} ${request.path.replaceAll('`', '')}\` as ${as}`;
  const headers = headerTexts(step);
  const sent = [
    ...(headers.length === 0 ? [] : [`   with ${headers.map(code).join(', ')}`]),
    ...(request?.body == null ? [] : [`   sends ${code(request.body)}`]),
  ];
  const shown = times === null || target === null ? [] : [`   - answered ${sideText(target)}`];
  if (!differs) return [`${n}. ${what}${when}: ${target?.status ?? 'done'}`, ...sent, ...shown];
  const [expected, came] = sidesOf(step);
  const place = placeOf(step);
  const where =
    place === null
      ? []
      : [`   - in ${code(place.name)} ${code(place.came)} in place of ${code(place.expected)}`];
  return [
    `${n}. **${what}**${when}`,
    ...sent,
    ...where,
    `   - expected ${sideText(expected)}`,
    `   - ${cameVerb(step)} ${sideText(came)}`,
  ];
}

const sideText = (side: Side): string =>
  'words' in side ? code(side.words) : `${side.status ?? ''} ${code(side.body)}`.trim();

/** What a target says must not become markup. */
function code(value: unknown): string {
  const text = legible(value);
  const short = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return `\`${short.replace(/[`\r\n]+/g, ' ')}\``;
}

/** Words of ours, in which backticks are round what is code. */
const words = (text: string): string =>
  text
    .split('`')
    .map((each, at) => (at % 2 === 0 ? inline(each) : `\`${each}\``))
    .join('');

function inline(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_[\]<>|#]/g, '\\$&');
}
