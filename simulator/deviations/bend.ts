// The few ways of bending a behaviour that most deviations are made of.

import type { Behaviour } from '../core/behaviour.ts';
import type { Batch, Decision, Reply } from '../core/call.ts';
import type { Change, ChangeOf } from '../core/change.ts';
import type { Operation, RequestContext } from '../core/pipeline/request-context.ts';
import { type OperationName, operationNames, operationTable } from '../core/tables/operations.ts';

export type Bend = (behaviour: Behaviour) => Behaviour;
export type Json = Record<string, unknown>;

/** Replaces some members of one policy. */
export function policy<K extends keyof Behaviour>(
  name: K,
  change: (policy: Behaviour[K], behaviour: Behaviour) => Partial<Behaviour[K]>,
): Bend {
  return (behaviour) => ({
    ...behaviour,
    [name]: { ...behaviour[name], ...change(behaviour[name], behaviour) },
  });
}

/** Wraps operations: `wrap` gets the conforming one. */
export function operation(
  names: OperationName | readonly OperationName[],
  wrap: (run: Operation, context: RequestContext) => Decision | Batch,
): Bend {
  return (behaviour) => {
    const operations = { ...behaviour.operations };
    for (const name of [names].flat()) {
      const run = operations[name];
      operations[name] = (context) => wrap(run, context);
    }
    return { ...behaviour, operations };
  };
}

function isBatch(result: Decision | Batch): result is Batch {
  return 'decideRow' in result;
}

/** Changes what operations decide; a batch is left as it is. */
export function decision(
  names: OperationName | readonly OperationName[],
  change: (decision: Decision, context: RequestContext) => Decision,
): Bend {
  return operation(names, (run, context) => {
    const result = run(context);
    return isBatch(result) ? result : change(result, context);
  });
}

/** Changes the answer of operations, batches included. */
export function reply(
  names: OperationName | readonly OperationName[],
  change: (reply: Reply, context: RequestContext) => Reply,
): Bend {
  return operation(names, (run, context) => {
    const result = run(context);
    if (!isBatch(result)) return { ...result, reply: change(result.reply, context) };
    return { ...result, answer: (replies) => change(result.answer(replies), context) };
  });
}

/** Changes the members of JSON answers whose status is one of these (any, when none are named). */
export function members(
  names: OperationName | readonly OperationName[],
  change: (body: Json, context: RequestContext) => Json,
  ...statuses: readonly number[]
): Bend {
  return reply(names, (given, context) => {
    const fits = statuses.length === 0 ? given.status < 300 : statuses.includes(given.status);
    return fits && given.body !== '' ? mapJson(given, (body) => change(body, context)) : given;
  });
}

export function mapJson(given: Reply, change: (body: Json) => Json): Reply {
  return { ...given, body: JSON.stringify(change(JSON.parse(given.body) as Json)) };
}

/** Looks at every answer as it leaves, replays included. */
export function everyReply(change: (reply: Reply, context: RequestContext) => Reply): Bend {
  return (behaviour) => ({
    ...behaviour,
    finalizeReply: (given, context) => change(behaviour.finalizeReply(given, context), context),
  });
}

/** Puts a stage in the place of the one with this name; `wrap` gets the conforming one. */
export function stage(
  name: string,
  wrap: (
    decide: (context: RequestContext) => Decision | null,
    context: RequestContext,
  ) => Decision | null,
): Bend {
  return (behaviour) => ({
    ...behaviour,
    stages: behaviour.stages.map((conforming) =>
      conforming.name === name
        ? { name, decide: (context: RequestContext) => wrap(conforming.decide, context) }
        : conforming,
    ),
  });
}

/** One bend after another. */
export function all(...bends: readonly Bend[]): Bend {
  return (behaviour) => bends.reduce((bent, bend) => bend(bent), behaviour);
}

/** The changes of one type. */
export function only<T extends Change['type']>(
  changes: readonly Change[],
  type: T,
): readonly ChangeOf<T>[] {
  return changes.filter((change): change is ChangeOf<T> => change.type === type);
}

/** Those that take an idempotency key. */
export const writeOperations = operationNames.filter((name) => operationTable[name].key);

export const transitionOperations = [
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
] as const satisfies readonly OperationName[];
