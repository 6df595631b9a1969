// The dimensions that a focal call is combined with: one table of levels each, the plain level first.
// A level declares its needs, the operations that it applies to, and its effect on the sequence.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import type { Capability, Role } from '../../engine/capabilities.ts';
import { isDecision, type OperationName, SCOPES, TRADER_SCOPES } from '../../spec/operations.ts';
import type { MintWish, Value } from '../sequence.ts';
import {
  boundariesOf,
  EDGE,
  EDGE_KEYS,
  isHarmless,
  LONG_TIMERS,
  nearIds,
  ODD_TAGS,
  RAW_BODIES,
  SIZES,
  TEXTS,
  TIMES,
} from './boundaries.ts';
import {
  accountOf,
  bodyOf,
  type Call,
  type Draft,
  type Drawn,
  emailOf,
  inBatch,
  type Members,
  MOVES,
  plainCall,
  renamed,
  rowOf,
  tokenBody,
  withMember,
} from './draft.ts';
import { type Kind, OPS, type Op } from './operations.ts';
import { oddRows, otherThan, recordIn, statesOf, subjectOf, UNKNOWN_ID } from './records.ts';

interface Scene {
  readonly d: Draft;
  readonly op: Op;
  readonly subject: Drawn | undefined;
}

interface Level<Apply> {
  readonly needs?: readonly Capability[];
  readonly only?: (op: Op) => boolean;
  readonly isConcurrent?: boolean;
  /** How often it is used beside other levels: more for many variants, less for many calls. */
  readonly weight?: (op: Op) => number;
  readonly apply: Apply;
}

export type Levels<Apply> = Readonly<Record<string, Level<Apply>>>;

export const weightOf = ({ only, weight = () => 1 }: Level<unknown>, op: Op): number =>
  only?.(op) === false ? 0 : weight(op);

const rarely = () => 0.5;

type Soon<T> = T | Promise<T>;

const isKeyed = ({ keyed }: Op) => keyed;
const hasBody = ({ fields }: Op) => fields.length > 0;
const hasScopes = ({ scopes }: Op) => scopes.length > 0;
const isTraders = ({ scopes }: Op) => scopes.some((each) => each.startsWith('trader'));
const isWrite = ({ isRead }: Op) => !isRead;
const isOf = (names: RegExp) => (op: Op) => names.test(op.name);
const isOfDecision = ({ name }: Op) => isDecision(name);
const hasBrand = ({ fields }: Op) => fields.some(({ name }) => name === 'brand_id');
const isBulk = isOf(/^bulk/);
const isUpdate = isOf(/^update/);

const freshly = (d: Draft, call: Call): Call =>
  OPS[call.operation].keyed ? { ...call, key: { $fresh: `key${d.next()}` } } : call;
/** The same call again, for different records and with new texts. */
const plainAgain = ({ d, op, subject }: Scene, { as }: Call): Call =>
  plainCall(d, op, { as, subject });

type Caller = Pick<Call, 'as' | 'headers'>;

const role = (name: Role, only: (op: Op) => boolean = () => true): Level<() => Caller> => ({
  ...{ needs: [name], only, apply: () => ({ as: name }) },
});

async function minted(d: Draft, wish: MintWish): Promise<Caller | undefined> {
  const as = await d.mint(wish);
  return as === undefined ? undefined : { as };
}

async function traderOf(d: Draft, owner: Drawn | undefined): Promise<Caller | undefined> {
  const mintedBy = await d.mint({ scopes: SCOPES });
  if (mintedBy === undefined || owner === undefined) return undefined;
  const wish = { kind: 'delegated', scopes: TRADER_SCOPES, mintedBy } as const;
  return minted(d, { ...wish, account: accountOf(owner) });
}

async function issuedToken(d: Draft): Promise<Call['headers']> {
  await d.call({ ...plainCall(d, OPS.issueToken), body: tokenBody('client') });
  const from = d.tokens.at(-1);
  if (from === undefined) return undefined;
  return { authorization: { $join: ['Bearer ', { $of: from, at: 'access_token' }] } };
}

