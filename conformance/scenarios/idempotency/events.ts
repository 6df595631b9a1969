// IDEM-4c: a repeat tells nobody: as many events about what was sent three times as about its twin
// that was sent once.
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { WRITE_OPERATIONS } from './write-commands.ts';

/**
 * Which event each of them brings is open (NS-11). No approval: its settlement comes when it will.
 */
const SENT = [
  'createAccount',
  'updateAccount',
  'bulkCreateAccounts',
  'openPosition',
  'createTransaction',
  'rejectTransaction',
] as const;

/** For what may still be on its way when the twins have been heard of as often. */
const GRACE_MS = 300;
const LONGEST_MS = 8_000;
/** For further events of a twin that has been heard of. */
const MORE_MS = 2_000;

const idemRepeatsEmitNothing: Scenario = {
  id: 'idem-repeats-emit-nothing',
  title: 'A repeat causes no further event',
  rules: ['IDEM-4c'],
  needs: ['receiver', 'trading_account'],
  // Elsewhere it would hear of whatever all the others do.
  lane: 'own_world',
  async run(t) {
    const hook = await t.receiver();
    await t.given.webhook(hook);
    const pairs: { words: string; thrice: Answer; once: Answer }[] = [];
    for (const operation of SENT) {
      const { words, make } = WRITE_OPERATIONS[operation];
      const [command, twin] = [await make(t), await make(t)];
      const key = t.fresh.key();
      const thrice = await t.control(words, () => command.send(key));
      await command.send(key);
      await command.send(key);
      const once = await t.control(words, () => twin.send(t.fresh.key()));
      pairs.push({ words, thrice, once });
    }
    // The twin was sent last, so what the repeats caused comes before its events, or little later.
    // On a busy machine they may all come late: they are waited for before anything is said.
    const heard = (answer: Answer) => eventsAbout(hook.deliveries, answer).size;
    await t.until(() => pairs.every(({ once }) => heard(once) > 0), LONGEST_MS);
    await t.sleep(GRACE_MS);
    await t.until(() => pairs.every(({ thrice, once }) => heard(thrice) <= heard(once)), MORE_MS);
    const arrived = await t.deliveriesAt(hook, hook.deliveries.length, 0);
    for (const { words, thrice, once } of pairs) {
      const [many, few] = [eventsAbout(arrived, thrice), eventsAbout(arrived, once)];
      const expected = `${few.size} events about ${nameOf(thrice)}, as after ${words} once`;
      const truth = many.size <= few.size;
      t.claim('IDEM-4c', expected, truth, `${many.size} events`, thrice, ...many.values());
    }
  },
};

/** The id of the record that an answer is about. */
function nameOf(answer: Answer): string {
  return String(answer.at('id') ?? answer.at('rows.0.id'));
}

/** By the id of the event, because one event may be delivered twice (EVT-4). */
function eventsAbout<One extends ReceivedDelivery>(
  arrived: readonly One[],
  answer: Answer,
): Map<string, One> {
  const about = new Map<string, One>();
  for (const delivered of arrived) {
    const envelope = parse(delivered.body);
    if (!mentions(envelope, nameOf(answer))) continue;
    const id = JSON.stringify((envelope as { id?: Json }).id);
    about.set(id, delivered);
  }
  return about;
}

function parse(body: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Json;
  } catch {
    return null;
  }
}

/** NS-9: where an envelope names its record is open, so any member may. */
function mentions(value: Json, id: string): boolean {
  if (value === null || typeof value !== 'object') return value === id;
  return Object.values(value).some((each) => mentions(each as Json, id));
}

export const eventScenarios: readonly Scenario[] = [idemRepeatsEmitNothing];
