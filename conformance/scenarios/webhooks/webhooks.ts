// HOOK: a subscription is created with a secret that is shown once, rotated and disabled; who may
// manage and see it; and which URLs and categories are refused.
import {
  anyRefusal,
  body,
  type Expected,
  type Fault,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import type { Role } from '../../engine/capabilities.ts';
import { epochMs, filledText, integer, textOrNull } from '../../engine/judge/matchers.ts';
import { hasSecret } from '../../engine/record/answer-monitor.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { idText, printJson } from '../../engine/send/json.ts';
import type { Story } from '../../engine/types.ts';
import { NOT_FOUND } from '../../spec/errors.ts';
import { CATEGORIES_QUIET_FIRST, UNKNOWN_ID } from '../../spec/literals.ts';
import {
  ALTERNATIVE_SPELLINGS,
  HARDLY_PUBLIC,
  METADATA_NAMES,
  MIXED,
  NOT_PUBLIC,
  PUBLIC,
  PUBLIC_NEIGHBOURS,
} from '../support/addresses.ts';
import { expectHidden } from '../support/hidden.ts';
import { inTurn } from '../support/in-turn.ts';
import {
  categories,
  disabled,
  disableSubscription,
  expectEnabled,
  isDisabled,
  observeBrandForm,
  readSubscription,
  rowOf,
  SUCCESS_STATUSES,
  shapeOf,
  subscriptionsIn,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';

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

export const hookCreated: Story = {
  title: 'Creating a subscription takes no key and answers it with its secret, in the listed form',
  rules: ['HOOK-1', 'HOOK-2', 'CONV-4'],
  observes: ['NS-7', 'NS-52'],
  needs: ['public_url'],
  async run(t) {
    const url = await t.given.subscribable();
    const create = (names: string[]) =>
      t.call('createWebhook', { body: { url, event_categories: names } });
    // HOOK-9 judges which names are accepted. If one of these is refused, another is used here.
    let event_categories = ['order', 'position'];
    let created = await create(event_categories);
    for (const name of CATEGORIES_QUIET_FIRST) {
      if (!created.isRefused) break;
      event_categories = [name];
      created = await create(event_categories);
    }
    t.must('HOOK-1', created).status(201, 200).field('secret', filledText);
    const { status } = created;
    t.observe('NS-7', `create answers ${status}`, { webhook_create_status: status });
    observeBrandForm(t, created.at('brand_id'));
    const given = { url, event_categories: categories(event_categories), disabled: false };
    const first = { disabled_reason: null, last_delivered_seq: 0 };
    t.expect('HOOK-2', created).fields({ ...FORM, ...given, ...first });
    t.expect('CONV-4', created).field('created_at', epochMs);

    const id = created.idAt('id');
    if (id === undefined) return;
    const again = await readSubscription(t, id);
    if (again.status === 200) {
      t.expect('HOOK-2', again).fields({ ...FORM, ...given });
      t.expect('CONV-4', again).field('created_at', epochMs);
    }
    await t.branch('HOOK-1', 'two rotations that carry the same key', async () => {
      const key = t.fresh.key();
      const one = await t.control('rotateWebhookSecret', { id, key });
      const other = await t.call('rotateWebhookSecret', { id, key });
      const isNew = other.isServed && other.at('secret') !== one.at('secret');
      const words = 'a secret of its own for the second rotation';
      t.expect('HOOK-1', other).is(words, isNew, undefined, one);
    });
  },
};

export const hookLife: Story = {
  title: 'A rotation answers a new secret, no other answer has one, and what is disabled reads so',
  rules: ['HOOK-3', 'HOOK-4', 'HOOK-5'],
  observes: ['NS-7'],
  needs: ['public_url'],
  async run(t) {
    const { id, url, secret: first } = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const secrets: unknown[] = [first];
    for (const words of ['another secret than at creation', 'a secret it never had']) {
      const rotated = await t.call('rotateWebhookSecret', { id });
      const secret = rotated.at('secret');
      const isNew = !secrets.includes(secret);
      t.expect('HOOK-4', rotated).status(200, 201).field('secret', filledText).is(words, isNew);
      const { status } = rotated;
      t.observe('NS-7', `rotate answers ${status}`, { rotate_secret_status: status });
      secrets.push(secret);
    }
    // A second subscription to one URL may be refused; if it is not, it is independent.
    const twin = await t.call('createWebhook', { body: { url, event_categories } });
    const before = await readSubscription(t, id);
    const done = await t.call('disableWebhook', { id });
    const read = await readSubscription(t, id);
    const list = await t.call('listWebhooks');
    for (const answer of [before, done, read, list]) {
      const known = secrets.filter((each) => filledText.test(each));
      const isShown = hasSecret(answer) || known.some((each) => answer.text.includes(`${each}`));
      t.expect('HOOK-3', answer).is('no secret', !isShown);
    }
    t.must('HOOK-5', done).status(...SUCCESS_STATUSES);
    const empty = done.body.length === 0;
    t.observe('NS-7', `disable answers ${done.status}${empty ? ' without a body' : ''}`, {
      webhook_disable_answer: empty ? 'empty' : 'subscription',
    });
    if (done.at('disabled') !== undefined) t.expect('HOOK-5', done).field('disabled', disabled);
    t.expect('HOOK-5', read).fields({ disabled, disabled_reason: textOrNull });
    t.observe('NS-7', `the list is an ${shapeOf(list)}`, { webhook_list_shape: shapeOf(list) });
    const row = rowOf(subscriptionsIn(list).rows, id);
    if (row !== undefined) {
      t.expect('HOOK-5', list).is('listed as disabled', isDisabled(row), printJson(row));
    }
    if (!twin.isServed) return;
    const second = await readSubscription(t, t.pick(twin, 'id'));
    t.expect('HOOK-5', second).is('nor the other one of its url', !isDisabled(second));
    await disableSubscription(t, twin);
  },
};

const MANAGE = ['rotateWebhookSecret', 'disableWebhook'] as const;
const BY_ID = ['getWebhook', ...MANAGE] as const;
type OfOne = (typeof BY_ID)[number];

const event_categories: string[] = [...UNTRIGGERED_CATEGORIES];

export const hookBrand: Story = {
  title: 'A brand-bound credential subscribes for its brand, a firm-wide one for the firm',
  rules: ['HOOK-10'],
  observes: ['NS-52'],
  needs: ['public_url', 'firm', 'brand'],
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
    const named = await t.call('createWebhook', { as: 'brand', body });
    const read = await readSubscription(t, bound.id, 'brand');
    // NS-52: as a string or as a number.
    const own = t.brandId('brand');
    const isOwn = (value: unknown) =>
      own === undefined ? /^[0-9]+$/.test(idText(value) ?? '') : idText(value) === own;
    const words = `the brand ${own ?? 'of the credential'}`;
    for (const answer of [bound.answer, read, ...(named.isServed ? [named] : [])]) {
      t.expect('HOOK-10', answer).field('brand_id', { words, test: isOwn });
    }
    await disableSubscription(t, named, 'brand');
  },
};

const OWNERS = ['firm', 'brand', 'other_brand'] as const;
type Owner = (typeof OWNERS)[number];

/** HOOK-11: which credential sees whose subscription. */
const SEEN: readonly (readonly [Owner, owner: Owner, isSeen: boolean])[] = [
  ['firm', 'firm', true],
  ['brand', 'brand', true],
  ['other_brand', 'other_brand', true],
  ['brand', 'other_brand', false],
  ['other_brand', 'brand', false],
  // AUTH-6: a firm-wide subscription is not a record of the brand.
  ['brand', 'firm', false],
];

export const hookSeen: Story = {
  title: 'List and read show the subscriptions that a credential can see, and no others',
  rules: ['HOOK-11'],
  observes: ['NS-38'],
  needs: ['public_url', 'firm', 'brand', 'other_brand'],
  async run(t) {
    const idOf = { firm: '', brand: '', other_brand: '' };
    for (const owner of OWNERS) {
      idOf[owner] = (await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, owner)).id;
    }
    for (const [role, owner, isSeen] of SEEN) {
      await (isSeen ? expectSeen(t, role, idOf[owner]) : expectUnseen(t, role, idOf[owner]));
    }
    // NS-38: whether a firm-wide credential sees a brand's subscription; list and read must agree.
    const isRead = (await readSubscription(t, idOf.brand, 'firm')).status === 200;
    const words = `a firm-wide credential sees ${isRead ? 'all' : 'none'} of its brands`;
    t.observe('NS-38', words, { firm_wide_sees_webhooks: isRead ? 'all' : 'own' });
    await expectListed(t, 'firm', idOf.brand, isRead);
    // A subscription that cannot be seen cannot be managed either.
    for (const operation of MANAGE) await expectHiddenTo(t, 'brand', operation, idOf.other_brand);
    await expectEnabled(t, 'HOOK-11', idOf.other_brand, 'not disabled by it', 'other_brand');
    // A disabled subscription is still listed and readable.
    await t.control('disableWebhook', { as: 'brand', id: idOf.brand }, ...SUCCESS_STATUSES);
    await expectSeen(t, 'brand', idOf.brand);
  },
};