const CALLERS: Levels<(scene: Scene) => Soon<Caller | undefined>> = {
  main: { apply: ({ d }) => ({ as: d.main }) },
  twin: { needs: ['mint'], apply: ({ d }) => minted(d, { scopes: SCOPES }) },
  brand: role('brand'),
  other_brand: role('other_brand'),
  other_firm: role('other_firm'),
  no_scopes: role('no_scopes'),
  // TXS-11: an operation that cancels a settlement needs one more scope.
  no_amend: role('no_amend', isOfDecision),
  amend_only: role('amend_only', isOfDecision),
  read_only: role('read_only', isTraders),
  'its scope alone': {
    ...{ needs: ['mint'], only: hasScopes },
    apply: ({ d, op }) => minted(d, { scopes: [d.random.pick(op.scopes)] }),
  },
  'all except its scope': {
    ...{ needs: ['mint'], only: hasScopes },
    apply: ({ d, op }) => minted(d, { scopes: SCOPES.filter((each) => !op.scopes.includes(each)) }),
  },
  rescoped: {
    ...{ needs: ['mint'], only: hasScopes },
    apply: async ({ d, op }) => {
      const caller = await minted(d, { scopes: SCOPES });
      if (caller === undefined) return undefined;
      await d.call(plainCall(d, OPS.createAccount, caller));
      await d.add({ do: 'rescope', name: caller.as, scopes: d.random.pick([[], [...op.scopes]]) });
      return caller;
    },
  },
  trader: {
    ...{ needs: ['mint'], only: isTraders },
    apply: async ({ d, subject }) => traderOf(d, subject ?? (await recordIn(d, 'account', 0))),
  },
  'another trader': {
    ...{ needs: ['mint'], only: isTraders },
    apply: async ({ d }) => traderOf(d, await recordIn(d, 'account', 0)),
  },
  'issued token': {
    needs: ['client'],
    apply: async ({ d }) => {
      const headers = await issuedToken(d);
      return { as: d.main, ...(headers && { headers }) };
    },
  },
  'a firm without permission': {
    ...{ needs: ['permissions'], only: isKeyed },
    apply: async ({ d, op }) => {
      await d.add({ do: 'permit', operation: op.name, allowed: false });
      return { as: d.main };
    },
  },
  anonymous: { apply: () => ({ as: 'anonymous' }) },
};

const BOUNDARIES_AT_ONCE = 20;

/** More of a level that tries all values, for an operation that has many; a batch has rows for it. */
const weightOfBoundaries = (op: Op) =>
  isBulk(op) ? 2 : (2 * op.fields.flatMap(boundariesOf).length) / BOUNDARIES_AT_ONCE;

type Change = (scene: Scene, call: Call) => Soon<Call | readonly Call[]>;

