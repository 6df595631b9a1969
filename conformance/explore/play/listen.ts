// Plays a step that listens to the events channel: what it repeats before an event made now.
import { type EventsChannel, openEventsChannel } from '../../engine/send/events-channel.ts';
import { Headers } from '../../engine/send/headers.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import {
  type Envelope,
  envelopesIn,
  eventIdOf,
  eventsPathOf,
} from '../../scenarios/delivery/envelopes.ts';
import type { OperatorStep } from '../sequence.ts';
import { resolveText } from '../values.ts';
import type { HeardOutcome } from './outcome.ts';
import type { Player } from './player.ts';

type ListenStep = Extract<OperatorStep, { readonly do: 'listen' }>;

/** As long as a live target may take for a delivery. */
const TOLD_WITHIN_MS = 15_000;
const STEP_MS = 5;

export async function listen(step: ListenStep, player: Player): Promise<HeardOutcome> {
  const { n } = step;
  const { nowMs: atMs, ground } = player;
  const heard = { kind: 'heard', n, isCut: false, isLate: false, atMs } as const;
  const channel = await open(step, player);
  try {
    // Made whether or not there is a channel, so that both sides go on alike.
    const { operator } = ground.target;
    // EVT-12: who is bound to a brand is told of no other.
    const brandId = player.credentials.get(step.as)?.brandId;
    const brand = brandId === undefined ? {} : { brandId };
    const made = await operator.emit({ category: 'account', kind: 'account.updated', ...brand });
    const now = eventIdOf(made);
    if (channel === undefined || now === undefined) return { ...heard, told: undefined };
    const isTold = () => channel.messages.some((each) => each.includes(now));
    const untilMs = performance.now() + Math.min(TOLD_WITHIN_MS, ground.timeoutMs);
    while (!channel.closed && !isTold() && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    const told = channel.messages
      .flatMap(envelopesIn)
      .filter((each) => eventIdOf(each) !== now)
      .map(asDelivery);
    const isOver = channel.closed || isTold();
    return { ...heard, told, isCut: isOver && !isTold(), isLate: !isOver };
  } finally {
    channel?.close();
  }
}

async function open({ as, after }: ListenStep, player: Player): Promise<EventsChannel | undefined> {
  const { sender, spend, target } = player.ground;
  const credential = await player.prepare(as);
  if (credential === undefined) return undefined;
  const from = encodeURIComponent(resolveText(after, player));
  const url = `${target.baseUrl}${await eventsPathOf(target.operator)}?after_seq=${from}`;
  spend?.(1);
  return (sender.openChannel ?? openEventsChannel)(url, credential, sender);
}

const asDelivery = (envelope: Envelope): ReceivedDelivery => ({
  method: 'POST',
  url: '',
  headers: new Headers([]),
  body: Buffer.from(JSON.stringify(envelope)),
  atMs: 0,
  answered: 200,
});
