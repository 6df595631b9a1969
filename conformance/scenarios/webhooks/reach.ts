// HOOK-6, HOOK-10, HOOK-11, HOOK-12: who may manage subscriptions, and who sees them.
import { sendCall } from '../../cases/calls.ts';
import { refusals } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { idText, printJson } from '../../engine/send/json.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { NOT_FOUND } from '../../spec/errors.ts';
import { expectHidden } from '../support/hidden.ts';
import {
  disableSubscription,
  isDisabled,
  observeBrandForm,
  readSubscription,
  rowOf,
  SUCCESS_STATUSES,
  subscriptionsIn,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const MANAGE = ['rotateWebhookSecret', 'disableWebhook'] as const;
const BY_ID = ['getWebhook', ...MANAGE] as const;

const event_categories = [...UNTRIGGERED_CATEGORIES];

const hookScope = refusals({
  id: 'hook-scope',
  title: 'Without webhooks:manage each of the five routes is 403 and does nothing',
  needs: ['public_url', 'no_scopes'],
  lane: 'own_world',
  rows: scopeRows('HOOK-6', 'createWebhook', 'listWebhooks', ...BY_ID),
  async also(t) {
    const { id } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    await t.as('no_scopes').disableWebhook(id);
    await expectEnabled(t, 'HOOK-6', id, 'not disabled by what was refused');
  },
});

async function expectEnabled(
  t: ScenarioContext,
  rule: RuleId,
  id: string,
  words: string,
  role?: Role,
): Promise<void> {
  const after = await readSubscription(t, id, role);
  t.expect(rule, after).is(words, after.status === 200 && !isDisabled(after));
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
    for (const answer of [wide.answer, await readSubscription(t, wide.id, 'firm')]) {
      t.expect('HOOK-10', answer).field('brand_id', null);
    }
    const bound = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'brand');
    observeBrandForm(t, bound.answer.at('brand_id'));
    // NS-27: extra members of the body may be refused, but they never choose the brand.
    const other = t.brandId('other_brand') ?? '999999999';
    const body = { url: bound.url, event_categories, brand_id: other };
    const named = await t.as('brand').createWebhook(body);
    const read = await readSubscription(t, bound.id, 'brand');
    // NS-52: as a string or as a number.
    const own = t.brandId('brand');
    const isOwn = (value: unknown) =>
      own === undefined ? /^[0-9]+$/.test(idText(value) ?? '') : idText(value) === own;
    const words = `the brand ${own ?? 'of the credential'}`;
    for (const answer of [bound.answer, read, ...(named.status < 300 ? [named] : [])]) {
      t.expect('HOOK-10', answer).field('brand_id', { words, test: isOwn });
    }
    await disableSubscription(t, named, 'brand');
  },
};

const OWNERS = ['firm', 'brand', 'other_brand'] as const;
type Owner = (typeof OWNERS)[number];

/** HOOK-11: who sees whose subscription. */
const SEEN: readonly (readonly [Owner, owner: Owner, isSeen: boolean])[] = [
  ['firm', 'firm', true],
  ['brand', 'brand', true],
  ['other_brand', 'other_brand', true],
  ['brand', 'other_brand', false],
  ['other_brand', 'brand', false],
  // AUTH-6: a firm-wide subscription is not a record of the brand.
  ['brand', 'firm', false],
];

const hookSeen: Scenario = {
  id: 'hook-seen',
  title: 'List and read show the subscriptions that a credential can see, and no others',
  rules: ['HOOK-11'],
  observes: ['NS-38'],
  needs: ['public_url', 'firm', 'brand', 'other_brand'],
  lane: 'own_world',
  async run(t) {
    const idOf = { firm: '', brand: '', other_brand: '' };
    for (const owner of OWNERS) {
      idOf[owner] = (await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, owner)).id;
    }
    for (const [role, owner, isSeen] of SEEN) {
      await (isSeen ? expectSeen(t, role, idOf[owner]) : expectUnseen(t, role, idOf[owner]));
    }
    await expectListedAsRead(t, idOf.brand);
    // A subscription that cannot be seen cannot be managed either.
    for (const operation of MANAGE) await expectHiddenTo(t, 'brand', operation, idOf.other_brand);
    await expectEnabled(t, 'HOOK-11', idOf.other_brand, 'not disabled by it', 'other_brand');
    // A disabled subscription is still listed and readable.
    const disable = () => t.as('brand').disableWebhook(idOf.brand);
    await t.control('disabling it', disable, ...SUCCESS_STATUSES);
    await expectSeen(t, 'brand', idOf.brand);
  },
};