/** The calls to make instead of the plain one; only the first is combined with the rest of the row. */
const BODIES: Levels<Change> = {
  plain: { apply: (_, call) => call },
  full: {
    only: hasBody,
    apply: ({ d, op, subject }, { as }) => plainCall(d, op, { as, subject, isFull: true }),
  },
  boundaries: {
    ...{ only: hasBody, weight: weightOfBoundaries },
    apply: (scene, call) =>
      scene.d.options
        .boundaries(scene.op, BOUNDARIES_AT_ONCE)
        .filter(([field, value]) => !scene.d.options.isLive || isHarmless(field, value))
        .map(([{ name }, value]) => withMember(scene.d, plainAgain(scene, call), name, value)),
  },
  // Many values in one call, of which each is accepted.
  'odd texts': {
    only: ({ fields }) => fields.some(({ kind }) => kind === 'text'),
    apply: ({ d, op, subject }, { as }) => {
      const full = plainCall(d, op, { as, subject, isFull: true });
      const texts = op.fields.filter(({ kind }) => kind === 'text');
      const odd = texts.map(({ name }) => [name, renamed(d.random.pick(TEXTS), `${d.next()}`)]);
      return inBatch(full, { ...rowOf(full), ...(Object.fromEntries(odd) as Members) });
    },
  },
  unreadable: {
    only: hasBody,
    apply: ({ d }, call) => ({ ...call, raw: d.random.pick(RAW_BODIES) }),
  },
  "another operation's members": {
    only: isUpdate,
    apply: ({ d, op }, call) => {
      const created = bodyOf(plainCall(d, OPS.createAccount, { as: call.as, isFull: true }));
      const others = Object.entries(created).filter(
        ([name]) => !op.fields.some((each) => each.name === name),
      );
      return { ...call, body: { ...bodyOf(call), ...Object.fromEntries(others) } };
    },
  },
  'unknown member': {
    only: hasBody,
    apply: (_, call) => ({
      ...call,
      body: { ...bodyOf(call), is_ftd: true, owner_id: '7', note: 'unknown' },
    }),
  },
  'no key': { only: isKeyed, apply: (_, { key: _key, ...call }) => call },
  'edge of a key': {
    only: isKeyed,
    apply: ({ d }, call) => {
      const key = renamed(d.random.pick(EDGE_KEYS), String(d.next()));
      // IDEM-4c: a key with one more character is another key.
      const longer = { ...call, key: { $join: [key, 'x'] } };
      return [{ ...call, key }, call, { ...call, key }, longer];
    },
  },
  'known reference': {
    only: isOf(/^create(A|T)|^bulk/),
    apply: async ({ d, op, subject }, call) => {
      const isMoney = op.name === 'createTransaction';
      const first = plainCall(d, isMoney ? op : OPS.createAccount, { subject });
      await d.call(first);
      const own = bodyOf(first).client_reference_id!;
      const reference = d.random.pick<Value>([
        own,
        { $case: 'upper', of: own },
        { $join: [own, 'x'] },
      ]);
      const row = { ...rowOf(call), client_reference_id: reference };
      const rows = [row, { ...row, first_name: 'Twin' }];
      return { ...call, body: isBulk(op) ? { accounts: rows } : row };
    },
  },
  'known person': {
    only: isOf(/^createA|^bulk/),
    // ACC-8, ACC-9: an email or a phone that another account of the brand uses.
    apply: async ({ d, op }, call) => {
      const earlier = d.of('account').find(({ body }) => body.phone !== undefined)?.body;
      const first = earlier ?? bodyOf(plainCall(d, OPS.createAccount, { isFull: true }));
      if (earlier === undefined) {
        await d.call({ ...plainCall(d, OPS.createAccount), body: first });
      }
      const { email, phone } = first;
      const stem = (phone as { $phone?: string } | undefined)?.$phone ?? 'phone';
      const known: readonly Members[] = [
        { email: email! },
        { email: { $case: 'upper', of: email! } },
        { phone: { $phone: stem, form: d.random.pick(['e164', 'spaced', 'dashes']) } },
        { phone: { $phone: stem, form: 'sibling' } },
        { phone: { $phone: stem, form: 'national' }, phone_region: 'GB' },
      ];
      const rows = known.map((over) => rowOf(plainCall(d, op, { as: call.as, over })));
      if (isBulk(op)) return { ...call, body: { accounts: rows } };
      return d.random.shuffled(rows).map((body) => ({ ...freshly(d, call), body }));
    },
  },
  'mixed rows': {
    ...{ only: isBulk, weight: () => 3 },
    apply: (scene, call) => ({ ...call, body: { accounts: mixedRows(scene, call) } }),
  },
  'many rows': {
    only: isBulk,
    apply: ({ d }, call) => {
      const row = rowOf(call);
      const count = d.random.pick([0, ...SIZES.filter((each) => each <= 1001)]);
      const fill = repeatedRow(d, count, row);
      // The first row is repeated at the end: a distant duplicate must be detected too.
      const rows: Value = count === 0 ? [] : d.random.chance(0.3) ? [row, fill, row] : [fill];
      return { ...call, body: { accounts: rows } };
    },
  },
  'no change': {
    only: isUpdate,
    apply: (_, call) => [{}, { email: emailOf('mail1') }].map((body) => ({ ...call, body })),
  },
  // UPD-8: some members with their stored values, and one that changes, in random order.
  'a change in part': {
    only: isUpdate,
    apply: async ({ d, op, subject }, { as }) => {
      const full = plainCall(d, op, { as, subject, isFull: true });
      await d.call(full);
      const members = d.random.shuffled(Object.entries(bodyOf(full)));
      const changed = [members[0]![0], { $fresh: `text${d.next()}` }] as const;
      const body = Object.fromEntries(d.random.shuffled([...members.slice(1), changed]));
      return { ...plainCall(d, op, { as, subject }), body };
    },
  },
  // TXS-15: the account is required.
  'no account': { only: isOfDecision, apply: (_, { query: _query, ...call }) => call },
  'odd tag': {
    only: isUpdate,
    apply: ({ d }, { ifMatch: _, ...call }) => [
      { ...call, ifMatch: d.random.pick(ODD_TAGS) },
      call,
    ],
  },
  unknown: {
    only: ({ subject }) => subject !== undefined,
    apply: (_, call) => ({ ...call, id: UNKNOWN_ID }),
  },
  // CONV-1c: texts that start with, end with or resemble the id of a record.
  'almost an id': {
    only: (op) => op.subject !== undefined || op.fields.some(({ kind }) => kind === 'id'),
    apply: nearMisses,
  },
  // An id that belongs to another brand, account or trading account.
  'of another': {
    only: (op) => subjectOf(op) === 'place' || isDecision(op.name) || hasBrand(op),
    apply: async ({ d, op, subject }, call) => {
      if (hasBrand(op)) {
        const brands = (['brand', 'other_brand', 'other_firm'] as const).filter((it) => d.can(it));
        if (brands.length === 0) return call;
        const brand: Value = { $role: d.random.pick(brands), has: 'brand' };
        return inBatch(call, { ...rowOf(call), brand_id: brand });
      }
      const other = subject === undefined ? undefined : await otherThan(d, subject);
      if (other === undefined) return call;
      if (isDecision(op.name)) return { ...call, query: { account_id: accountOf(other) } };
      const moves = op.name === 'createTransaction' ? d.random.shuffled(MOVES) : [{}];
      return moves.map((move) =>
        inBatch(freshly(d, call), { ...rowOf(call), ...move, trading_account_id: other.id }),
      );
    },
  },
};

