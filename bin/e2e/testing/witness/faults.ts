// Faults set by an operator: they apply before a request runs, or after it.
import { CODES, type Context } from './context.ts';
import { rateLimited } from './limits.ts';
import type { Fault, Reply } from './records.ts';

/** The result of a fault: a reply, null for no reply, undefined to continue as usual. */
export async function meetFault(
  context: Context,
  phase: Fault['phase'],
  keepReply = () => {},
): Promise<Reply | null | undefined> {
  const { world, operation, credential, call, path } = context;
  const seen = { operation: operation.name, method: call.method, path };
  const own: Record<string, unknown> = { ...seen, client_id: credential.client_id };
  const fault = world.faults.find(
    (each) =>
      each.phase === phase &&
      each.times > 0 &&
      Object.entries(each.match).every(([name, value]) => own[name] === value),
  );
  if (fault === undefined) return undefined;
  const applied = { ...fault, times: fault.times - 1, hits: fault.hits + 1 };
  world.faults = world.faults.map((each) => (each === fault ? applied : each));
  const { kind, status, ms } = fault.effect;
  if (kind === 'status') return failure(context, Number(status));
  keepReply();
  if (kind !== 'delay' && kind !== 'hang') return null;
  return (await world.hold(kind === 'delay' ? Number(ms) : null)) ? undefined : null;
}

function failure(context: Context, status: number): Reply {
  const { store, credential } = context;
  if (status === 429) return rateLimited(context, 1, String(store.rateOf(credential)));
  if (status === 500 || status === 503) {
    return context.refusal(status, CODES[status], 'this failed; repeat it');
  }
  const body = '<html><body>Bad gateway</body></html>';
  return { status, headers: [['Content-Type', 'text/html']], body };
}
