// Faults on order: what to hit, how, how often.
import { evolve } from '../evolve.ts';
import { callEffects, deliveryEffects, type Fault } from '../pipeline/find-fault.ts';
import { type CommandContext, type CommandOutcome, done, refused } from './command.ts';

export interface MakeFault extends Pick<Fault, 'match' | 'effect'> {
  readonly phase?: Fault['phase'];
  readonly times?: number | null;
  readonly nth?: number | null;
  readonly probability?: number | null;
}

/** Effects on the body of an answer: something has run by then. */
const answerKinds = ['truncate', 'slow_body'];

export function makeFault({ world }: CommandContext, args: MakeFault): CommandOutcome {
  const { match, effect } = args;
  const webhook = match.webhook !== undefined && match.webhook !== false;
  const kinds = Object.keys(webhook ? deliveryEffects : callEffects);
  if (!kinds.includes(effect.kind)) {
    const what = webhook ? 'webhook deliveries' : 'calls';
    return refused('effect.kind', `for ${what} it is one of ${kinds.join(', ')}`);
  }
  if (webhook && args.phase === 'after') {
    return refused('phase', 'a webhook fault has no phase after');
  }
  const onAnswer = answerKinds.includes(effect.kind);
  if (onAnswer && args.phase === 'before') {
    return refused('phase', `is after with ${effect.kind}: before it runs there is no answer`);
  }
  if (effect.kind === 'refuse' && args.phase === 'after') {
    return refused('phase', 'is before with refuse: what is refused has not run');
  }
  const { nth, probability } = args;
  const fault: Fault = {
    id: String(world.counters.fault + 1),
    match,
    phase: args.phase ?? (onAnswer ? 'after' : 'before'),
    effect,
    times: args.times ?? null,
    hits: 0,
    ...(nth === undefined || nth === null ? {} : { nth }),
    ...(probability === undefined || probability === null ? {} : { probability }),
  };
  evolve(world, [
    { type: 'counted', counter: 'fault', to: world.counters.fault + 1 },
    { type: 'fault-set', fault },
  ]);
  return done({ fault });
}

export function removeFault(
  { world }: CommandContext,
  args: { readonly id: string },
): CommandOutcome {
  if (!world.faults.has(args.id)) return refused('id', `there is no fault ${args.id}`, 404);
  evolve(world, [{ type: 'fault-removed', id: args.id }]);
  return done({});
}

export function clearFaults({ world }: CommandContext): CommandOutcome {
  for (const id of [...world.faults.keys()]) evolve(world, [{ type: 'fault-removed', id }]);
  return done({});
}
