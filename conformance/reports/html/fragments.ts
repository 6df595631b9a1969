// Templates of HTML that escape every value, so that nothing from outside becomes markup.
import { printable } from '../plain-text.ts';

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

/** Words of the catalogue, with the parts between backticks as code. */
export function withCode(words: string): Markup[] {
  return words
    .split('`')
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
