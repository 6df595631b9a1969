// HOOK: subscriptions as resources: created with a secret that is shown once, rotated, disabled.

import { filledText, integer, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RecordId } from '../../engine/send/client.ts';
import { idText, type Json, printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  disabled,
  disableSubscription,
  isDisabled,
  isRefused,
  readSubscription,
  rowOf,
  SUCCESS_STATUSES,
  shapeOf,
  subscriptionsIn,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { observeMixed, observeRefused } from './open-refusals.ts';

const hookCreated: Scenario = {
  id: 'hook-created',
  title: 'Creating a subscription takes no key and answers it with its secret, in the listed form',
  rules: ['HOOK-1', 'HOOK-2'],
  observes: ['NS-7', 'NS-52'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const create = (names: string[]) => t.api.createWebhook({ url, event_categories: names });
    // HOOK-9 judges which names are served: where one of these is not, another does as well here.
    let event_categories = ['order', 'position'];
    let made = await create(event_categories);
    for (const name of isRefused(made) ? CATEGORIES : []) {
      event_categories = [name];
      made = await create(event_categories);
      if (!isRefused(made)) break;
    }
    t.must('HOOK-1', made).status(201, 200).field('secret', filledText);
    t.observe('NS-7', `create answers ${made.status}`, { webhook_create_status: made.status });
    observeBrand(t, made.at('brand_id'));
    const given = { url, event_categories: sameNames(event_categories), disabled: false };
    const first = { disabled_reason: null, last_delivered_seq: 0 };
    t.expect('HOOK-2', made).fields({ ...FORM, ...given, ...first });

    const id = made.idAt('id');
    if (id !== undefined) {
      const again = await readSubscription(t, id);
      // Between the two an order may have been opened elsewhere, and delivered here.
      const kept = { id, created_at: made.at('created_at') ?? null };
      if (again.status === 200) t.expect('HOOK-2', again).fields({ ...FORM, ...given, ...kept });
      await expectNoKeyWanted(t, id);
    }
    await t.branch('HOOK-1', 'two creates that carry the same key', () =>
      createUnderOneKey(t, url, event_categories),
    );
  },
};

async function expectNoKeyWanted(t: ScenarioContext, id: RecordId): Promise<void> {
  for (const answer of [
    await t.api.listWebhooks(),
    await t.api.getWebhook(id),
    await t.api.rotateWebhookSecret(id),
    await t.api.disableWebhook(id),
  ]) {
    const served = answer.code !== 'idempotency_key_required';
    t.expect('HOOK-1', answer).is('no Idempotency-Key asked for', served);
  }
}

/** These routes take no key, so one that comes all the same makes no create a repeat. */
async function createUnderOneKey(
  t: ScenarioContext,
  url: string,
  event_categories: string[],
): Promise<void> {
  const key = t.fresh.key();
  const body = { url: `${url}?first`, event_categories };
  const one = await t.api.createWebhook(body, { key });
  const other = await t.api.createWebhook({ ...body, url: `${url}?second` }, { key });
  t.expect('HOOK-1', other)
    .status(201, 200)
    .is(
      'another subscription than the one before',
      other.idAt('id') !== one.idAt('id'),
      undefined,
      one,
    );
  const id = one.idAt('id');
  if (id !== undefined) await rotateUnderOneKey(t, id, key);
  await disableSubscription(t, one);
  await disableSubscription(t, other);
}

/** HOOK-4 judges whether a rotation without a key brings a new secret. */
async function rotateUnderOneKey(t: ScenarioContext, id: RecordId, key: string): Promise<void> {
  const rotate = () => t.api.rotateWebhookSecret(id, { key });
  const first = await t.control('rotating the secret', rotate);
  const second = await rotate();
  const anew = second.status < 300 && second.at('secret') !== first.at('secret');
  const words = 'a secret of its own for the second rotation';
  t.expect('HOOK-1', second.presuming('HOOK-4')).is(words, anew, undefined, first);
}

const hookSecretOnce: Scenario = {
  id: 'hook-secret-once',
  title: 'The secret is in the answers of create and rotate and in no other',
  rules: ['HOOK-3'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const rotate = () => t.api.rotateWebhookSecret(hook.id);
    const rotated = await t.control('rotating the secret', rotate);
    const secrets = [hook.secret, t.pick(rotated, 'secret')];
    const other = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    for (const answer of [
      await readSubscription(t, hook.id),
      await t.api.listWebhooks(),
      await t.api.rotateWebhookSecret(UNKNOWN_ID),
      await t.api.disableWebhook(hook.id),
      await readSubscription(t, hook.id),
    ]) {
      const shown = secrets.some((each) => answer.text.includes(each));
      const named = namesSecret(answer.json);
      t.expect('HOOK-3', answer).is('no secret', !shown && !named);
    }
    // It shows its own secret, and rightly so.
    const foreign = secrets.some(
      (each) => each !== other.secret && other.answer.text.includes(each),
    );
    t.expect('HOOK-3', other.answer).is('no secret of another subscription', !foreign);
  },
};

const hookRotated: Scenario = {
  id: 'hook-rotated',
  title: 'Each rotation answers a secret that was not there before',
  rules: ['HOOK-4'],
  // Where it is made for another brand than it should be, it may be out of reach afterwards.
  presumes: { 'HOOK-4': ['HOOK-10'] },
  observes: ['NS-7'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const first = await t.api.rotateWebhookSecret(hook.id);
    t.expect('HOOK-4', first)
      .status(200, 201)
      .field('secret', filledText)
      .is('another secret than at creation', first.at('secret') !== hook.secret);
    t.observe('NS-7', `rotate answers ${first.status}`, { rotate_secret_status: first.status });
    const second = await t.api.rotateWebhookSecret(hook.id);
    const old: unknown[] = [hook.secret, first.at('secret')];
    t.expect('HOOK-4', second)
      .status(200, 201)
      .field('secret', filledText)
      .is('a secret it never had', !old.includes(second.at('secret')), undefined, first);
  },
};

const hookDisabled: Scenario = {
  id: 'hook-disabled',
  title: 'Disabling makes a subscription read disabled, it alone',
  rules: ['HOOK-5'],
  presumes: { 'HOOK-5': ['HOOK-10'] },
  observes: ['NS-7'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const beside = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const event_categories = [...UNTRIGGERED_CATEGORIES];
    // Whether there may be two of one url is nowhere said; where there may, each is by itself.
    const twin = await t.api.createWebhook({ url: hook.url, event_categories });
    const done = await t.api.disableWebhook(hook.id);
    t.must('HOOK-5', done).status(...SUCCESS_STATUSES);
    const empty = done.body.length === 0;
    t.observe('NS-7', `disable answers ${done.status}${empty ? ' without a body' : ''}`, {
      webhook_disable_answer: empty ? 'empty' : 'subscription',
    });
    if (done.at('disabled') !== undefined) t.expect('HOOK-5', done).field('disabled', disabled);
    t.expect('HOOK-5', await readSubscription(t, hook.id)).fields({
      disabled,
      disabled_reason: textOrNull,
    });
    const list = await t.api.listWebhooks();
    t.observe('NS-7', `the list is an ${shapeOf(list)}`, { webhook_list_shape: shapeOf(list) });
    const row = rowOf(subscriptionsIn(list).rows, hook.id);
    if (row !== undefined) {
      t.expect('HOOK-5', list).is('listed as disabled', isDisabled(row), printJson(row));
    }
    const other = await readSubscription(t, beside.id);
    t.expect('HOOK-5', other).is('the other one not disabled', !isDisabled(other));
    if (twin.status >= 300) return;
    const alike = await readSubscription(t, t.pick(twin, 'id'));
    t.expect('HOOK-5', alike).is(
      'nor the other one of its url',
      !isDisabled(alike),
      undefined,
      twin,
    );
    await disableSubscription(t, twin);
  },
};

const hookCategories: Scenario = {
  id: 'hook-categories',
  title: 'event_categories lists one or more of four names; none of them is refused',
  rules: ['HOOK-9'],
  observes: ['NS-23', 'NS-45', 'NS-53'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const create = (event_categories: string[]) => t.api.createWebhook({ url, event_categories });
    const lists = [...CATEGORIES.map((each) => [each]), [...CATEGORIES]];
    const answers: Answer[] = [];
    for (const names of lists) answers.push(await create(names));
    // Were all of them refused, it would not be for their categories.
    const named = lists[answers.findIndex((each) => !isRefused(each))] ?? [...CATEGORIES];
    const control = () => create(named);
    await disableSubscription(t, await t.control(`a subscription to ${named}`, control));
    for (const [nth, names] of lists.entries()) {
      const made = answers[nth]!;
      const shown = made.at('event_categories');
      t.expect('HOOK-9', made)
        .status(201, 200)
        // HOOK-2 has it an array.
        .is(`with ${names.join(', ')}`, !Array.isArray(shown) || sameNames(names).test(shown));
      await disableSubscription(t, made);
    }
    for (const names of [[], ['deal'], ['deal', 'quote'], ['orders'], ['']]) {
      const refused = await create(names);
      const words = `refused: ${JSON.stringify(names)}`;
      t.expect('HOOK-9', refused).is(words, isRefused(refused));
      await observeRefused(t, refused);
    }
    await observeMixed(t, create);
  },
};

/** Those first of which there are the fewest events. */
const CATEGORIES = ['order', 'position', 'account', 'transaction'] as const;

/** HOOK-2: what every subscription has, whatever became of it. */
const FORM = {
  id: {
    words: 'a JSON number',
    test: (value: unknown) =>
      typeof value === 'bigint' ? value > 0n : Number.isSafeInteger(value) && Number(value) > 0,
  },
  brand_id: {
    words: 'null or a brand id',
    test: (value: unknown) => value === null || /^[0-9]+$/.test(idText(value) ?? ''),
  },
  last_delivered_seq: integer,
  created_at: integer,
  disabled_reason: textOrNull,
};

function sameNames(names: readonly string[]) {
  const wanted = [...names].sort().join();
  return {
    words: `the categories ${names.join(', ')}`,
    test: (value: unknown) => Array.isArray(value) && [...value].sort().join() === wanted,
  };
}

function observeBrand(t: ScenarioContext, brand: Json | undefined): void {
  if (typeof brand !== 'string' && typeof brand !== 'number') return;
  t.observe('NS-52', `brand_id is a ${typeof brand}`, { subscription_brand_id: typeof brand });
}

function namesSecret(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, inner]) => name === 'secret' || namesSecret(inner));
}

export const webhookScenarios: readonly Scenario[] = [
  hookCreated,
  hookSecretOnce,
  hookRotated,
  hookDisabled,
  hookCategories,
];
