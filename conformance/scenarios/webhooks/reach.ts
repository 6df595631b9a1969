// HOOK: who may manage subscriptions, whose they are, and who sees them.

import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenWebhook } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, RecordId } from '../../engine/send/client.ts';
import { idText, printJson } from '../../engine/send/json.ts';
import type { Scenario } from '../../engine/types.ts';
import { expectHidden } from '../support/hidden.ts';
import {
  disableSubscription,
  expectBound,
  isDisabled,
  readSubscription,
  rowOf,
  SUCCESS_STATUSES,
  subscriptionsIn,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const hookScope: Scenario = {
  id: 'hook-scope',
  title: 'Without webhooks:manage each of the five routes is 403 and does nothing',
  rules: ['HOOK-6'],
  needs: ['public_url', 'no_scopes'],
  lane: 'own_world',
  async run(t) {
    const hook = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const outsider = t.as('no_scopes');
    await t.control('the list with the scope', () => t.api.listWebhooks(), 200);
    await t.control('reading it with the scope', () => t.api.getWebhook(hook.id), 200);
    const body = { url: `${hook.url}?unscoped`, event_categories: [...UNTRIGGERED_CATEGORIES] };
    const made = await outsider.createWebhook(body);
    t.expect('HOOK-6', made).refused(403, 'forbidden');
    for (const send of [
      () => outsider.listWebhooks(),
      () => outsider.getWebhook(hook.id),
      () => outsider.rotateWebhookSecret(hook.id),
      () => outsider.disableWebhook(hook.id),
    ]) {
      t.expect('HOOK-6', await send()).refused(403, 'forbidden');
    }
    if (t.has('mint')) await expectOthersRefused(t, hook);
    const after = await readSubscription(t, hook.id);
    t.expect('HOOK-6', after).is(
      'not disabled by what was refused',
      after.status === 200 && !isDisabled(after),
    );
    await disableSubscription(t, made);
  },
};

const ALL_BUT_WEBHOOKS = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
];

/** Much else does not make up for the one scope. */
async function expectOthersRefused(t: ScenarioContext, { id, url }: GivenWebhook): Promise<void> {
  const holder = t.as(await t.operator.mint({ scopes: ALL_BUT_WEBHOOKS }));
  const made = await holder.createWebhook({ url, event_categories: [...UNTRIGGERED_CATEGORIES] });
  t.expect('HOOK-6', made).refused(403, 'forbidden');
  t.expect('HOOK-6', await holder.listWebhooks()).refused(403, 'forbidden');
  t.expect('HOOK-6', await holder.getWebhook(id)).refused(403, 'forbidden');
  for (const send of managing(holder)) t.expect('HOOK-6', await send(id)).refused(403, 'forbidden');
  await disableSubscription(t, made);
}

const hookBrand: Scenario = {
  id: 'hook-brand',
  title: 'A brand-bound credential subscribes for its brand, a firm-wide one for the firm',
  rules: ['HOOK-10'],
  observes: ['NS-52'],
  needs: ['public_url', 'firm', 'brand'],
  lane: 'own_world',
  async run(t) {
    const wide = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'firm');
    t.expect('HOOK-10', wide.answer).field('brand_id', null);
    t.expect('HOOK-10', await readSubscription(t, wide.id, 'firm')).field('brand_id', null);

    const bound = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'brand');
    const brand = bound.answer.at('brand_id');
    expectBrand(t, bound.answer, 'brand');
    expectBrand(t, await readSubscription(t, bound.id, 'brand'), 'brand');
    if (typeof brand === 'string' || typeof brand === 'number') {
      t.observe('NS-52', `brand_id is a ${typeof brand}`, { subscription_brand_id: typeof brand });
    }
    // NS-27: whether a body may say more than it should is open; whose the subscription is, is not.
    const other = t.brandId('other_brand') ?? '999999999';
    const body = { url: bound.url, event_categories: [...UNTRIGGERED_CATEGORIES], brand_id: other };
    const named = await t.as('brand').createWebhook(body);
    if (named.status < 300) expectBrand(t, named, 'brand');
    await disableSubscription(t, named, 'brand');
  },
};