function nearMisses({ d, op }: Scene, call: Call): readonly Call[] {
  const near = (id: Value) => d.random.pick(nearIds(id));
  const row = rowOf(call);
  const members = op.fields.filter(({ kind, name }) => kind === 'id' && row[name] !== undefined);
  return d.random.shuffled([
    ...(call.id === undefined ? [] : [{ ...freshly(d, call), id: near(call.id) }]),
    ...Object.entries(call.query ?? {}).map(([name, id]) => ({
      ...{ ...freshly(d, call), query: { ...call.query, [name]: near(id) } },
    })),
    ...members.map(({ name }) =>
      withMember(d, freshly(d, call), name, { value: near(row[name]!) }),
    ),
  ]);
}

/** BULK-3, BULK-8: rows that succeed and rows that fail, each separately, in random order. */
function mixedRows({ d }: Scene, { as }: Call): readonly Members[] {
  const twice = rowOf(plainCall(d, OPS.createAccount, { as }));
  const known = d.of('account').slice(0, 1);
  return d.random.shuffled([
    ...[twice, { ...twice, last_name: 'Twin' }],
    ...known.map(({ body }) => body),
    ...oddRows(d, as, BOUNDARIES_AT_ONCE),
  ]);
}

/** A row that is repeated many times: `$i` is its number. */
function repeatedRow(d: Draft, count: number, row: Members): Value {
  const stem = `row${d.next()}-$i`;
  const names = { client_reference_id: { $fresh: stem }, email: emailOf(stem) };
  return { $rows: count, of: { ...row, ...names } };
}

/** IDEM-8: a different body for the same subject. */
function withOtherWords({ d, op: { fields } }: Scene, call: Call): Call {
  if (call.operation !== 'bulkCreateAccounts') {
    const own = fields.find(({ kind, name }) => OTHERS[kind] !== undefined && name !== 'currency');
    const other = own === undefined ? {} : { [own.name]: OTHERS[own.kind]! };
    return { ...call, body: { ...bodyOf(call), ...other } };
  }
  const [first, ...rest] = (bodyOf(call).accounts ?? []) as readonly Members[];
  const accounts = d.random.pick<readonly Members[]>([
    [{ ...first!, first_name: 'Other' }, ...rest],
    [{ ...first!, email: emailOf(`mail${d.next()}`) }, ...rest],
    [...rest, first!, ...rest.slice(0, 1)],
  ]);
  return { ...call, body: { accounts } };
}

