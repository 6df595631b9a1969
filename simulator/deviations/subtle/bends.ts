// Bends that subtle deviations share: rows of batches, another try under other policies, calls at
// once.
import type { RuleId } from '../../../fixtures/rules.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import type { Decision } from '../../core/call.ts';
import { copyContext, type RequestContext } from '../../core/pipeline/request-context.ts';
import type { Subscription, Transaction } from '../../core/records.ts';
import type { OperationName } from '../../core/tables/operations.ts';
import type { World } from '../../core/world.ts';
import { type Bend, decision, only, operation } from '../bend.ts';
import type { SubtleDeviation } from '../deviation.ts';

export const dayMs = 24 * 3600 * 1000;
export const hourMs = 3600 * 1000;

type Kind = SubtleDeviation['kind'];

/** One line of a register: its id, the rules it breaks, its story, its bend. */
export type Row = readonly [id: string, breaks: readonly RuleId[], story: string, bend: Bend];

export const ofKind = (kind: Kind, rows: readonly Row[]): readonly SubtleDeviation[] =>
  rows.map(([id, breaks, story, bend]) => ({ id, kind, breaks, story, bend }));

/** Decides again under another behaviour where the first decision is of a certain kind. */
export function againWhere(
  names: OperationName | readonly OperationName[],
  where: (given: Decision, context: RequestContext) => boolean,
  other: (behaviour: Behaviour, context: RequestContext) => Behaviour,
): Bend {
  return operation(names, (run, context) => {
    const given = run(context);
    if ('decideRow' in given || !where(given, context)) return given;
    const behaviour = other(context.behaviour, context);
    const copy = copyContext(context, { behaviour });
    copy.idempotency = null;
    return run(copy);
  });
}

/** Looks at every row of a batch as it is decided; `before` are the decisions of earlier rows. */
export function rowsOfBatch(
  change: (
    decide: () => Decision,
    at: number,
    context: RequestContext,
    before: readonly Decision[],
  ) => Decision,
): Bend {
  return operation('bulkCreateAccounts', (run, context) => {
    const given = run(context);
    if (!('decideRow' in given)) return given;
    const before: Decision[] = [];
    const decideRow = (at: number) => {
      const decided = change(() => given.decideRow(at), at, context, before);
      before.push(decided);
      return decided;
    };
    return { ...given, decideRow };
  });
}

/** Sets or takes away the mark of a first deposit that an approval has given. */
export const marked = (
  change: (transaction: Transaction, context: RequestContext) => boolean,
): Bend =>
  decision('approveTransaction', (given, context) => {
    const [changed] = only(given.changes, 'transaction-changed');
    if (changed === undefined) return given;
    const transaction = { ...changed.transaction, isFtd: change(changed.transaction, context) };
    const body = context.behaviour.serialize.transaction(transaction);
    const changes = given.changes.map((each) =>
      each === changed ? { ...changed, transaction } : each,
    );
    return { ...given, reply: { ...given.reply, body }, changes };
  });

/** Changes a subscription as an operation leaves it, seen with how it was before. */
export const subscriptionLeft = (
  name: 'createWebhook' | 'rotateWebhookSecret' | 'disableWebhook',
  change: (
    after: Subscription,
    before: Subscription | undefined,
    context: RequestContext,
  ) => Subscription,
): Bend =>
  decision(name, (given, context) => {
    const [changed] = only(given.changes, 'subscription-set');
    if (changed === undefined) return given;
    const before = context.world.subscriptions.get(changed.subscription.id);
    const subscription = change(changed.subscription, before, context);
    const shown = name === 'disableWebhook' ? null : subscription.secret;
    const body = context.behaviour.serialize.subscription(subscription, shown);
    const changes = given.changes.map((each) =>
      each === changed ? { ...changed, subscription } : each,
    );
    return { ...given, reply: { ...given.reply, body }, changes };
  });

/**
 * As many as pass between calls that are made at once, and fewer than an answer takes to be read.
 */
const TURNS = 4;

/** Whether something of this name was met within the same few turns. */
export class AtOnce {
  readonly #met = new Map<string, number>();

  meets(world: World, name: string): boolean {
    const full = `${world.name}\n${world.seed}\n${name}`;
    const count = this.#met.get(full) ?? 0;
    this.#met.set(full, count + 1);
    void this.#forget(full);
    return count > 0;
  }

  async #forget(name: string): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await undefined;
    const left = (this.#met.get(name) ?? 1) - 1;
    if (left > 0) this.#met.set(name, left);
    else this.#met.delete(name);
  }
}

/** A bend that needs to know what is met at once: one memory for every world it bends. */
export const racing = (bend: (atOnce: AtOnce) => Bend): Bend => {
  return (behaviour) => bend(new AtOnce())(behaviour);
};