/** NS-7: it may be on another page, and pagination is not specified. */
async function expectListed(t: ScenarioContext, role: Role, id: string, isSeen: boolean) {
  const list = await t.control('listWebhooks', { as: role });
  const { rows, whole } = subscriptionsIn(list);
  const isListed = rowOf(rows, id) !== undefined;
  if (isSeen && !isListed && !whole) return;
  const words = `the subscription ${id} ${isSeen ? 'listed' : 'not listed'} to ${role}`;
  const seen = `the ids ${rows.map((each) => idText(each.id)).join(', ')}`;
  t.expect('HOOK-11', list).is(words, isListed === isSeen, seen);
}

async function expectSeen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  t.expect('HOOK-11', await readSubscription(t, id, role))
    .status(200)
    .field('id', id);
  await expectListed(t, role, id, true);
}

async function expectUnseen(t: ScenarioContext, role: Role, id: string): Promise<void> {
  await expectHiddenTo(t, role, 'getWebhook', id);
  await expectListed(t, role, id, false);
}

async function expectHiddenTo(t: ScenarioContext, as: Role, operation: OfOne, id: string) {
  const hidden = await t.call(operation, { id, as });
  expectHidden(t, 'HOOK-11', hidden, await t.call(operation, { id: UNKNOWN_ID, as }));
}

