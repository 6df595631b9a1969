// Faults that an operator has ordered: they strike before a request has run, or after it.
import type { Fault, Reply } from '../records.ts';
import { refuse } from '../replies.ts';
import type { Context } from '../types.ts';
import { rateLimited } from './limits.ts';

const CODES: Readonly<Record<number, string>> = { 500: 'internal_error', 503: 'write_contention' };

/** What a fault makes of a request: a reply, null for none, undefined to go on as usual. */
export async function meetFault(
  context: Context,
  phase: Fault['phase'],
  keepReply = () => {},
): Promise<Reply | null | undefined> {
  const effect = takeFault(context, phase)?.effect;
  if (effect === undefined) return undefined;
  if (effect.kind === 'status') return failure(context, Number(effect.status));
  keepReply();
  if (effect.kind !== 'delay' && effect.kind !== 'hang') return null;
  const ms = effect.kind === 'delay' ? Number(effect.ms) : null;
  return (await context.world.hold(ms)) ? undefined : null;
}

function takeFault({ world, operation, credential, call, path }: Context, phase: Fault['phase']) {
  const seen = {
    operation: operation.name,
    method: call.method,
    client_id: credential.client_id,
    path,
  };
  const isMet = ({ match }: Fault) =>
    Object.entries(match).every(([name, value]) => seen[name as keyof typeof seen] === value);
  const fault = world.faults.find((each) => each.phase === phase && each.times > 0 && isMet(each));
  if (fault === undefined) return undefined;
  const counted = { ...fault, times: fault.times - 1, hits: fault.hits + 1 };
  world.faults = world.faults.map((each) => (each === fault ? counted : each));
  return fault;
}

function failure(context: Context, status: number): Reply {
  const { store } = context.world;
  if (status === 429) return rateLimited(context, 1, String(store.rateOf(context.credential)));
  const code = CODES[status];
  if (code !== undefined) return refuse(context, status, code, 'this failed; repeat it');
  const body = '<html><body>Bad gateway</body></html>';
  return { status, headers: [['Content-Type', 'text/html']], body };
}