/** NS-38: whether a firm-wide credential sees a brand's subscription; list and read agree. */
async function expectListedAsRead(t: ScenarioContext, id: string): Promise<void> {
  const isRead = (await readSubscription(t, id, 'firm')).status === 200;
  const words = isRead ? 'all of its firm' : 'only the firm-wide ones';
  t.observe('NS-38', `a firm-wide credential sees ${words}`, {
    firm_wide_sees_webhooks: isRead ? 'all' : 'own',
  });
  const list = await t.as('firm').listWebhooks();
  const { rows, whole } = subscriptionsIn(list);
  const isListed = rowOf(rows, id) !== undefined;
  if (!isListed && !whole) return;
  const alike = `the brand's subscription ${isRead ? 'listed' : 'not listed'}, as it reads`;
  t.expect('HOOK-11', list).is(alike, isListed === isRead, isListed ? 'listed' : 'not listed');
}

async function expectSeen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  t.expect('HOOK-11', await readSubscription(t, id, role))
    .status(200)
    .field('id', id);
  const list = await t.as(role).listWebhooks();
  t.must('HOOK-11', list).status(200);
  const { rows, whole } = subscriptionsIn(list);
  const isListed = rowOf(rows, id) !== undefined;
  // NS-7: it may be on another page, and how to turn pages is not specified.
  if (!isListed && !whole) return;
  t.expect('HOOK-11', list).is(`the subscription ${id} of ${role} listed`, isListed, idsOf(rows));
}

async function expectUnseen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  await expectHiddenTo(t, role, 'getWebhook', id);
  const list = await t.as(role).listWebhooks();
  const { rows } = subscriptionsIn(list);
  const words = `no subscription ${id}, which ${role} cannot see`;
  t.expect('HOOK-11', list).is(words, rowOf(rows, id) === undefined, idsOf(rows));
}

async function expectHiddenTo(
  t: ScenarioContext,
  who: Role,
  operation: (typeof BY_ID)[number],
  id: string,
): Promise<void> {
  const hidden = await sendCall(t, { operation, id }, { who });
  expectHidden(t, 'HOOK-11', hidden, await sendCall(t, { operation, id: UNKNOWN_ID }, { who }));
}

function idsOf(rows: readonly { readonly id?: unknown }[]): string {
  return `the ids ${rows.map((each) => idText(each.id)).join(', ')}`;
}

/** More than one page usually holds, to find a list that is cut off silently. */
const MANY = 25;

const hookManyListed: Scenario = {
  id: 'hook-many-listed',
  title: 'The list shows each of many subscriptions, unless it says that there are more pages',
  rules: ['HOOK-11'],
  // So many subscriptions are only made in a world that is thrown away.
  needs: ['mint'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const ids: string[] = [];
    while (ids.length < MANY) {
      const made = await t.api.createWebhook({ url: `${url}?n=${ids.length}`, event_categories });
      // The target may allow fewer.
      if (made.status >= 300) break;
      ids.push(t.pick(made, 'id'));
    }
    const list = await t.control('the list', () => t.api.listWebhooks(), 200);
    const { rows, whole } = subscriptionsIn(list);
    // NS-7: how to turn pages is not specified.
    if (!whole) return t.notTested('HOOK-11', 'the list says that there is more of it');
    const missing = ids.filter((id) => rowOf(rows, id) === undefined);
    const seen = `not listed: ${missing.join(', ')}`;
    t.expect('HOOK-11', list).is(`all ${ids.length} subscriptions`, missing.length === 0, seen);
  },
};

const hookOfAnotherFirm: Scenario = {
  id: 'hook-of-another-firm',
  title: 'The id of another firm’s subscription answers 404 exactly as an unknown one does',
  rules: ['HOOK-11', 'HOOK-12'],
  needs: ['public_url', 'other_firm'],
  lane: 'own_world',
  async run(t) {
    const own = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const foreign = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'other_firm');
    await t.control('a subscription of its own', () => t.api.getWebhook(own.id), 200);
    for (const operation of BY_ID) {
      const unknown: Answer = await sendCall(t, { operation, id: UNKNOWN_ID });
      if (unknown.status !== 404) t.expect('HOOK-12', unknown).refused(...NOT_FOUND);
      else expectHidden(t, 'HOOK-12', await sendCall(t, { operation, id: foreign.id }), unknown);
    }
    const { rows } = subscriptionsIn(await t.control('the list', () => t.api.listWebhooks(), 200));
    const listed = rowOf(rows, foreign.id);
    const words = 'not among the subscriptions of this firm';
    t.claim('HOOK-11', words, listed === undefined, printJson(listed));
    await expectEnabled(t, 'HOOK-12', foreign.id, 'not disabled by it', 'other_firm');
  },
};

export const webhookReachScenarios: readonly Scenario[] = [
  hookScope,
  hookBrand,
  hookSeen,
  hookManyListed,
  hookOfAnotherFirm,
];
