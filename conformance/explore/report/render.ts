// The document of a report as text for a terminal, as Markdown for an issue, and as one HTML page.
import { Chalk } from 'chalk';
import { html, Markup, withCode } from '../../reports/html/fragments.ts';
import { htmlPage } from '../../reports/html/page.ts';
import { codeSpan, plainWords } from '../../reports/markdown.ts';
import { printable, wrapText } from '../../reports/plain-text.ts';
import { count } from '../../reports/verdict-words.ts';
import { documentOf, headlineOf, muchOf, type Part, type StepPart } from './document.ts';
import type { ExploreReport } from './schema.ts';

export interface TextOptions {
  readonly color: boolean;
  readonly width: number;
}

const cut = (most: number, text: string): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

export function textReport(report: ExploreReport, options: TextOptions): string[] {
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const width = Math.max(60, Math.min(options.width, 110));
  const paints = { agrees: paint.green, differs: paint.red, invalid: paint.yellow };
  const verdict = paints[report.verdict](headlineOf(report));
  const [, , ...parts] = documentOf(report);
  const indented = (text: string) => wrapText(text, width - 4).map((each) => `    ${each}`);
  const lines = parts.flatMap((part): string[] => {
    switch (part.kind) {
      case 'heading':
        return wrapText(part.text, width).map((each) => paint.red(each));
      case 'words':
        return wrapText(part.text, width);
      case 'list':
        return part.items.flatMap(indented);
      case 'steps':
        return part.steps.flatMap((step) => textStep(step, paint, width));
      case 'command':
        return [`    again: ${part.text}`, ''];
      default:
        return [];
    }
  });
  return [
    ...lines,
    `${report.target.base_url} ${verdict} (${muchOf(report)})`,
    ...(report.interrupted ? ['Interrupted: this is what is known so far.'] : []),
  ];
}

function textStep(step: StepPart, paint: InstanceType<typeof Chalk>, width: number): string[] {
  const { n, what, as, sent, answered, differs } = step;
  const head = [`    ${n}. ${what}  ${as}`.trimEnd(), ...sent.map((each) => `       ${each}`)];
  const lines = head.map((each) => cut(width * 2, printable(each)));
  if (differs === undefined) return [...lines, cut(width * 3, printable(`       -> ${answered}`))];
  const side = (name: string, text: string) => cut(width * 3, printable(`       ${name} ${text}`));
  return [
    ...lines,
    paint.green(side('expected', differs.expected)),
    paint.red(side('came    ', differs.came)),
  ];
}

/** An issue tracker takes 65,536 characters. */
const MOST_MARKDOWN = 58_000;
const MOST_SCRIPT = 6_000;

export function markdownReport(report: ExploreReport): string {
  const blocks = documentOf(report).map((part) => ({ part, text: markdownPart(part) }));
  const whole = blocks.map(({ text }) => text).join('\n\n');
  if (whole.length <= MOST_MARKDOWN) return `${whole}\n`;
  // The scripts go first, then the differences that come last.
  const short = blocks.filter(({ part }) => part.kind !== 'script');
  const kept: string[] = [];
  let length = 0;
  let left = 0;
  for (const { part, text } of short) {
    const isFull = length + text.length + 2 > MOST_MARKDOWN || left > 0;
    if (isFull && part.kind === 'heading') left += 1;
    if (isFull) continue;
    kept.push(text);
    length += text.length + 2;
  }
  const more =
    left === 0 ? '' : `, and ${count(left, 'difference')} of ${report.differences.length}`;
  const note = `Left out to keep this short: the scripts${more}. The JSON report holds all of it.`;
  return `${[...kept, note].join('\n\n')}\n`;
}

function markdownPart(part: Part): string {
  switch (part.kind) {
    case 'heading':
      return `${'#'.repeat(part.level)} ${plainWords(part.text)}`;
    case 'words':
      return plainWords(part.text);
    case 'list':
      return part.items.map((each) => `- ${codeKept(each)}`).join('\n');
    case 'steps':
      return part.steps.map(markdownStep).join('\n');
    case 'command':
      return `Play it again:\n\n\`\`\`sh\n${part.text}\n\`\`\``;
    case 'script':
      return part.text.length > MOST_SCRIPT ? '' : scriptBlock(part.text);
  }
}

/** Words of the catalogue, in which backticks stand around code. */
const codeKept = (text: string): string =>
  text
    .split('`')
    .map((each, at) => (at % 2 === 0 ? plainWords(each) : `\`${each}\``))
    .join('');

/** A fence that nothing in the script ends. */
function scriptBlock(script: string): string {
  const runs = [...script.matchAll(/`+/g)].map(([run]) => run.length + 1);
  const fence = '`'.repeat(Math.max(3, ...runs));
  const opened = '<details><summary>As a script, with curl alone</summary>';
  return [opened, '', `${fence}bash`, script.trimEnd(), fence, '', '</details>'].join('\n');
}

function markdownStep({ n, what, isCall, as, sent, answered, differs }: StepPart): string {
  const code = (text: string) => codeSpan(cut(400, text));
  const head = `${isCall ? code(what) : plainWords(what)} ${plainWords(as)}`.trimEnd();
  const lines = [
    `${n}. ${differs === undefined ? head : `**${head}**`}`,
    ...(sent.length === 0 ? [] : [`   - sends ${sent.map(code).join(', ')}`]),
    ...(differs === undefined
      ? [`   - answered ${code(answered)}`]
      : [`   - expected ${code(differs.expected)}`, `   - answered ${code(differs.came)}`]),
  ];
  return lines.join('\n');
}

export function htmlReport(report: ExploreReport): string {
  const title = `${report.target.base_url} ${headlineOf(report)}`;
  const parts = documentOf(report).map((part) => htmlPart(part).text);
  return htmlPage(title, new Markup(`<main>${parts.join('\n')}</main>`));
}

function htmlPart(part: Part): Markup {
  switch (part.kind) {
    case 'heading':
      return part.level === 1 ? html`<h1>${part.text}</h1>` : html`<h2>${part.text}</h2>`;
    case 'words':
      return html`<p>${part.text}</p>`;
    case 'list':
      return html`<ul>${part.items.map((each) => html`<li>${withCode(each)}</li>`)}</ul>`;
    case 'steps':
      return html`<ol>${part.steps.map(htmlStep)}</ol>`;
    case 'command':
      return html`<p>Play it again:</p><pre>${part.text}</pre>`;
    case 'script':
      return html`<details><summary>As a script, with curl alone</summary><pre>${part.text}</pre></details>`;
  }
}

const LONGEST_SIDE = 4_000;

function htmlStep({ n, what, as, sent, answered, differs }: StepPart): Markup {
  const request = [`${what} ${as}`.trimEnd(), ...sent].join('\n');
  const sides =
    differs === undefined
      ? html`<p>answered ${cut(LONGEST_SIDE, answered)}</p>`
      : html`<pre>expected ${cut(LONGEST_SIDE, differs.expected)}</pre><pre>answered ${cut(LONGEST_SIDE, differs.came)}</pre>`;
  return html`<li value="${n}"><pre>${cut(LONGEST_SIDE, request)}</pre>${sides}</li>`;
}