/** More than a page usually has, to find a list that is truncated silently. */
const MANY = 25;

export const hookManyListed: Story = {
  title: 'The list shows each of many subscriptions, unless it says that there are more pages',
  rules: ['HOOK-11'],
  // So many subscriptions are only created in a disposable world.
  needs: ['mint'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const ids: string[] = [];
    while (ids.length < MANY) {
      const body = { url: `${url}?n=${ids.length}`, event_categories };
      const created = await t.call('createWebhook', { body });
      // The target may allow fewer.
      if (!created.isServed) break;
      ids.push(t.pick(created, 'id'));
    }
    const list = await t.control('listWebhooks', {});
    const { rows, whole } = subscriptionsIn(list);
    // NS-7: pagination is not specified.
    if (!whole) return t.notTested('HOOK-11', 'the list says that there is more of it');
    const missing = ids.filter((id) => rowOf(rows, id) === undefined);
    const seen = `not listed: ${missing.join(', ')}`;
    t.expect('HOOK-11', list).is(`all ${ids.length} subscriptions`, missing.length === 0, seen);
  },
};

export const hookOfAnotherFirm: Story = {
  title: 'The id of another firm’s subscription answers 404 exactly as an unknown one does',
  rules: ['HOOK-11', 'HOOK-12'],
  needs: ['public_url', 'other_firm'],
  async run(t) {
    const own = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES);
    const foreign = await t.given.webhook(undefined, UNTRIGGERED_CATEGORIES, 'other_firm');
    await t.control('getWebhook', { id: own.id });
    for (const operation of BY_ID) {
      const unknown: Answer = await t.call(operation, { id: UNKNOWN_ID });
      if (unknown.status !== 404) t.expect('HOOK-12', unknown).refused(...NOT_FOUND);
      else expectHidden(t, 'HOOK-12', await t.call(operation, { id: foreign.id }), unknown);
    }
    const { rows } = subscriptionsIn(await t.control('listWebhooks', {}));
    const listed = rowOf(rows, foreign.id);
    const words = 'not among the subscriptions of this firm';
    t.claim('HOOK-11', words, listed === undefined, printJson(listed));
    await expectEnabled(t, 'HOOK-12', foreign.id, 'not disabled by it', 'other_firm');
  },
};

