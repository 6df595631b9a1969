// Ideas about names that some database, language or index takes for one another, and that are not:
// to the specification two references are the same but for the case of their letters (ACC-6).
import type { CallStep, Step, Value } from '../../sequence.ts';
import { createCall } from '../accounts.ts';
import { bulkCall } from '../bulk.ts';
import type { Drawing, Idea, Members } from '../idea.ts';
import { transactionCall } from '../money.ts';
import { person } from '../people.ts';
import { openedPlace } from './lookalikes.ts';

const PLAIN = 'cafe';

/**
 * Each is like the plain one to somebody: as a pattern of a query, a glob or an expression, without
 * accents, in another width, without what does not show, or once it is decoded.
 */
const LIKE_IT: readonly string[] = [
  ...['c_fe', 'c%', 'c?fe', 'c*', 'c.fe', 'café', 'ｃａｆｅ', 'ca\u200bfe', 'ca-fe', 'ca.fe'],
  ...['ca fe', 'caf%65', 'caf&#101;', 'cafe\u{1f44d}', 'cafe\u{1f44e}'],
];
/** One that those of them are like which somebody has kept as patterns. */
const LAST = 'cxfe';
/** What an email may hold at least. */
const PLAIN_LOCAL = /^[^\s&]+$/;

const join = (...parts: readonly Value[]): Value => ({ $join: parts });

/** Somebody whose reference and email begin alike. */
function named(d: Drawing, stem: string, text: string): Members {
  const { brand_id } = person(d, d.main);
  const email: Value = { $fresh: PLAIN_LOCAL.test(text) ? stem : `${stem}o${d.stem()}` };
  const local = PLAIN_LOCAL.test(text) ? [email, text] : [email];
  return {
    client_reference_id: join({ $fresh: stem }, text),
    email: join(...local, '@explore.example.com'),
    brand_id: brand_id!,
  };
}

/** So many of them alone as well. */
const ALONE = 5;

/** ACC-1, ACC-5, ACC-8, BULK-3: all of them are people of their own, in batches and alone. */
function people(d: Drawing): readonly Step[] {
  const [one, other, third] = [`n${d.stem()}`, `n${d.stem()}`, `n${d.stem()}`] as const;
  const all = (stem: string, texts: readonly string[]) => texts.map((text) => named(d, stem, text));
  const alone = d.random.shuffled(LIKE_IT).slice(0, ALONE);
  return [
    bulkCall(d, d.main, [...all(one, [PLAIN]), ...all(other, [PLAIN])]),
    bulkCall(d, d.main, all(one, [...LIKE_IT, LAST])),
    ...all(other, [...alone, LAST]).map((body): CallStep => ({ ...createCall(d, d.main), body })),
    bulkCall(d, d.main, all(third, [PLAIN, ...LIKE_IT, LAST])),
  ];
}

/** TXN-1, TXN-2: so are their transactions. */
function references(d: Drawing): readonly Step[] {
  const { steps, place } = openedPlace(d);
  const stem = `n${d.stem()}`;
  const made = [PLAIN, ...LIKE_IT, LAST].map((text) =>
    transactionCall(d, place, { client_reference_id: join({ $fresh: stem }, text) }),
  );
  return [...steps, ...made];
}

export const alikeIdeas: readonly Idea[] = [
  { id: 'alike/people', weight: 4, isGrid: true, draw: people },
  {
    id: 'alike/references',
    weight: 4,
    isGrid: true,
    needs: ['trading_account'],
    draw: references,
  },
];
