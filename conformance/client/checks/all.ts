// Every check of a client, in the order of reports, and its description.
import { findRule } from '../../../fixtures/rules.ts';
import { facts, heading, item, list, type Part } from '../../reports/parts.ts';
import type { Check } from './check.ts';
import { habitChecks } from './habits.ts';
import { repeatChecks } from './repeats.ts';
import { responseChecks } from './responses.ts';

const order = [
  ...['key-sent', 'key-one-intent', 'answer-lost', 'request-lost', 'no-answer', '500', '503'],
  ...['gives-up', '429', 'in-flight', 'refused', 'stale-tag', 'token-expires', 'token-kept'],
  ...['large-ids', 'amounts', 'unknown-fields', 'converged', 'plain-text', 'secret-places'],
].map((name) => `CLT-${name}`);

export const checks = [...habitChecks, ...repeatChecks, ...responseChecks].sort(
  (a, b) => order.indexOf(a.id) - order.indexOf(b.id),
);

const A_TOKEN = 'a request for a token with SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET';

/** What a command has to do so that a check is met; most need a write. */
const REACHED_BY: Readonly<Record<string, string>> = {
  'CLT-token-expires': A_TOKEN,
  'CLT-token-kept': A_TOKEN,
  'CLT-stale-tag': 'an update of an account (PATCH /api/v1/accounts/{id})',
  'CLT-converged': 'a create of an account or of a transaction',
  'CLT-amounts': 'a write with an amount, such as POST /api/v1/transactions',
  'CLT-large-ids': 'a request with an id from an earlier response',
  'CLT-unknown-fields': 'any request',
  'CLT-secret-places': 'any request',
};

export const reachOf = ({ id }: Check): string =>
  REACHED_BY[id] ?? 'a write that succeeds, such as POST /api/v1/accounts';

export function explainClientCheck(check: Check): Part[] {
  const { id, title, orders, expected, atStake, mend, rules } = check;
  return [
    heading(`${id}  ${title}`),
    ...facts([
      ['does', orders],
      ['expects', `a client that ${expected}`],
      ['at stake', atStake],
      ['fix', mend],
      ['try it', `npx conformance client --only ${id} -- COMMAND`],
    ]),
    ...list(rules.map((rule) => item(findRule(rule).words, rule))),
  ];
}
