// Checks what a sequence ends with: whatever was given is used, whoever was made is named again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../fixtures/random.ts';
import { EVERY_CAPABILITY } from '../../engine/capabilities.ts';
import type { CallOutcome } from '../play/outcome.ts';
import { type CallStep, refersTo, type Step } from '../sequence.ts';
import { tokenCall } from './access.ts';
import { createCall } from './accounts.ts';
import { bulkCall } from './bulk.ts';
import type { Drawing, Members } from './idea.ts';
import { lastLooks } from './last-looks.ts';
import { Scene } from './scene.ts';
import { followed } from './webhooks.ts';

const looks = suite('last looks');

/** Leaves out nothing, and waits for nothing. */
class NoChance extends Random {
  override chance(): boolean {
    return false;
  }
}

function drawing(main = 'firm'): Drawing {
  let stems = 0;
  return {
    scene: new Scene(main),
    random: new NoChance(1),
    ...{ disposable: true, main, crowd: 8, most: 4_000 },
    offers: new Set(EVERY_CAPABILITY),
    stem: () => {
      stems += 1;
      return String(stems);
    },
  };
}

/** As if it had been played, and answered so. */
function done(d: Drawing, step: CallStep, status: number): CallStep {
  const answered = { kind: 'answer', n: step.n, status, json: { id: '1' } };
  d.scene.learn(step, [answered as unknown as CallOutcome]);
  return step;
}

const callsIn = (steps: readonly Step[], operation: string): readonly CallStep[] =>
  steps.flatMap((step) => (step.do === 'call' && step.operation === operation ? [step] : []));

const namesIn = ({ body }: CallStep) =>
  (body as { accounts: Members[] }).accounts.map(({ client_reference_id: name }) => name);

looks('all who were made, or were a conflict, are named in one batch', () => {
  const d = drawing();
  const made = [201, 409, 422].map((status) => done(d, createCall(d, 'firm'), status));
  const rows = bulkCall(d, 'firm', [createCall(d, 'firm').body!]);
  done(d, rows, 200);
  const foreign = done(d, createCall(d, 'other_firm'), 201);
  const [roll, ...others] = callsIn(lastLooks(d, true), 'bulkCreateAccounts');
  assert.is(others.length, 0);
  const nameOf = ({ body }: CallStep) => (body as Members).client_reference_id;
  const [created, refused, bad] = made.map(nameOf);
  assert.equal(namesIn(roll!), [created, refused, ...namesIn(rows)]);
  assert.not.ok([bad, nameOf(foreign)].some((each) => namesIn(roll!).includes(each!)));
});

looks('a brand names its own, and one alone is no crowd', () => {
  const d = drawing('brand');
  const [one, other] = [createCall(d, 'brand'), createCall(d, 'firm')];
  for (const each of [one, other]) done(d, each, 201);
  assert.equal(callsIn(lastLooks(d, true), 'bulkCreateAccounts'), []);
  const next = done(d, createCall(d, 'brand'), 201);
  const [roll] = callsIn(lastLooks(d, true), 'bulkCreateAccounts');
  assert.is(namesIn(roll!).length, 2);
  assert.is(roll!.as, next.as);
});

looks('tokens that were given are used, the last of them among them', () => {
  const d = drawing();
  const tokens = Array.from({ length: 5 }, () => done(d, tokenCall(d), 200));
  const used = callsIn(lastLooks(d, true), 'createAccount').flatMap(refersTo);
  assert.is(used.length, 3);
  assert.ok(used.includes(tokens.at(-1)!.n));
});

looks('subscriptions are listed, unless that was just done', () => {
  const d = drawing();
  const { steps } = followed(d, [200]);
  done(d, steps[1] as CallStep, 201);
  const [listed] = callsIn(lastLooks(d, true), 'listWebhooks');
  assert.ok(listed);
  done(d, listed, 200);
  assert.equal(callsIn(lastLooks(d, true), 'listWebhooks'), []);
});

looks.run();
