// Every check of a client, in the order of reports, and each in words.
import { findRule } from '../../../fixtures/rules.ts';
import { code, facts, heading, item, list, type Part, words } from '../../reports/parts.ts';
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

/** A check in words for a person. */
export function explainClientCheck(check: Check): Part[] {
  const { id, title, orders, expected, atStake, mend, rules, atOnce } = check;
  const places =
    atOnce === 0
      ? 'It is judged in runs in which nothing goes wrong.'
      : 'It does so wherever the first run has shown such a call.';
  const texts = [title, orders, expected, atStake, mend.words];
  return [
    heading(`${id}  ${title}`),
    ...facts([
      ['does', orders === 'Nothing.' ? places : `${orders} ${places}`],
      ['expects', `a client that ${expected}`],
      ['at stake', atStake],
      ['mend', mend.words],
      ['try it', `npx conformance client --only ${id} -- COMMAND`],
    ]),
    words('Right:'),
    ...code(mend.example.split('\n')),
    ...list([
      ...rules.map((rule) => item(findRule(rule).words, rule)),
      ...wordsIn(texts).map(({ word, meaning }) => item(meaning, word)),
    ]),
  ];
}
