// What a run has made on a target that keeps it, by kind, and what still delivers.
import { memberAt } from '../../engine/send/answer.ts';
import { type CallOutcome, callsIn, nameText } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';

export interface Inventory {
  readonly accounts: number;
  readonly transactions: number;
  readonly positions: number;
  readonly subscriptions: number;
  /** Ids of subscriptions that are not disabled. */
  readonly enabled: readonly string[];
}

export const EMPTY: Inventory = {
  ...{ accounts: 0, transactions: 0, positions: 0, subscriptions: 0 },
  enabled: [],
};

export function withMadeBy(before: Inventory, { outcomes }: Player): Inventory {
  const answers = callsIn(outcomes).filter(
    (each): each is CallOutcome => each.kind === 'answer' && each.status < 300,
  );
  const of = (path: RegExp) =>
    answers.filter(({ sent }) => sent.method === 'POST' && path.test(sent.target));
  const made = (path: RegExp) => idsOf(of(path).filter(({ status }) => status === 201));
  const rows = of(/\/accounts\/bulk$/).map(({ json }) => Number(memberAt(json, 'created') ?? 0));
  const hooks = idsOf(of(/\/webhooks$/));
  // NS-7: what disabling answers is open.
  const disabled = new Set(of(/\/disable$/).map(({ sent }) => sent.target.split('/').at(-2)));
  return {
    accounts: before.accounts + made(/\/accounts$/).length + sumOf(rows),
    transactions: before.transactions + made(/\/transactions$/).length,
    // NS-1: and so is what opening a position answers; a replay is the same to the byte.
    positions: before.positions + textsOf(of(/\/positions\/open$/)).size,
    subscriptions: before.subscriptions + hooks.length,
    enabled: [...before.enabled, ...hooks].filter((id) => !disabled.has(id)),
  };
}

/** A replayed answer shows the same record once more. */
const idsOf = (answers: readonly CallOutcome[]): readonly string[] => [
  ...new Set(answers.map(({ json }) => nameText(memberAt(json, 'id')))),
];

const textsOf = (answers: readonly CallOutcome[]): ReadonlySet<string> =>
  new Set(answers.map(({ body }) => Buffer.from(body).toString()));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
