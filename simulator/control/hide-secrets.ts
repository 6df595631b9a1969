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

const rest = String.raw`[^"\\]*(?:\\[^][^"\\]*)*`;
/** Every string, and with it the string that follows its colon, perhaps cut. */
const jsonStrings = new RegExp(
  `("${rest}")(\\s*:\\s*)"${rest}(?:"|\\\\?$)|"${rest}(?:"|\\\\?$)`,
  'g',
);

/** Hides strings that are values of secret members, also in JSON that was cut or is broken. */
const hideInJson = (text: string): string =>
  text.replace(jsonStrings, (found, name: string | undefined, colon: string) => {
    const isSecret = name !== undefined && secretMembers.has(parseJson(name) as string);
    return isSecret ? `${name}${colon}"${hidden}"` : found;
  });
