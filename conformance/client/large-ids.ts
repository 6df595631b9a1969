// Ids above 2^53, which change if they are parsed as a double.

import type { Fault, Wire } from './faults.ts';
import type { ApiResponse } from './recording.ts';

/** Every large id is odd, and doubles beyond 2^53 are even, so a rounded id is recognisable. */
const firstId = 2n ** 53n + 1n;

export function enlarged(id: string): string {
  return String(firstId + 2n * BigInt(id));
}

/** The platform's own id; an id that is not a large one, including a rounded one, is unchanged. */
export function reduced(id: string): string {
  const value = BigInt(id);
  return value >= firstId && value % 2n === 1n ? String((value - firstId) / 2n) : id;
}

/** The cursor of a list: it need not be an existing id, as in `after=${id - 1}`. */
function reducedCursor(after: string): string {
  const value = BigInt(after);
  return value >= firstId - 1n ? String((value - firstId) / 2n) : after;
}

// Brands and firms are few and fixed, so they keep their ids. The `id` of a webhook or an event is
// excluded by path, because it is not such an id.
const names = 'id|account_id|record_id|trading_account_id|position_id|order_id|transaction_id';
// Inside a string the quotation marks of a name are escaped, so nothing there matches.
const idMember = new RegExp(`(?<!\\\\)("(?:${names}|next_after)"\\s*:\\s*)("?)(\\d+)("?)`, 'g');
const idInQuery = /([?&](?:account_id|trading_account_id)=)(\d+)/g;
// Tokens for one account may be requested with a form (AUTH-5).
const idInForm = /((?:^|&)account_id=)(\d+)(?=&|$)/g;
const cursorInQuery = /([?&]after=)(\d+)/g;
const idInPath = /(\/api\/v1\/(?:accounts|transactions)\/)(\d+)/;

/** Every id in a request, as written there. */
export function idsIn({ target, body }: Wire): string[] {
  const found = (text: string, pattern: RegExp, group: number) =>
    [...text.matchAll(pattern)].map((match) => match[group] ?? '');
  return [
    ...found(target, /\/api\/v1\/(?:accounts|transactions)\/([^/?]+)/g, 1),
    ...found(target, /[?&](?:account_id|trading_account_id)=([^&]*)/g, 1),
    ...found(body, /(?:^|&)account_id=([^&]*)/g, 1),
    ...found(body, new RegExp(`(?<!\\\\)"(?:${names})"\\s*:\\s*"?([^",}\\s\\]]+)`, 'g'), 1),
  ].filter((id) => id !== 'bulk' && id !== 'null');
}

/** A number that was converted to a double, or is not an integer in digits at all. */
export function isRounded(id: string): boolean {
  if (!/^\d+$/.test(id)) return /^-?[\d.]+(e\+?\d+)?$/i.test(id);
  return BigInt(id) >= firstId - 1n && BigInt(id) % 2n === 0n;
}

export function isLarge(id: string): boolean {
  return /^\d+$/.test(id) && BigInt(id) >= firstId;
}

const isOwnKind = (path: string) => /^\/api\/v1\/webhooks/.test(path);

export const withLargeIds: Fault = {
  reshape: (answer: ApiResponse, path: string): ApiResponse =>
    isOwnKind(path) ? answer : { ...answer, body: enlarge(answer.body) },
  translate: ({ target, body }: Wire): Wire => {
    if (isOwnKind(target)) return { target, body };
    return {
      target: target
        .replace(idInPath, (_, before, id) => before + reduced(id))
        .replace(idInQuery, (_, before, id) => before + reduced(id))
        .replace(cursorInQuery, (_, before, after) => before + reducedCursor(after)),
      body: body
        .replace(idMember, (_, name, open, id, close) => name + open + reduced(id) + close)
        .replace(idInForm, (_, before, id) => before + reduced(id)),
    };
  },
  variables: (variables) =>
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        /^SANDBOX_(TRADING_)?ACCOUNT_ID$/.test(name) ? enlarged(value) : value,
      ]),
    ),
};

function enlarge(body: string): string {
  return body.replace(idMember, (_, name, open, id, close) => name + open + enlarged(id) + close);
}
