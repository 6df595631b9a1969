// What the sequences are made of: steps that name records by when they came, never by id, so that
// one sequence can be played on two platforms, and cut short without losing its sense.
import fc from 'fast-check';
import type { Actor } from './actors.ts';
import { actors, fields, keys, moneys, operations, people, slot, waits } from './values.ts';

/** A number of the pool, or none: a key that nothing else uses. */
export type KeyChoice = number | null;

export interface Person {
  readonly reference: string;
  readonly email: string;
  readonly phone: string | null;
  readonly region: string | null;
  readonly brand: string | null;
  readonly first: string | null;
  readonly last: string | null;
}

export type Step =
  | { kind: 'create'; as: Actor; key: KeyChoice; person: Person }
  | { kind: 'bulk'; as: Actor; key: KeyChoice; people: readonly Person[] }
  | { kind: 'update'; as: Actor; key: KeyChoice; account: number; tag: TagChoice; fields: Fields }
  | { kind: 'trade'; provider: boolean; account: number; currency: string }
  | { kind: 'money'; as: Actor; key: KeyChoice; money: Money }
  | {
      kind: 'transition';
      as: Actor;
      key: KeyChoice;
      verb: Verb;
      transaction: number;
      of: number;
      reason: string;
    }
  | { kind: 'open'; as: Actor; key: KeyChoice; place: number; volume: string; side: string }
  | { kind: 'close'; as: Actor; key: KeyChoice; place: number | null; position: number }
  | { kind: 'status'; as: Actor; account: number }
  | { kind: 'hook'; as: Actor; categories: readonly string[] }
  | { kind: 'hook-change'; as: Actor; hook: number; verb: HookChange }
  | { kind: 'fault'; operation: string; status: number; phase: 'before' | 'after' }
  | { kind: 'permit'; operation: string; allowed: boolean }
  | { kind: 'settle'; transaction: number }
  | { kind: 'wait'; ms: number };

export type HookChange = 'read' | 'rotate' | 'disable';
export type Verb = 'approve' | 'reject' | 'cancel';
export type TagChoice = 'now' | 'before' | 'first' | 'bare' | 'weak' | 'none' | 'star' | 'other';
export type Fields = Readonly<Record<string, string | null>>;

export interface Money {
  readonly reference: string;
  readonly place: number;
  /** Of another account than the trading account's, where it is not the right one. */
  readonly account: number | null;
  readonly currency: string;
  readonly amount: string;
  readonly method: string | null;
  readonly type: string;
}

export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      as: actors,
      key: keys,
      person: people,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bulk' as const),
      as: actors,
      key: keys,
      people: fc.array(people, { maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      as: actors,
      key: keys,
      account: slot,
      tag: fc.constantFrom<TagChoice[]>(
        'now',
        'now',
        'now',
        'before',
        'first',
        'bare',
        'weak',
        'none',
        'star',
        'other',
      ),
      fields,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trade' as const),
      provider: fc.constantFrom(false, false, true),
      account: slot,
      currency: fc.constantFrom('USD', 'EUR'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('money' as const),
      as: actors,
      key: keys,
      money: moneys,
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('transition' as const),
      as: actors,
      key: keys,
      verb: fc.constantFrom<Verb[]>('approve', 'approve', 'reject', 'cancel'),
      transaction: slot,
      of: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: slot }),
      reason: fc.constantFrom('because', 'because', 'other', '', ' '),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      as: actors,
      key: keys,
      place: slot,
      volume: fc.constantFrom('0.10', '1', '0.20'),
      side: fc.constantFrom('buy', 'sell'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('close' as const),
      as: actors,
      key: keys,
      place: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: slot }),
      position: slot,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('status' as const), as: actors, account: slot }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), transaction: slot }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: waits }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hook' as const),
      as: actors,
      categories: fc.subarray(['account', 'order', 'position', 'transaction']),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hook-change' as const),
      as: actors,
      hook: slot,
      verb: fc.constantFrom<HookChange[]>('read', 'read', 'rotate', 'disable'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      operation: operations,
      status: fc.constantFrom(429, 500, 503),
      phase: fc.constantFrom<('before' | 'after')[]>('before', 'after'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('permit' as const),
      operation: operations,
      allowed: fc.boolean(),
    }),
  },
);

export type Operated = 'trade' | 'settle' | 'wait' | 'fault' | 'permit';