/** Another value for a member that is not the subject of any operation. */
const OTHERS: Readonly<Partial<Record<Kind, string>>> = { text: 'Other', decimal: '0.05' };

const DECISIONS = ['approveTransaction', 'cancelTransaction', 'rejectTransaction'] as const;
const OF_A_HOOK = ['rotateWebhookSecret', 'disableWebhook'] as const;

/** Another operation on the same record, or with the same body. */
function ofOtherOperation({ d, subject }: Scene, { operation, as, body }: Call): Call {
  const on = (name: OperationName, record = subject) =>
    plainCall(d, OPS[name], { as, subject: record });
  if (isDecision(operation)) return on(d.random.pick(DECISIONS.filter((it) => it !== operation)));
  if (operation === 'createAccount') {
    return { ...on('bulkCreateAccounts'), body: { accounts: [body ?? {}] } };
  }
  if (/Position$/.test(operation) && subject !== undefined) {
    return on('openPosition', subject.resource === 'place' ? subject : subject.parent);
  }
  if (subject?.resource === 'subscription') return on(d.random.pick(OF_A_HOOK));
  return on('createAccount');
}

/** Another change of the same record, or one that shares a name. */
function rivalOf(scene: Scene, focal: Call): Call {
  const { d, subject } = scene;
  const { operation } = focal;
  if (operation === 'updateAccount') {
    return { ...freshly(d, focal), body: { last_name: { $fresh: `rival${d.next()}` } } };
  }
  const isCreate = /^create(A|T)/.test(operation);
  const hasOther = isCreate
    ? operation === 'createAccount' && d.random.chance(0.3)
    : isDecision(operation) || subject?.resource === 'subscription';
  if (hasOther) return freshly(d, ofOtherOperation(scene, focal));
  if (!isCreate || d.random.chance(0.5)) return freshly(d, focal);
  const body = { ...bodyOf(focal), client_reference_id: { $fresh: `ref${d.next()}` } };
  // ACC-9: with another email, the phone is what they share.
  const isByPhone = bodyOf(focal).phone !== undefined && d.random.chance(0.5);
  const other = isByPhone ? { ...body, email: emailOf(`mail${d.next()}`) } : body;
  return { ...freshly(d, focal), body: other };
}

type Related = (scene: Scene, call: Call) => Soon<Call | undefined>;

/** Calls related to the focal one: made before it, concurrently, or after it. */
const RELATED: Levels<Related> = {
  'the same': { only: isWrite, apply: (_, call) => call },
  'another body': { only: (op) => isKeyed(op) && hasBody(op), apply: withOtherWords },
  'another subject': {
    only: isKeyed,
    apply: async ({ d, op, subject }, { as, key }) => {
      const other = subject === undefined ? undefined : await otherThan(d, subject);
      return { ...plainCall(d, op, { as, subject: other ?? subject }), ...(key && { key }) };
    },
  },
  'another caller': {
    ...{ needs: ['mint'], only: isKeyed },
    apply: async ({ d }, call) => ({ ...call, ...(await minted(d, { scopes: SCOPES })) }),
  },
  'another operation': {
    only: isKeyed,
    apply: (scene, call) => ({
      ...ofOtherOperation(scene, call),
      ...(call.key && { key: call.key }),
    }),
  },
  'another key': { only: isKeyed, apply: ({ d }, call) => freshly(d, call) },
  // IDEM-4c: a key is compared as it is written.
  'the key in another case': {
    only: isKeyed,
    apply: (_, call) =>
      call.key === undefined ? undefined : { ...call, key: { $case: 'upper', of: call.key } },
  },
  'another change': { only: isWrite, apply: rivalOf },
};

/** Levels that send each of the related calls in this way. */
const sendingRelated = (send: (related: Related) => Send, over = {}): Levels<Send> =>
  Object.fromEntries(
    Object.entries(RELATED).map(([name, level]) => [
      name,
      { ...level, ...over, apply: send(level.apply) },
    ]),
  );

