// Every check of a client, in the order of reports, and each in words.
import { findRule } from '../../../fixtures/rules.ts';
import { wrapText } from '../../reports/plain-text.ts';
import type { Check } from './check.ts';
import { habitChecks } from './habits.ts';
import { refusalChecks } from './refusals.ts';
import { repeatChecks } from './repeats.ts';
import { shapeChecks } from './shapes.ts';

const order = [
  ...['key-sent', 'key-one-intent', 'answer-lost', 'request-lost', 'no-answer', '500', '503'],
  ...['gives-up', '429', 'in-flight', 'refused', 'stale-tag', 'token-expires', 'token-kept'],
  ...['large-ids', 'amounts', 'unknown-fields', 'converged', 'plain-text', 'secret-places'],
].map((name) => `CLT-${name}`);

export const checks: readonly Check[] = [
  ...habitChecks,
  ...repeatChecks,
  ...refusalChecks,
  ...shapeChecks,
].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));

interface Term {
  readonly word: string;
  readonly meaning: string;
}

export const glossary: readonly Term[] = [
  {
    word: 'a write',
    meaning:
      'one of the nine calls that change something and take a key: an account is created (alone or in bulk) or updated, a position opened or closed, a transaction created, approved, rejected or cancelled.',
  },
  {
    word: 'a key',
    meaning:
      'the header Idempotency-Key. A write under a new key is run; sent again under the same key it is answered as it was the first time, and does not run again.',
  },
  {
    word: 'a tag',
    meaning:
      'the header ETag of an account, which an update sends back as If-Match. It says which state of the account the client has seen.',
  },
];

/** The terms that these texts use. */
export function wordsIn(texts: readonly string[]): readonly Term[] {
  const all = texts.join('\n');
  return glossary.filter(({ word }) => new RegExp(`\\b${word.slice(2)}s?\\b`).test(all));
}

const label = 16;

/** Lines for a person; null if there is no such check. */
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
