// One self-contained HTML page from parts of a document. Its templates escape every value, so that
// no text from outside becomes markup.
import { createHash } from 'node:crypto';
import { clipped } from '../exchanges.ts';
import { CODE_FACTS, type Item, type Part } from '../parts.ts';
import { printable } from '../plain-text.ts';
import { SCRIPT, STYLE } from './style.ts';

/** Markup that is already safe. */
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

/** Text of the catalogue, with the parts between backticks as code. */
export function withCode(words: string): Markup[] {
  return words
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

const LONGEST_TEXT = 1_000;
const LONGEST_LINE = 700;

/** `linked` are the rules that have a section on the page. */
export function htmlOf(parts: readonly Part[], linked: ReadonlySet<string> = new Set()): Markup[] {
  const nameOf = (id: string) => (linked.has(id) ? ruleLink(id) : `${id} `);
  const itemOf = ({ label, text, ids }: Item) => {
    const strong = label === '' ? null : html`<strong>${nameOf(label)}</strong> `;
    return html`<li>${ids.map(nameOf)}${strong}${withCode(clipped(text, LONGEST_TEXT))}</li>`;
  };
  const layOut = (part: Part): Markup => {
    switch (part.kind) {
      case 'heading':
        return html`<h2>${part.text}</h2>`;
      case 'words':
        return html`<p>${withCode(part.text)}</p>`;
      case 'list':
        return html`<ul>${part.items.map(itemOf)}</ul>`;
      case 'facts':
        return html`<dl class="pair">${part.facts.map(([name, text]) => {
          const value = CODE_FACTS.has(name) ? html`<code>${text}</code>` : html`${text}`;
          return html`<dt>${name}</dt><dd>${value}</dd>`;
        })}</dl>`;
      case 'code':
        return html`<pre>${part.lines.map((line) => clipped(line, LONGEST_LINE)).join('\n')}</pre>`;
      case 'table': {
        const table = html`<table class="plain"><thead>
<tr>${part.head.map((each) => html`<th>${each}</th>`)}</tr></thead>
<tbody>${part.rows.map(
          (cells) => html`<tr>${cells.map(
            (each, at) => html`<td data-name="${part.head[at]!}">${withCode(each)}</td>`,
          )}</tr>
`,
        )}</tbody></table>`;
        if (part.summary === undefined) return table;
        return html`<details><summary>${part.summary}</summary>${table}</details>`;
      }
    }
  };
  return parts.map(layOut);
}

export const ruleLink = (id: string) => html`<a href="#rule-${id}">${id}</a> `;

/** The page loads nothing and sends nothing, which its policy enforces in the browser. */
export function htmlPage(title: string, body: Markup): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  const policy =
    `default-src 'none'; base-uri 'none'; form-action 'none'; ` +
    `style-src 'sha256-${hash(STYLE)}'; script-src 'sha256-${hash(SCRIPT)}'`;
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
`;
  return `${head.text}<style>${STYLE}</style>
</head>
<body>
${body.text}
<script>${SCRIPT}</script>
</body>
</html>
`;
}
