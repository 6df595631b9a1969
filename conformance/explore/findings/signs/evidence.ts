// What the rules of a difference are read from: the call that differs, and what came before it.
// Shrinking leaves only what is needed, so whatever is there has to do with it.
import { isDeepStrictEqual } from 'node:util';
import type { Difference } from '../../compare/difference.ts';
import type { CallOutcome, Outcome } from '../../play/outcome.ts';
import { type CallStep, callsOf, type Step } from '../../sequence.ts';
import type { Found } from '../investigate.ts';

export interface Evidence {
  readonly found: Found;
  readonly difference: Difference;
  readonly steps: readonly Step[];
  readonly calls: readonly CallStep[];
  /** The call that differs; undefined where it is something else. */
  readonly call: CallStep | undefined;
  /** Calls other than that. */
  readonly others: readonly CallStep[];
  /** `200`, `409 invalid_state`: what the model answers, and what the target has answered. */
  readonly due: string;
  readonly came: string;
  /** `amount` of `body.amount`. */
  readonly member: string;
  readonly isReplayed: boolean;
  readonly isConverged: boolean;
  readonly hasPaused: boolean;
  /** Whether the difference is one of calls that were sent at once. */
  readonly isAtOnce: boolean;
}

export function evidenceOf(found: Found): Evidence {
  const { difference, sequence } = found;
  const { n, at, basis, modelAnswer: due, targetAnswer: came } = difference;
  const { steps } = sequence;
  const calls = callsOf(steps);
  return {
    ...{ found, difference, steps, calls, due, came },
    call: calls.find((each) => each.n === n),
    others: calls.filter((each) => each.n !== n),
    member: /^body\.(?:.*\.)?([a-z_]+)$/.exec(at)?.[1] ?? '',
    isReplayed: basis?.idempotency === 'replayed',
    isConverged: basis?.idempotency === 'converged',
    // What shrinking leaves of the last step is there because the difference was seen after it.
    hasPaused: steps.some(
      (step, at) => step.do === 'advance' && (step.byMs > 1 || at < steps.length - 1),
    ),
    isAtOnce: steps.some((step) => step.do === 'burst' && step.calls.some((each) => each.n === n)),
  };
}

export const statusOf = (answer: string): number => Number.parseInt(answer, 10);

export function answerOf(outcome: Outcome | undefined): CallOutcome | undefined {
  return outcome?.kind === 'answer' ? outcome : undefined;
}

export type Members = { readonly [name: string]: unknown };

export const bodyOf = (call: CallStep | undefined): Members =>
  call?.body !== null && typeof call?.body === 'object' ? (call.body as Members) : {};

/** The accounts that a call creates. */
export function rowsOf(call: CallStep): readonly Members[] {
  const body = bodyOf(call);
  return call.operation === 'bulkCreateAccounts' && Array.isArray(body.accounts)
    ? (body.accounts as readonly Members[])
    : call.operation === 'createAccount'
      ? [body]
      : [];
}

/** Whether a value says `$case`, `$phone` and the like somewhere. */
export function hasSymbol(value: unknown, name: string): boolean {
  if (value === null || typeof value !== 'object') return false;
  // Of a list every one has a length of its own.
  const isThere = !Array.isArray(value) && name in value;
  return isThere || Object.values(value).some((each) => hasSymbol(each, name));
}

/** One of our own, with nothing odd about it. */
export function isPlainEmail(value: unknown): boolean {
  const parts = value !== null && typeof value === 'object' && '$join' in value && value.$join;
  if (!Array.isArray(parts) || parts.length !== 2) return false;
  return parts[1] === '@explore.example.com' && hasSymbol(parts[0], '$fresh') && !isLong(parts[0]);
}

const isLong = (value: unknown): boolean => hasSymbol(value, 'length');

/** Texts that the value names by a symbol. */
export function stemsIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const { $fresh, $phone } = value as { readonly $fresh?: unknown; readonly $phone?: unknown };
  const own = [$fresh, $phone].filter((each) => typeof each === 'string');
  return [...own, ...Object.values(value).flatMap(stemsIn)];
}

export const isAlike = (one: unknown, other: unknown): boolean =>
  one !== undefined && isDeepStrictEqual(one, other);