/** NS-52: as a string or as a number. */
function expectBrand(t: ScenarioContext, answer: Answer, role: Role): void {
  const own = t.brandId(role);
  t.expect('HOOK-10', answer).field('brand_id', {
    words: own === undefined ? 'the brand of the credential' : `the brand ${own}`,
    test: (value) =>
      value !== null &&
      (own === undefined ? /^[0-9]+$/.test(idText(value) ?? '') : idText(value) === own),
  });
}

const hookSeen: Scenario = {
  id: 'hook-seen',
  title: 'List and read show the subscriptions that a credential can see, and no others',
  rules: ['HOOK-11'],
  // How what is out of reach is refused, and whose a subscription is, is judged apart.
  presumes: { 'HOOK-11': ['AUTH-6', 'ERR-3', 'HOOK-10', 'HOOK-12'] },
  observes: ['NS-38'],
  needs: ['public_url', 'firm', 'brand', 'other_brand'],
  lane: 'own_world',
  async run(t) {
    const wide = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'firm');
    const own = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'brand');
    const other = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'other_brand');

    expectBound(wide.answer, false);
    expectBound(own.answer, true);
    expectBound(other.answer, true);
    await expectSeen(t, 'firm', wide.id);
    await expectSeen(t, 'brand', own.id);
    await expectSeen(t, 'other_brand', other.id);
    await expectUnseen(t, 'brand', other.id);
    await expectUnseen(t, 'other_brand', own.id);
    // AUTH-6: a subscription to the whole firm is no record of the brand's.
    await expectUnseen(t, 'brand', wide.id);

    const seen = await observeSeen(t, own.id);
    const list = await t.as('firm').listWebhooks();
    const { rows, whole } = subscriptionsIn(list);
    const listed = rowOf(rows, own.id) !== undefined;
    if (listed || whole) {
      const alike = `the brand's subscription ${seen ? 'listed' : 'not listed'}, as it reads`;
      t.expect('HOOK-11', list).is(alike, listed === seen, listed ? 'listed' : 'not listed');
    }
    await expectNotManaged(t, other.id);
    // One that is disabled has not gone away.
    const disable = () => t.as('brand').disableWebhook(own.id);
    await t.control('disabling it', disable, ...SUCCESS_STATUSES);
    await expectSeen(t, 'brand', own.id);
  },
};

/** NS-38: whether a firm-wide credential sees what is a brand's. */
async function observeSeen(t: ScenarioContext, id: string): Promise<boolean> {
  const seen = (await readSubscription(t, id, 'firm')).status === 200;
  const words = seen ? 'all of its firm' : 'only the firm-wide ones';
  t.observe('NS-38', `a firm-wide credential sees ${words}`, {
    firm_wide_sees_webhooks: seen ? 'all' : 'own',
  });
  return seen;
}

async function expectSeen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  t.expect('HOOK-11', await readSubscription(t, id, role))
    .status(200)
    .field('id', id);
  const list = await t.as(role).listWebhooks();
  t.must('HOOK-11', list).status(200);
  const { rows, whole } = subscriptionsIn(list);
  const found = rowOf(rows, id) !== undefined;
  // NS-7: a list in pages, which nothing says how to turn, may show it on another one.
  if (found || whole) {
    t.expect('HOOK-11', list).is(`the subscription ${id} of ${role} listed`, found, idsOf(rows));
  }
}

async function expectUnseen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  const client = t.as(role);
  expectHidden(t, 'HOOK-11', await client.getWebhook(id), await client.getWebhook(UNKNOWN_ID));
  const list = await client.listWebhooks();
  const { rows } = subscriptionsIn(list);
  const words = `no subscription ${id}, which ${role} cannot see`;
  t.expect('HOOK-11', list).is(words, rowOf(rows, id) === undefined, idsOf(rows));
}