const timed = (from: number, to = Number.POSITIVE_INFINITY): Level<readonly number[]> => ({
  ...{ needs: ['clock'], only: isWrite, apply: TIMES.filter((it) => it >= from && it < to) },
});

const GAPS: Levels<readonly number[]> = {
  none: { apply: [] },
  seconds: timed(0, 31_001),
  minutes: timed(31_001, 3_500_000),
  hours: timed(3_500_000, 80_000_000),
  day: timed(80_000_000, 100_000_000),
  days: timed(100_000_000),
};

/** Timers start at any earlier call, so half of the pauses count from the first pause. */
async function pause(d: Draft, gap: string): Promise<void> {
  const times = GAPS[gap]!.apply;
  if (times.length === 0) return;
  const left = TIMES.map((time) => time - d.pausedMs).sort((one, other) => one - other);
  const rest = left.filter((time) => time > 0).slice(0, 6);
  const isRest = d.pausedMs > 0 && rest.length > 0 && d.random.chance(0.5);
  await d.add({ do: 'advance', byMs: d.random.pick(isRest ? rest : times) });
}

type Send = (scene: Scene, call: Call) => Promise<unknown>;

const failing = (phase: 'before' | 'after', effect: Members): Level<Send> => ({
  ...{ needs: ['fault'], only: isKeyed },
  // IDEM-6: the repeat shows whether the failure was kept.
  apply: async ({ d }, call) => {
    await d.call({ ...call, fault: { phase, effect: effect as never } });
    await d.call(call);
  },
});

/** How the focal call is sent: with which concurrent calls, and whether it fails. */
const SENDING: Levels<Send> = {
  alone: { apply: ({ d }, call) => d.call(call) },
  ...sendingRelated(
    (related) => async (scene, call) => {
      const other = await related(scene, call);
      // Sometimes a third: of two equal calls and a rival, one is the repeat of the other.
      const more = scene.d.random.chance(0.3) ? [call] : [];
      await scene.d.burst([call, ...(other === undefined ? [] : [other]), ...more]);
    },
    { isConcurrent: true },
  ),
  crowd: {
    ...{ only: isWrite, isConcurrent: true },
    apply: (scene, call) =>
      scene.d.burst([call, ...Array.from({ length: 5 }, () => plainAgain(scene, call))]),
  },
  'fails before': failing('before', { kind: 'status', status: 500 }),
  'contended before': failing('before', { kind: 'status', status: 503 }),
  'fails after': failing('after', { kind: 'status', status: 500 }),
  'lost after': failing('after', { kind: 'reset' }),
  // IDEM-14: an attempt that a fault delays, with its repeat and another call in the meantime.
  held: {
    ...{ needs: ['fault', 'clock'], only: isKeyed },
    apply: async (scene, call) => {
      const { d } = scene;
      // IDEM-14b: an attempt that lasts longer may be abandoned.
      const ms = 20_000;
      const afterMs = d.random.pick([0, ms - 2_000]);
      const others = d.random.chance(0.5) ? [call, rivalOf(scene, call)] : [call];
      await d.call({
        ...{ ...call, fault: { effect: { kind: 'delay', ms }, afterMs } },
        meanwhile: others.map((it) => d.numbered(it)),
      });
      await d.call(call);
    },
  },
  // LIM-1, LIM-2: far above the allowance, and again after it is refilled.
  'over the rate': {
    ...{ needs: ['rates', 'clock'], weight: rarely },
    apply: async ({ d }, call) => {
      const perSecond = d.random.pick([1, 2, 5]);
      const isPlan = d.random.chance(0.5);
      const wish = isPlan ? { plan: 'sandbox' as const } : { perSecond };
      const as = await d.mint({ scopes: SCOPES, ...wish });
      if (as === undefined) return;
      const count = (isPlan ? 5 : perSecond) * 3 + 2;
      // LIM-7: with keys of their own, so that the last one is limited and then sent again.
      const key = d.random.chance(0.5) ? call.key : undefined;
      const numbered = (n: string) => ({ ...call, as, ...(key && { key: renamed(key, n) }) });
      await d.add({ do: 'many', count, call: d.numbered(numbered('-$i')) });
      await d.add({ do: 'advance', byMs: d.random.pick([1_000, 3_000, 60_000]) });
      await d.call(numbered(`-${count - 1}`));
    },
  },
};

