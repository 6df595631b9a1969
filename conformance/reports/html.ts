// A document as one self-contained HTML page. Its templates escape every value, so that no text from
// outside becomes markup.
import { createHash } from 'node:crypto';
import { clipped } from './exchanges.ts';
import { SCRIPT, STYLE } from './html-style.ts';
import { CODE_FACTS, type Document, type Item, type Part } from './parts.ts';
import { printable } from './plain-text.ts';

/** Markup that is already safe. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | null | readonly (Markup | string | null)[];

/** A template whose values are escaped unless they are markup already. */
function html(parts: TemplateStringsArray, ...values: Piece[]): Markup {
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
  return printable(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The parts between backticks as code. */
function withCode(words: string): Markup[] {
  return words
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

const LONGEST_TEXT = 1_000;
const LONGEST_LINE = 700;

/** The ids that links can lead to. */
function targetsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const own = 'id' in part && part.id !== undefined ? [part.id] : [];
    return part.kind === 'fold' ? [...own, ...targetsIn(part.parts)] : own;
  });
}

/** The same parts as markup. Ids of rules are links if the page says more about them. */
function htmlOf(parts: readonly Part[], targets: ReadonlySet<string>): Markup[] {
  const nameOf = (id: string) =>
    targets.has(id) ? html`<a href="#rule-${id}">${id}</a> ` : html`${id} `;
  const anchor = (id: string | undefined) => (id === undefined ? null : html` id="rule-${id}"`);
  const itemOf = ({ label, text, ids }: Item) => {
    const strong = label === '' ? null : html`<strong>${nameOf(label)}</strong> `;
    return html`<li>${strong}${withCode(clipped(text, LONGEST_TEXT))} ${ids.map(nameOf)}</li>`;
  };
  const layOut = (part: Part): Markup => {
    switch (part.kind) {
      case 'heading':
        return html`<h2 class="${part.tone}"${anchor(part.id)}>${part.text}</h2>`;
      case 'words': {
        const text = withCode(part.text);
        return part.isStrong ? html`<p><strong>${text}</strong></p>` : html`<p>${text}</p>`;
      }
      case 'list':
        return html`<ul>${part.items.map(itemOf)}</ul>`;
      case 'facts':
        return html`<dl>${part.facts.map(([name, text]) => {
          const value = CODE_FACTS.has(name) ? html`<code>${text}</code>` : html`${text}`;
          return html`<dt>${name}</dt><dd>${value}</dd>`;
        })}</dl>`;
      case 'code':
        return html`<pre>${part.lines.map((line) => clipped(line, LONGEST_LINE)).join('\n')}</pre>`;
      case 'table':
        return html`<table><thead>
<tr>${part.head.map((each) => html`<th>${each}</th>`)}</tr></thead>
<tbody>${part.rows.map(
          (cells) => html`<tr>${cells.map((each, at) => {
            const value = at === 0 ? nameOf(each) : withCode(each);
            return html`<td data-name="${part.head[at]!}">${value}</td>`;
          })}</tr>
`,
        )}</tbody></table>`;
      case 'fold':
        return html`<details${anchor(part.id)}><summary>${part.summary}</summary>
<div>${part.parts.map(layOut)}</div></details>
`;
    }
  };
  return parts.map(layOut);
}

/** The page loads nothing and sends nothing, which its policy enforces in the browser. */
export function htmlPage(document: Document): string {
  const { title, verdict, tone, subject, headline, about, end } = document;
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  const policy =
    `default-src 'none'; base-uri 'none'; form-action 'none'; ` +
    `style-src 'sha256-${hash(STYLE)}'; script-src 'sha256-${hash(SCRIPT)}'`;
  const parts = [...document.parts, ...end];
  const targets = new Set(targetsIn(parts));
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}: ${subject}: ${verdict}</title>
`;
  const body = html`<main>
<header class="${tone}"><h1>${title}: ${verdict}</h1>
<p><code>${subject}</code> ${headline}.</p>
${htmlOf(about, targets)}</header>
${htmlOf(parts, targets)}
</main>`;
  return `${head.text}<style>${STYLE}</style>
</head>
<body>
${body.text}
<script>${SCRIPT}</script>
</body>
</html>
`;
}