/** What cannot be seen cannot be managed either. */
async function expectNotManaged(t: ScenarioContext, id: string): Promise<void> {
  for (const send of managing(t.as('brand'))) {
    expectHidden(t, 'HOOK-11', await send(id), await send(UNKNOWN_ID));
  }
  const after = await readSubscription(t, id, 'other_brand');
  t.expect('HOOK-11', after).is('not disabled by it', after.status === 200 && !isDisabled(after));
}

/** More than a page usually holds, so that one which is cut off in silence shows. */
const MANY = 25;

const hookManyListed: Scenario = {
  id: 'hook-many-listed',
  title: 'The list shows each of many subscriptions, unless it says that there are more pages',
  rules: ['HOOK-11'],
  presumes: { 'HOOK-11': ['HOOK-10'] },
  // Depth: where nothing can be thrown away, so many subscriptions are a burden.
  needs: ['mint'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const ids: string[] = [];
    while (ids.length < MANY) {
      const body = { url: `${url}?n=${ids.length}`, event_categories: [...UNTRIGGERED_CATEGORIES] };
      const made = await t.api.createWebhook(body);
      // How many there may be is nowhere said.
      if (made.status >= 300) break;
      ids.push(t.pick(made, 'id'));
    }
    const list = await t.control('the list', () => t.api.listWebhooks(), 200);
    const { rows, whole } = subscriptionsIn(list);
    // NS-7: how a list in pages is turned is nowhere said.
    if (!whole) return t.notTested('HOOK-11', 'the list says that there is more of it');
    const missing = ids.filter((id) => rowOf(rows, id) === undefined);
    const seen = `not listed: ${missing.join(', ')}`;
    t.expect('HOOK-11', list).is(`all ${ids.length} subscriptions`, missing.length === 0, seen);
  },
};

function idsOf(rows: readonly { readonly id?: unknown }[]): string {
  return `the ids ${rows.map((each) => idText(each.id)).join(', ')}`;
}

const hookOfAnotherFirm: Scenario = {
  id: 'hook-of-another-firm',
  title: 'The id of another firm’s subscription answers 404 exactly as an unknown one does',
  rules: ['HOOK-11', 'HOOK-12'],
  presumes: { 'HOOK-11': ['HOOK-12'] },
  needs: ['public_url', 'other_firm'],
  lane: 'own_world',
  async run(t) {
    const own = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const foreign = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'other_firm');
    await t.control('a subscription of its own', () => t.api.getWebhook(own.id), 200);
    for (const send of [(id: RecordId) => t.api.getWebhook(id), ...managing(t.api)]) {
      const unknown = await send(UNKNOWN_ID);
      // No rule but this one says what an unknown id is answered here; where none gets a 404 from
      // any operation, it is the error table's.
      const judged = unknown.presuming('UPD-5', 'ERR-3');
      if (unknown.status !== 404) t.expect('HOOK-12', judged).refused(404, 'not_found');
      else expectHidden(t, 'HOOK-12', await send(foreign.id), unknown);
    }
    const { rows } = subscriptionsIn(await t.control('the list', () => t.api.listWebhooks(), 200));
    const listed = rowOf(rows, foreign.id);
    const words = 'not among the subscriptions of this firm';
    t.claim('HOOK-11', words, listed === undefined, printJson(listed));
    const after = await readSubscription(t, foreign.id, 'other_firm');
    t.expect('HOOK-12', after).is('not disabled by it', after.status === 200 && !isDisabled(after));
  },
};

function managing(client: ApiClient): ((id: RecordId) => Promise<Answer>)[] {
  return [(id) => client.rotateWebhookSecret(id), (id) => client.disableWebhook(id)];
}

export const webhookReachScenarios: readonly Scenario[] = [
  hookScope,
  hookBrand,
  hookSeen,
  hookManyListed,
  hookOfAnotherFirm,
];