const FAILURES = [[500, 200], [404, 200], [301, 200], [500, 500, 500, 200], [503], [410, 302, 200]];
const CATEGORIES: readonly (readonly string[])[] = [
  eventCategories,
  ...[['account'], ['transaction'], ['account', 'transaction'], ['order', 'position']],
];

async function subscribe(d: Draft, as = d.main, answers: readonly number[] = [200]) {
  if (d.hooks.length > 1) return undefined;
  await d.add({ do: 'hook', answers });
  const before = d.of('subscription').length;
  const over = { event_categories: d.random.pick(CATEGORIES) };
  await d.call(plainCall(d, OPS.createWebhook, { as, over }));
  return d.of('subscription')[before];
}

async function subscribeAndThen(d: Draft, verb: (typeof OF_A_HOOK)[number]) {
  const subject = await subscribe(d, d.main, d.random.pick([[200], ...FAILURES]));
  if (subject === undefined) return;
  await d.call(plainCall(d, OPS.createAccount, { isFull: true }));
  await d.call(plainCall(d, OPS[verb], { subject }));
}

type Observe = (d: Draft) => unknown;

/** Every operation with a key emits events, and no other operation does. */
const hook = (apply: Observe, ...needs: readonly Capability[]): Level<Observe> => ({
  ...{ needs: ['receiver', ...needs], only: isKeyed, apply },
});

const OBSERVERS: Levels<Observe> = {
  none: { apply: () => {} },
  hook: hook((d) => subscribe(d)),
  'failing hook': hook((d) => subscribe(d, d.main, d.random.pick(FAILURES)), 'clock'),
  "a brand's hook": hook(async (d) => {
    await subscribe(d, 'brand');
    // EVT-12: an event that it must not receive.
    if (d.can('other_brand')) await d.call(plainCall(d, OPS.createAccount, { as: 'other_brand' }));
  }, 'brand'),
  'two hooks': hook(async (d) => {
    if ((await subscribe(d)) === undefined) return;
    const over = { event_categories: eventCategories };
    await d.call(plainCall(d, OPS.createWebhook, { over }));
  }),
  'rotated hook': hook((d) => subscribeAndThen(d, 'rotateWebhookSecret'), 'clock'),
  'disabled hook': hook((d) => subscribeAndThen(d, 'disableWebhook')),
};

type Range = readonly [from: number, to: number];

/** More records of the kind, so that the focal call works on one of many. */
const CROWDS: Levels<Range> = {
  none: { apply: [0, 0] },
  few: { only: isWrite, apply: [2, 4] },
  tens: { only: isWrite, apply: [9, 22] },
  hundred: { ...{ only: isWrite, weight: rarely }, apply: [50, 140] },
  thousand: { only: (op) => isWrite(op) && /Account/.test(op.name), apply: [400, 999] },
};

async function makeMany({ d, op, subject }: Scene, [from, to]: Range): Promise<void> {
  const sizes = SIZES.filter((it) => it >= from && it < to);
  if (sizes.length === 0) return;
  const count = d.random.pick(sizes);
  if (/Account/.test(op.name)) {
    const accounts = [repeatedRow(d, count, bodyOf(plainCall(d, OPS.createAccount)))];
    await d.call({ ...plainCall(d, OPS.bulkCreateAccounts), body: { accounts } });
    return;
  }
  // Many calls cost as much as several other sequences.
  const isDear = !d.random.chance(count > 40 ? 0.15 : 0.7);
  const affordable = Math.min(isDear ? 3 : count, d.options.most - d.cost - 12);
  const kind = op.subject === 'transaction' ? OPS.createTransaction : op;
  const isLone = kind.isRead || kind.subject !== undefined || op.name === 'closePosition';
  if (affordable < 2 || isLone) return;
  const place = subject?.resource === 'transaction' ? subject.parent : subject;
  const { key, body, ...call } = plainCall(d, kind, { subject: place });
  const repeated = d.numbered({
    ...call,
    ...(key && { key: renamed(key, '-$i') }),
    ...(body && { body: renamed(body, '-$i') }),
  });
  await d.add({ do: 'many', count: affordable, call: repeated });
}

