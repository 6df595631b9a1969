// Faults that an operator has ordered: they strike before a call has run or after it.

import type { Outcome } from '../pipeline.ts';
import { type RequestContext, refuse } from '../request-context.ts';
import type { Json } from '../values/json.ts';
import type { Answer, Fault } from '../values/records.ts';
import { limited, rateOf } from './limits.ts';

const CODES: Record<number, string> = {
  500: 'internal_error',
  503: 'write_contention',
};

function metFault(ctx: RequestContext, phase: Fault['phase']): Fault | undefined {
  const { mind, operation, credential, call } = ctx;
  const seen: Record<string, Json> = {
    operation: operation.name,
    method: call.method,
    client_id: credential.clientId,
    path: call.target.split('?')[0]!,
  };
  for (const fault of mind.faults) {
    if (fault.phase !== phase || fault.times === 0 || 'webhook' in fault.match) continue;
    if (!Object.entries(fault.match).every(([name, value]) => seen[name] === value)) continue;
    fault.times -= 1;
    fault.hits += 1;
    return fault;
  }
  return undefined;
}

export function injectFaultBefore(ctx: RequestContext, goOn: () => Outcome): Outcome | null {
  const fault = metFault(ctx, 'before');
  return fault === undefined ? null : injectFault(ctx, fault, goOn);
}

export function injectFaultAfter(ctx: RequestContext, answer: Answer): Outcome | null {
  const fault = metFault(ctx, 'after');
  if (fault === undefined) return null;
  return injectFault(ctx, fault, () => ({ kind: 'answer', answer }));
}

function injectFault(ctx: RequestContext, { effect }: Fault, goOn: () => Outcome): Outcome {
  switch (effect.kind) {
    case 'status':
      return { kind: 'answer', answer: failure(ctx, Number(effect.status)) };
    case 'delay':
      return { kind: 'held', untilMs: ctx.mind.now() + Number(effect.ms), resume: goOn };
    case 'hang':
      return { kind: 'held', untilMs: null, resume: goOn };
    default:
      return { kind: 'lost' };
  }
}

function failure(ctx: RequestContext, status: number): Answer {
  // LIM-6: one that is ordered tells as much as any other.
  if (status === 429) return limited(ctx, 1, String(rateOf(ctx.mind, ctx.credential)));
  const code = CODES[status];
  if (code !== undefined) return refuse(ctx, status, code, 'this failed; repeat it');
  return {
    status,
    headers: [['Content-Type', 'text/html']],
    body: '<html><body>Bad gateway</body></html>',
  };
}