async function tryToSubscribe(t: ScenarioContext, url: string, names = event_categories) {
  const answer = await t.call('createWebhook', { body: { url, event_categories: names } });
  await disableSubscription(t, answer);
  return answer;
}

const refusedTarget: Expected = (t, rules, answer) => {
  anyRefusal(t, rules, answer);
  if (!answer.isRefused) return;
  t.observe('NS-23', answer.summary, { webhook_refusal_status: answer.status });
};

/** A host name that is public under any scheme, if available; a forward only covers https. */
function url(change: (rest: string) => string): Fault {
  return async (t, valid) => {
    const host = `${t.fresh.reference()}.example.com`;
    if (t.has('dns')) await t.operator.resolve(host, [PUBLIC]);
    const own = t.has('dns') ? `https://${host}/hooks` : String(valid.body?.url);
    return body({ url: change(own.replace(/^https:/, '')) })(t, valid);
  };
}

const withPort = (rest: string) => `http:${rest.replace(/^\/\/[^/]+/, '$&:443')}`;

export const hookRefused = refusals({
  title: 'A url that does not begin with https:// is refused, and event_categories without a name',
  observes: ['NS-23', 'NS-45', 'NS-53'],
  needs: ['public_url'],
  rows: [
    ...['http:', 'HTTP:', 'ftp:', 'wss:', ''].map((scheme): RefusalRow => {
      const fault = url((rest) => scheme + rest);
      return ['HOOK-7', 'createWebhook', `the scheme "${scheme}"`, fault, refusedTarget];
    }),
    ['HOOK-7', 'createWebhook', 'http with the port of https', url(withPort), refusedTarget],
    ['HOOK-7', 'createWebhook', 'no scheme', url((rest) => rest.slice(2)), refusedTarget],
    ['HOOK-7', 'createWebhook', 'no url', body({ url: '' }), refusedTarget],
    ...[[], ['deal'], ['deal', 'quote'], ['orders'], ['']].map((names): RefusalRow => {
      const fault = body({ event_categories: names });
      return ['HOOK-9', 'createWebhook', `the categories [${names}]`, fault, refusedTarget];
    }),
  ],
  async also(t) {
    const target = await t.given.subscribable();
    const all = CATEGORIES_QUIET_FIRST;
    for (const names of [...all.map((each) => [each]), all]) {
      const created = await tryToSubscribe(t, target, names);
      // HOOK-2 judges that it is an array.
      const shown = created.at('event_categories');
      const asAsked = !Array.isArray(shown) || categories(names).test(shown);
      t.expect('HOOK-9', created)
        .status(201, 200)
        .is(`with ${names.join(', ')}`, asAsked);
    }
    const mixed = await tryToSubscribe(t, target, ['order', 'deal']);
    t.observe('NS-53', `["order", "deal"]: ${mixed.summary}`, {
      unknown_categories: mixed.isRefused ? 'refused' : 'left_out',
    });
    const { summary, status } = await t.call('getWebhook', { id: 'abc' });
    t.observe('NS-45', `a webhook id "abc" in the path: ${summary}`, { path_id_status: status });
  },
});

