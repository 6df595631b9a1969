// Every check of a client, in the order in which reports show them, and each in words.

import { findRule } from '../../../fixtures/rules.ts';
import { wrapText } from '../../reports/plain-text.ts';
import { brokenChecks } from './broken.ts';
import type { Check } from './check.ts';
import { wordsIn } from './glossary.ts';
import { habitChecks } from './habits.ts';
import { lostChecks } from './lost.ts';
import { refusedChecks } from './refused.ts';
import { shapeChecks } from './shapes.ts';
import { tokenChecks } from './tokens.ts';
import { waitingChecks } from './waiting.ts';

const order = [
  'CLT-key-sent',
  'CLT-key-one-intent',
  'CLT-answer-lost',
  'CLT-request-lost',
  'CLT-no-answer',
  'CLT-500',
  'CLT-503',
  'CLT-gives-up',
  'CLT-429',
  'CLT-in-flight',
  'CLT-refused',
  'CLT-stale-tag',
  'CLT-token-expires',
  'CLT-token-kept',
  'CLT-large-ids',
  'CLT-amounts',
  'CLT-unknown-fields',
  'CLT-converged',
  'CLT-plain-text',
  'CLT-secret-places',
];

const known: readonly Check[] = [
  ...habitChecks,
  ...lostChecks,
  ...brokenChecks,
  ...waitingChecks,
  ...refusedChecks,
  ...tokenChecks,
  ...shapeChecks,
];

export const checks: readonly Check[] = order.flatMap((id) =>
  known.filter((each) => each.id === id),
);

const label = 16;

/** Lines for a person; null where there is no such check. */
export function explainClientCheck(id: string, width: number): readonly string[] | null {
  const check = checks.find((each) => each.id.toLowerCase() === id.toLowerCase());
  if (check === undefined) return null;
  const { title, orders, expected, atStake, mend, rules, atOnce } = check;
  const item = (name: string, words: string) =>
    wrapText(words, width - label).map((each, n) => (n === 0 ? name : '').padEnd(label) + each);
  const places =
    atOnce === 0
      ? 'It is judged in runs in which nothing goes wrong.'
      : 'It does so wherever the first run has shown such a call.';
  return [
    `${check.id}  ${title}`,
    ...item('what it does', orders === 'Nothing.' ? places : `${orders} ${places}`),
    ...item('a right client', expected),
    ...item('at stake', atStake),
    ...item('mend', mend.words),
    '',
    ...mend.example.split('\n').map((line) => `    ${line}`.trimEnd()),
    '',
    ...rules.flatMap((rule) => item(rule, findRule(rule).words)),
    ...wordsIn([title, orders, expected, atStake, mend.words]).flatMap(({ word, meaning }) =>
      item(word, meaning),
    ),
    ...item('try it', `conformance client --only ${check.id} -- COMMAND`),
  ];
}
