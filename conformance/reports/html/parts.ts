// Lays out the parts of a document as HTML.
import { CODE_FACTS, type Fact, type Item, type Part } from '../parts.ts';
import { html, type Markup, withCode } from './fragments.ts';

const LONGEST_TEXT = 1_000;
const LONGEST_LINE = 400;

/** `linked` are the rules that the page has a place for. */
export function htmlOf(parts: readonly Part[], linked: ReadonlySet<string>): Markup[] {
  const markupOf = (part: Part): Markup => {
    switch (part.kind) {
      case 'heading':
        return html`<h2>${part.text}</h2>`;
      case 'words':
        return html`<p>${withCode(part.text)}</p>`;
      case 'list':
        return html`<ul>${part.items.map((each) => listItem(each, linked))}</ul>`;
      case 'facts':
        return factList(part.facts);
      case 'code':
        return html`<pre>${part.lines.map((line) => clip(line, LONGEST_LINE)).join('\n')}</pre>`;
      case 'table':
        return table(part.head, part.rows);
    }
  };
  return parts.map(markupOf);
}

function listItem({ label, text, ids }: Item, linked: ReadonlySet<string>): Markup {
  const named = ids.map((each) => (linked.has(each) ? ruleLink(each) : `${each} `));
  const strong =
    label === '' ? null : html`<strong>${linked.has(label) ? ruleLink(label) : label}</strong> `;
  return html`<li>${named}${strong}${withCode(clip(text, LONGEST_TEXT))}</li>`;
}

export function factList(facts: readonly Fact[]): Markup {
  const rows = facts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => {
      const value = CODE_FACTS.has(name) ? html`<code>${text}</code>` : html`${text}`;
      return html`<dt>${name}</dt><dd>${value}</dd>`;
    });
  return html`<dl class="pair">${rows}</dl>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): Markup {
  return html`<table class="plain"><thead>
<tr>${head.map((each) => html`<th>${each}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((each, at) => html`<td data-name="${head[at]!}">${withCode(each)}</td>`)}</tr>
`,
  )}</tbody></table>`;
}

export const ruleLink = (id: string) => html`<a href="#rule-${id}">${id}</a> `;

export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters in all)`;
}
