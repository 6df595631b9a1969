// ERR: the form of refusals, their codes and statuses, a request id for every answer, and unreadable
// bodies.
import { keyedCall } from '../../cases/calls.ts';
import {
  as,
  BROKEN_JSON,
  body,
  type Expected,
  type Fault,
  ifMatch,
  member,
  only,
  path,
  raw,
  refusals,
  rows,
  without,
} from '../../cases/refusals.ts';
import { problemFormError, problemLinkError } from '../../engine/record/answer-monitor.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Unreachable } from '../../engine/scenario-errors.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { ERROR_TABLE } from '../../spec/errors.ts';
import { UNKNOWN_ID } from '../../spec/literals.ts';
import { takesBody, WRITE_NAMES } from '../../spec/operations.ts';
import { suspendRequest } from '../support/clock.ts';
import { emailInUse, emailWithoutAt, staleTag, tooManyRows } from '../support/faults.ts';

const PROBLEM = ['ERR-1a', 'ERR-1b', 'ERR-3'] as const satisfies readonly RuleId[];

/**
 * ERR-1, ERR-3: a refusal in the form of the table, with a code of the table. The rule of the refusal
 * judges which refusal a request deserves; a successful answer has no such form.
 */
function expectProblem(t: ScenarioContext, answer: Answer): void {
  if (answer.status < 400) return;
  // NS-14: an unsupported content type may be refused in plain text.
  if (answer.status === 415 && answer.code === undefined) {
    throw new Blocked(`refused before it was looked at: ${answer.summary}`);
  }
  const form = problemFormError(answer);
  const members = 'type, title, status, code, detail, request_id, errors';
  const words = `application/problem+json with ${members}`;
  t.expect('ERR-1a', answer).is(words, form === undefined, form);
  const link = problemLinkError(answer);
  const linked = 'type ending in /errors/ and the code, status as sent';
  t.expect('ERR-1b', answer).is(linked, link === undefined, link);
  const codes = ERROR_TABLE[answer.status] ?? [];
  const isListed = answer.code === undefined || codes.includes(answer.code);
  const row = Object.entries(ERROR_TABLE).find(([, each]) => each.includes(answer.code ?? ''));
  const where = row === undefined ? 'in no row of it' : `which the table has under ${row[0]}`;
  t.expect('ERR-3', answer)
    .is('a status of the error table', codes.length > 0)
    .is(`${answer.status} with ${codes.join(' or ')}`, isListed, `${answer.summary}, ${where}`);
}

const problem: Expected = (t, _, answer) => expectProblem(t, answer);

/** NS-23: status and code are open; but if it answers in JSON, the body has the form of problems. */
const problemIfJson: Expected = (t, rules, answer) => {
  const isJson = answer.status >= 400 && answer.json !== undefined;
  const form = isJson ? problemFormError(answer) : undefined;
  const words = 'a refused target as application/problem+json too';
  t.expect(rules, answer).is(words, form === undefined, form);
};

const noKey: Fault = () => ({ key: null });
const loopback = body({ url: 'https://127.0.0.1/conformance' });

export const errTable = refusals({
  title: 'Refusals are problems in one form, each code under its status',
  observes: ['NS-13', 'NS-31', 'NS-32'],
  isOfFormAlone: true,
  rows: [
    [PROBLEM, 'createAccount', 'no key', noKey, problem],
    [PROBLEM, 'createAccount', 'an email in use', emailInUse, problem],
    [PROBLEM, 'createAccount', 'an email without @', emailWithoutAt, problem],
    [PROBLEM, 'bulkCreateAccounts', 'no rows', rows(() => []), problem],
    [PROBLEM, 'bulkCreateAccounts', 'a row too many', tooManyRows, problem],
    [PROBLEM, 'updateAccount', 'an unknown account', path(UNKNOWN_ID), problem],
    [PROBLEM, 'updateAccount', 'garbage for a tag', ifMatch('garbage'), problem],
    [PROBLEM, 'updateAccount', 'a stale tag', staleTag, problem],
    [PROBLEM, 'createAccount', 'no scope', as('no_scopes'), problem],
    ['ERR-1a', 'createWebhook', 'a loopback target', loopback, problemIfJson],
  ],
  async also(t) {
    const invalid = await t.create({ email: t.fresh.text() });
    observeEntry(t, invalid.at('errors.0'));
    const unknown = await t.call({ method: 'GET', path: '/api/v1/conformance-check' });
    const method = await t.call({ method: 'DELETE', path: '/api/v1/accounts' });
    t.observe('NS-31', `unknown path: ${unknown.summary}; unknown method: ${method.summary}`, {
      unknown_method_status: method.status,
    });
    const header = method.headers.get('deprecation') ?? null;
    t.observe('NS-32', header === null ? 'no Deprecation header' : `Deprecation: ${header}`, {
      deprecation_header: header,
    });
  },
});

