// HOOK-1 to HOOK-5: a subscription is created with a secret that is shown once, rotated, disabled.

import { filledText, integer, textOrNull } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { idText, printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import { CATEGORIES_QUIET_FIRST } from '../../spec/event-categories.ts';
import {
  categories,
  disabled,
  disableSubscription,
  isDisabled,
  isRefused,
  observeBrandForm,
  readSubscription,
  rowOf,
  SUCCESS_STATUSES,
  shapeOf,
  subscriptionsIn,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

/** HOOK-2: the members of every subscription. */
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
    // HOOK-9 judges which names are accepted. If one of these is refused, another one will do here.
    let event_categories = ['order', 'position'];
    let made = await create(event_categories);
    for (const name of CATEGORIES_QUIET_FIRST) {
      if (!isRefused(made)) break;
      event_categories = [name];
      made = await create(event_categories);
    }
    t.must('HOOK-1', made).status(201, 200).field('secret', filledText);
    t.observe('NS-7', `create answers ${made.status}`, { webhook_create_status: made.status });
    observeBrandForm(t, made.at('brand_id'));
    const given = { url, event_categories: categories(event_categories), disabled: false };
    const first = { disabled_reason: null, last_delivered_seq: 0 };
    t.expect('HOOK-2', made).fields({ ...FORM, ...given, ...first });

    const id = made.idAt('id');
    if (id !== undefined) {
      const again = await readSubscription(t, id);
      // An order may have been opened elsewhere and delivered here in between.
      const kept = { id, created_at: made.at('created_at') ?? null };
      if (again.status === 200) t.expect('HOOK-2', again).fields({ ...FORM, ...given, ...kept });
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
    await t.branch('HOOK-1', 'two creates that carry the same key', () =>
      expectNoReplay(t, url, event_categories),
    );
  },
};

/** HOOK-1: a key that is sent nevertheless does not turn the next request into a replay. */
async function expectNoReplay(
  t: ScenarioContext,
  url: string,
  event_categories: string[],
): Promise<void> {
  const key = t.fresh.key();
  const body = { url: `${url}?first`, event_categories };
  const one = await t.api.createWebhook(body, { key });
  const other = await t.api.createWebhook({ ...body, url: `${url}?second` }, { key });
  const isAnother = other.idAt('id') !== one.idAt('id');
  t.expect('HOOK-1', other)
    .status(201, 200)
    .is('another subscription than the one before', isAnother, undefined, one);
  const id = one.idAt('id');
  if (id !== undefined) {
    const rotate = () => t.api.rotateWebhookSecret(id, { key });
    const first = await t.control('rotating the secret', rotate);
    const second = await rotate();
    const isNew = second.status < 300 && second.at('secret') !== first.at('secret');
    const words = 'a secret of its own for the second rotation';
    t.expect('HOOK-1', second).is(words, isNew, undefined, first);
  }
  await disableSubscription(t, one);
  await disableSubscription(t, other);
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
      const shown = secrets.some((each) => answer.text.includes(each)) || namesSecret(answer.json);
      t.expect('HOOK-3', answer).is('no secret', !shown);
    }
    // The answer of its own create shows its own secret.
    const foreign = secrets.filter((each) => each !== other.secret);
    const leaks = foreign.some((each) => other.answer.text.includes(each));
    t.expect('HOOK-3', other.answer).is('no secret of another subscription', !leaks);
  },
};

function namesSecret(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, inner]) => name === 'secret' || namesSecret(inner));
}

const hookRotated: Scenario = {
  id: 'hook-rotated',
  title: 'Each rotation answers a secret that was not there before',
  rules: ['HOOK-4'],
  observes: ['NS-7'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const old: unknown[] = [hook.secret];
    for (const words of ['another secret than at creation', 'a secret it never had']) {
      const rotated = await t.api.rotateWebhookSecret(hook.id);
      const secret = rotated.at('secret');
      t.expect('HOOK-4', rotated)
        .status(200, 201)
        .field('secret', filledText)
        .is(words, !old.includes(secret));
      t.observe('NS-7', `rotate answers ${rotated.status}`, {
        rotate_secret_status: rotated.status,
      });
      old.push(secret);
    }
  },
};

const hookDisabled: Scenario = {
  id: 'hook-disabled',
  title: 'Disabling makes a subscription read disabled, it alone',
  rules: ['HOOK-5'],
  observes: ['NS-7'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const beside = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    // A second subscription to one URL may be refused; if it is not, it is independent.
    const event_categories = [...UNTRIGGERED_CATEGORIES];
    const twin = await t.api.createWebhook({ url: hook.url, event_categories });
    const done = await t.api.disableWebhook(hook.id);
    t.must('HOOK-5', done).status(...SUCCESS_STATUSES);
    const empty = done.body.length === 0;
    t.observe('NS-7', `disable answers ${done.status}${empty ? ' without a body' : ''}`, {
      webhook_disable_answer: empty ? 'empty' : 'subscription',
    });
    if (done.at('disabled') !== undefined) t.expect('HOOK-5', done).field('disabled', disabled);
    const read = await readSubscription(t, hook.id);
    t.expect('HOOK-5', read).fields({ disabled, disabled_reason: textOrNull });
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
    t.expect('HOOK-5', alike).is('nor the other one of its url', !isDisabled(alike));
    await disableSubscription(t, twin);
  },
};

export const webhookScenarios: readonly Scenario[] = [
  hookCreated,
  hookSecretOnce,
  hookRotated,
  hookDisabled,
];