/** Related calls that follow: also the same call after a pause, or with another token. */
const AFTERS: Levels<Send> = {
  nothing: { apply: async () => {} },
  ...sendingRelated((related) => async (scene, call) => {
    const other = await related(scene, call);
    if (other !== undefined) await scene.d.call(other);
  }),
  // Without an operator the client of a profile may be the main credential itself (IDEM-2b).
  'the same by another token': {
    ...{ needs: ['client', 'mint'], only: isKeyed },
    apply: async ({ d }, call) => {
      const headers = await issuedToken(d);
      if (headers !== undefined)
        await d.call({ ...call, headers: { ...call.headers, ...headers } });
    },
  },
  'the same later': {
    ...{ needs: ['clock'], only: isKeyed },
    // Shortly before a timer ends and shortly after: a repeat must not start it again.
    apply: async ({ d }, call) => {
      const timer = d.random.pick(LONG_TIMERS);
      for (const byMs of [timer - EDGE, 2 * EDGE]) {
        await d.add({ do: 'advance', byMs });
        await d.call(call);
      }
    },
  },
};

/** The state of the record that the focal call is about, by its number. */
const RECORD_STATES: Levels<number> = Object.fromEntries(
  [0, 1, 2, 3, 4].map((state) => {
    const only = (op: Op) => statesOf(op)[state] !== undefined;
    return [`${state}`, { only, apply: state }];
  }),
);

export const DIMENSIONS = {
  state: RECORD_STATES,
  ...{ caller: CALLERS, body: BODIES, gap: GAPS, sending: SENDING, after: AFTERS },
  ...{ observer: OBSERVERS, crowd: CROWDS },
  before: { nothing: { apply: () => undefined }, ...RELATED } satisfies Levels<Related>,
};

/** The level of each dimension for one focal call. */
export type Row = Readonly<Record<string, string>> & { readonly operation: OperationName };

export async function playRow(row: Row, d: Draft): Promise<void> {
  const op = OPS[row.operation];
  const levelOf = <T>(levels: Levels<T>, name: string): T => levels[row[name]!]!.apply;
  await levelOf(OBSERVERS, 'observer')(d);
  // A live target gets no URL that its profile does not give.
  const isHook = op.name === 'createWebhook' && d.options.isLive;
  if (isHook && d.hooks.length === 0) await d.add({ do: 'hook', answers: [200] });
  const resource = subjectOf(op);
  const state = levelOf(RECORD_STATES, 'state');
  const subject = resource && (await recordIn(d, resource, state));
  if (resource !== undefined && subject === undefined) return;
  const scene: Scene = { d, op, subject };
  await makeMany(scene, levelOf(CROWDS, 'crowd'));
  const caller = await levelOf(CALLERS, 'caller')(scene);
  if (caller === undefined) return;
  const plain = plainCall(d, op, { as: caller.as, subject });
  const calls = [await levelOf(BODIES, 'body')(scene, plain)].flat().map((call): Call => {
    const headers = { ...call.headers, ...caller.headers };
    return Object.keys(headers).length === 0 ? call : { ...call, headers };
  });
  const [focal, ...others] = calls;
  if (focal === undefined) return;
  for (const call of others) await d.call(call);
  const before = await levelOf<Related>(DIMENSIONS.before, 'before')(scene, focal);
  if (before !== undefined) await d.call(before);
  // The pause is before the focal call, or before the call that follows it.
  const isPausedAfter = row.after !== 'nothing' && d.random.chance(0.5);
  if (!isPausedAfter) await pause(d, row.gap!);
  await levelOf(SENDING, 'sending')(scene, focal);
  if (isPausedAfter) await pause(d, row.gap!);
  await levelOf(AFTERS, 'after')(scene, focal);
  if (row.caller !== 'a firm without permission') return;
  await d.add({ do: 'permit', operation: op.name, allowed: true });
  for (const call of calls) await d.call(call);
}