export const hookSpellings: Story = {
  title: 'An address that is not public is refused in every spelling',
  rules: ['HOOK-8'],
  observes: ['NS-23'],
  needs: ['public_url'],
  async run(t) {
    const url = await t.given.subscribable();
    const body = { url, event_categories };
    await disableSubscription(t, await t.control('createWebhook', { body }));
    for (const { words, hosts } of ALTERNATIVE_SPELLINGS) {
      await expectAllRefused(t, words, hosts, (host) => tryToSubscribe(t, `https://${host}/hooks`));
    }
    // In a shared world the target would send real events to that host.
    if (!t.has('dns')) return;
    const nowhere = `https://${t.fresh.reference()}.invalid/hooks`;
    const { isServed, summary } = await tryToSubscribe(t, nowhere);
    const unresolvable_webhook_host = isServed ? 'accepted' : 'refused';
    const words = `a name that does not resolve: ${isServed ? 'accepted' : summary}`;
    t.observe('NS-23', words, { unresolvable_webhook_host });
  },
};

export const hookAddresses: Story = {
  title: 'A name is refused when one address it resolves to is not public',
  rules: ['HOOK-8'],
  needs: ['dns'],
  async run(t) {
    const host = `${t.fresh.reference()}.example.com`;
    const at = async (addresses: readonly string[], name = host) => {
      await t.operator.resolve(name, addresses);
      return tryToSubscribe(t, `https://${name}/hooks`);
    };
    await t.operator.resolve(host, [PUBLIC]);
    const body = { url: `https://${host}/hooks`, event_categories };
    await disableSubscription(t, await t.control('createWebhook', { body }));
    for (const { words, addresses } of NOT_PUBLIC) {
      await expectAllRefused(t, words, addresses, (each) => at([each]));
    }
    const spellings = [host.toUpperCase(), `${host}.`, `${host}:8443`];
    await t.operator.resolve(host, ['10.0.0.1']);
    await expectAllRefused(t, 'private, the name in another spelling', spellings, (each) =>
      tryToSubscribe(t, `https://${each}/hooks`),
    );
    await expectAllRefused(t, 'cloud metadata by its name', METADATA_NAMES, (each) =>
      at(['169.254.169.254'], each),
    );
    await expectAllRefused(t, 'one of several addresses', MIXED, (each) => at(each));

    const open = await at(PUBLIC_NEIGHBOURS);
    const words = `accepted: a name with only public addresses (${PUBLIC_NEIGHBOURS.join(', ')})`;
    t.expect('HOOK-8', open).served(words);
    for (const { words: kind, addresses } of HARDLY_PUBLIC) {
      for (const address of addresses) {
        const answer = await at([address]);
        t.advise('HOOK-8', answer).is(`refused as ${kind}: ${address}`, answer.isRefused);
      }
    }
  },
};

/** One finding for each kind of address, however many of them are accepted. */
async function expectAllRefused<T extends string | readonly string[]>(
  t: ScenarioContext,
  kind: string,
  all: readonly T[],
  send: (each: T) => Promise<Answer>,
): Promise<void> {
  const tried = await inTurn(all, async (each) => {
    const what = typeof each === 'string' ? each : `[${each.join(', ')}]`;
    return { what, answer: await send(each) };
  });
  const accepted = tried.filter(({ answer }) => !answer.isRefused);
  const words = `refused as ${kind}: ${tried.map(({ what }) => what).join(', ')}`;
  const actual = accepted.map(({ what, answer }) => `${what}: ${answer.summary}`).join(', ');
  const evidence = accepted.length === 0 ? tried : accepted;
  t.claim('HOOK-8', words, accepted.length === 0, actual, ...evidence.map(({ answer }) => answer));
}
