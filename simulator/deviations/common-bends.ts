// Bends and answers that several families of deviations share.

import type { Decision } from '../core/call.ts';
import type { RequestContext } from '../core/pipeline/request-context.ts';
import type { OperationName } from '../core/tables/operations.ts';
import { type Bend, decision, policy } from './bend.ts';

/** A refusal of this status and code, changing nothing. */
export function refuseAs(
  context: RequestContext,
  status: number,
  code: string,
  detail: string,
): Decision {
  const problem = { status, title: 'Refused', code, detail, errors: [] };
  return { reply: context.behaviour.refuse(context, problem), changes: [], cites: [] };
}

/** Decides otherwise where an operation refuses with a body that has these words. */
export function refusedWith(
  names: OperationName | readonly OperationName[],
  words: RegExp,
  other: (context: RequestContext, given: Decision) => Decision,
): Bend {
  return decision(names, (given, context) =>
    given.reply.status >= 400 && words.test(given.reply.body) ? other(context, given) : given,
  );
}

/** A required member that may be left out: it is filled in. */
export function filledIn(
  names: readonly OperationName[],
  member: string,
  valueFor: (context: RequestContext) => string,
): Bend {
  return (behaviour) => ({
    ...behaviour,
    read: (context, text) => {
      const result = behaviour.read(context, text);
      const isMissing = !('body' in result) && result.message.startsWith(`${member} is required`);
      if (!isMissing || !names.some((name) => name === context.operation)) return result;
      const body = { ...JSON.parse(text), [member]: valueFor(context) };
      return behaviour.read(context, JSON.stringify(body));
    },
  });
}

/** Operations that any valid token may call. */
export function unscoped(...names: readonly OperationName[]): Bend {
  return policy('table', (table) =>
    Object.fromEntries(names.map((name) => [name, { ...table[name], scopes: [] }])),
  );
}

/** A code that stands under another status than the table says. */
export function underStatus(code: string, status: number): Bend {
  return (behaviour) => ({
    ...behaviour,
    refusedAs: (asked) => ({
      ...behaviour.refusedAs(asked),
      ...(asked === code ? { status } : {}),
    }),
  });
}