function observeEntry(t: ScenarioContext, entry: Json | undefined) {
  if (entry === undefined) return t.observe('NS-13', 'the refusal that was seen has no entry');
  const names = Object.keys(Object(entry)).sort().join(', ');
  const forms: Readonly<Record<string, string>> = {
    'field, message': 'field_message',
    'detail, pointer': 'pointer_detail',
  };
  const form = typeof entry === 'string' ? 'text' : forms[names];
  t.observe('NS-13', printJson(entry), form === undefined ? {} : { error_entry: form });
}

export const errTrouble: Story = {
  title: 'A failure, contention and an attempt in flight are problems with their codes',
  rules: PROBLEM,
  needs: ['fault', 'clock'],
  provokes: [500, 503],
  async run(t) {
    await t.given.account();
    const match = { operation: 'createAccount' };
    for (const status of [500, 503]) {
      const fault = await t.operator.fault({ match, effect: { kind: 'status', status }, times: 1 });
      const answer = await t.create();
      // Earlier failures have other forms.
      if ((await fault.hits()) >= 1) expectProblem(t, answer);
      await fault.remove();
    }
    const call = await keyedCall(t, 'createAccount');
    const held = await suspendRequest(t, call, 5_000);
    expectProblem(t, await t.call(call));
    await t.operator.advance(5_000);
    await held();
  },
};

export const errLimited: Story = {
  title: 'A request over the rate is refused with a 429 problem',
  rules: PROBLEM,
  needs: ['mint', 'rates', 'clock'],
  provokes: [429, 503],
  async run(t) {
    const slow = await t.operator.mint({ scopes: ['accounts:write'], perSecond: 1 });
    const plain = () => ({ as: slow, body: t.newAccount(), unpaced: true });
    await t.control('createAccount', plain());
    // The clock stands still, so no allowance returns in between. Twice, because something in front
    // of the service may also limit requests occasionally, in its own form.
    const answer = await t.call('createAccount', plain());
    const again = await t.call('createAccount', plain());
    if (answer.headers.mediaType() !== again.headers.mediaType()) return;
    // A 503 is a failing service, unless its code says that it is this refusal (ERR-3).
    if (answer.status !== 503 || answer.code === 'rate_limited') expectProblem(t, answer);
  },
};

export const errRequestIds: Story = {
  title: 'Each response of a write carries X-Request-Id, different for every call',
  rules: ['ERR-4'],
  async run(t) {
    const whole = t.newAccount();
    const answers = [
      await t.call('createAccount', { body: whole }),
      await t.create({ email: t.fresh.text() }),
      await t.call('createAccount', { raw: '{' }),
      await t.call('bulkCreateAccounts', { rows: [whole] }),
      await t.update(UNKNOWN_ID, { country: 'NO' }, '"1"'),
    ];
    const ids: string[] = [];
    const isFresh = (value: string) => value.trim() !== '' && !ids.includes(value);
    const words = 'a value no other call had';
    for (const answer of answers) {
      t.expect('ERR-4', answer).header('X-Request-Id', words, isFresh);
      // None of these is a replay, so this call produced the body.
      const own = answer.at('request_id') ?? null;
      const isEqual = own === null || own === answer.headers.get('x-request-id');
      const same = 'the same number in request_id and in X-Request-Id';
      t.advise('ERR-4', answer).is(same, isEqual, `request_id ${own}`);
      ids.push(answer.headers.get('x-request-id') ?? '');
    }
    // ERR-4 requires it for the nine writes; log readers need it for the others just as much.
    for (const answer of [await t.call('listWebhooks'), await t.call('listAccounts')]) {
      t.advise('ERR-4', answer).header('X-Request-Id', words, isFresh);
    }
  },
};

function plainText(t: ScenarioContext, rules: Rules, answer: Answer): void {
  // NS-17: a request that this credential may not make may be refused before its body is read.
  if (answer.status === 403) return;
  t.expect(rules, answer).refusedInPlainText();
}

/** CONV-1b judges that a number for an id is refused. */
const plainTextIfRefused: Expected = (t, rules, answer) => {
  if (answer.status >= 400) plainText(t, rules, answer);
};

const broken = raw(() => BROKEN_JSON);
const TAKE_BODIES = [...WRITE_NAMES, 'createWebhook' as const].filter(takesBody);

