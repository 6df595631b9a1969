// Hides tokens, cookies and secrets of calls, on screens and in logs.

import { decodePercent, parseJson } from '../../fixtures/lenient.ts';

/** The members whose values are tokens and secrets, anywhere in a body or a query. */
const secretMembers: ReadonlySet<string> = new Set([
  'access_token',
  'client_secret',
  'password',
  'previous_secret',
  'refresh_token',
  'secret',
  'token',
]);

const hidden = '(hidden)';

/** Path and query; the events channel accepts a token in the query. */
export function hideInTarget(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark + 1) + hideInForm(target.slice(mark + 1));
}

const secretHeaders = new Set(['cookie', 'set-cookie', 'x-api-key']);

/** The value of a header as it can be shown; the scheme of an Authorization header stays. */
export function hideInHeader(name: string, value: string): string {
  if (secretHeaders.has(name)) return hidden;
  if (name !== 'authorization' && name !== 'proxy-authorization') return value;
  const scheme = /^(\w+) +\S/.exec(value)?.[1];
  return scheme === undefined ? hidden : `${scheme} ${hidden}`;
}

/** A body, or as much of it as is shown: JSON or a form. */
export function hideInBody(text: string): string {
  return /^\s*[[{"]/.test(text) ? hideInJson(text) : hideInForm(text);
}

function hideInForm(text: string): string {
  if (!text.includes('=')) return text;
  const hide = (pair: string) => {
    const at = pair.indexOf('=');
    const isSecret = at >= 0 && secretMembers.has(decode(pair.slice(0, at)));
    return isSecret ? `${pair.slice(0, at)}=${hidden}` : pair;
  };
  return text.split('&').map(hide).join('&');
}

const decode = (name: string) => decodePercent(name.replaceAll('+', ' '))?.trim() ?? name;

/** Hides strings that are values of secret members, also in JSON that was cut or is broken. */
function hideInJson(text: string): string {
  const shown: string[] = [];
  let taken = 0;
  let name: string | null = null;
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = endOfString(text, at);
    if (name !== null && secretMembers.has(name)) {
      shown.push(text.slice(taken, at), `"${hidden}"`);
      taken = end;
      name = null;
    } else {
      const next = /\S/g;
      next.lastIndex = end;
      const isName = next.exec(text)?.[0] === ':';
      name = isName ? ((parseJson(text.slice(at, end)) as string | undefined) ?? null) : null;
    }
    const following = text.indexOf('"', end);
    // A name only applies to the string directly after its colon.
    if (name !== null && !/^\s*:\s*$/.test(text.slice(end, following))) name = null;
    at = following;
  }
  return shown.join('') + text.slice(taken);
}

/** Just after the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