export const errUnreadable = refusals({
  title: 'A body that cannot be read is refused in plain text, not as problem+json',
  observes: ['NS-14', 'NS-15', 'NS-47'],
  isForbiddenLeftOut: true,
  rows: [
    ...TAKE_BODIES.map((name) => ['ERR-2', name, 'broken JSON', broken, plainText] as const),
    ['ERR-2', 'createAccount', 'JSON cut off', raw((text) => text.slice(0, -1)), plainText],
    ['ERR-2', 'createAccount', 'text after JSON', raw((text) => `${text} and more`), plainText],
    ['ERR-2', 'createAccount', 'no JSON', raw(() => 'no JSON at all'), plainText],
    ['ERR-2', 'createAccount', 'a number', member('brand_id', Number), plainTextIfRefused],
    ['ERR-2', 'bulkCreateAccounts', 'no accounts', only({}), plainText],
    ['ERR-2', 'createTransaction', 'no currency', without('currency'), plainText],
  ],
  async also(t) {
    const unparsable = await t.call('createAccount', { raw: BROKEN_JSON });
    const missing = await t.create({ email: undefined });
    const text = JSON.stringify(t.newAccount());
    const headers = { 'content-type': 'text/plain' };
    const untyped = await t.call('createAccount', { raw: text, headers });
    const seen = [
      `broken JSON: ${unparsable.summary}`,
      `a member missing: ${missing.summary}`,
      `sent as text/plain: ${untyped.summary}`,
    ];
    t.observe('NS-14', seen.join('; '), {
      unparsable_status: unparsable.status,
      unreadable_status: missing.status,
      ...(untyped.status < 400 ? {} : { content_type_status: untyped.status }),
    });
    await observeDuplicate(t);
    await observeSize(t);
  },
});

async function observeDuplicate(t: ScenarioContext): Promise<void> {
  const twice = JSON.stringify(t.newAccount()).replace('{', '{"first_name":"Twice",');
  const double = await t.call('createAccount', { raw: twice });
  const read = double.at('first_name');
  const isFirst = double.isServed && read === 'Twice';
  const reading = double.isServed ? 'last_wins' : 'refused';
  const words = `a member given twice: ${double.summary} ${read ?? ''}`;
  t.observe('NS-47', words, isFirst ? {} : { duplicate_members: reading }, isFirst);
}

/** NS-15. Padded with spaces: a service that accepts the size stores none of them. */
async function observeSize(t: ScenarioContext): Promise<void> {
  const long = `${JSON.stringify(t.newAccount())}${' '.repeat(1_200_000)}`;
  try {
    const large = await t.call('createAccount', { raw: long });
    const refused = large.status === 413 || large.status === 400;
    const setting = refused
      ? { body_too_large_status: large.status }
      : { max_body_bytes: 2_000_000 };
    t.observe('NS-15', `a body of 1.2 MB: ${large.summary}`, setting);
  } catch (error) {
    // Some targets close the connection during such an upload: that is recorded, and no deviation.
    if (!(error instanceof Unreachable)) throw error;
    t.observe('NS-15', `a body of 1.2 MB: ${error.message}`);
  }
}

export const errCheckOrder: Story = {
  title: 'A body that cannot be read is refused in plain text if nothing else comes before it',
  rules: ['ERR-2'],
  observes: ['NS-17'],
  needs: ['no_scopes'],
  async run(t) {
    await t.given.account();
    const unread = { raw: BROKEN_JSON };
    plainText(t, 'ERR-2', await t.call('createAccount', { body: {}, ...unread }));
    const badToken = { authorization: 'Bearer no-such-token' };
    const keyless = await t.call('createAccount', { body: t.newAccount(), ...badToken, key: null });
    const garbled = await t.call('createAccount', { body: {}, ...badToken, ...unread });
    const denied = await t.call('createAccount', { as: 'no_scopes', body: {}, ...unread });
    // NS-17: which fault is reported first is open; a fault of the body must have the right form.
    const scopeBeforeBody = denied.code === 'forbidden';
    if (!scopeBeforeBody) plainText(t, 'ERR-2', denied);
    const tokenBeforeBody = garbled.code !== undefined || garbled.status === 401;
    const order = orderOf(keyless.status === 400, tokenBeforeBody, scopeBeforeBody);
    t.observe('NS-17', order.join(', '), { check_order: order });
  },
};

function orderOf(keyFirst: boolean, tokenBeforeBody: boolean, scopeBeforeBody: boolean): string[] {
  const first = keyFirst ? ['key', 'token'] : ['token', 'key'];
  if (!tokenBeforeBody) return ['route', 'key', 'readable', 'token', 'rate', 'replay', 'scope'];
  const after = scopeBeforeBody ? ['scope', 'readable', 'replay'] : ['readable', 'replay', 'scope'];
  return ['route', ...first, 'rate', ...after];
}
