// Holds which rule a difference is called by, sign by sign, on differences that are made by hand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallStep, Step, Value } from '../sequence.ts';
import { call, create, idOf, mail } from './plain-calls.ts';
import { rulesFor } from './rules.ts';
import { foundOf, type Made } from './testing/made.ts';

const naming = suite('rules of a difference');

const account = (n: number, over: Readonly<Record<string, Value>> = {}) => create(n, 'firm', over);
const keyed = (step: CallStep, n: number): CallStep => ({ ...step, key: { $fresh: `key${n}` } });
const named = (n: number) => ({ client_reference_id: { $fresh: `ref${n}` } });
const upper = (n: number) => ({
  client_reference_id: { $case: 'upper', of: { $fresh: `ref${n}` } } as const,
});
const other = { brand_id: { $role: 'other_brand', has: 'brand' } } as const;
const update = (n: number, body: Value, rest: Partial<CallStep> = {}) =>
  call(n, 'updateAccount', 'firm', { id: idOf(1), ifMatch: '"1"', body, ...rest });
const batch = (n: number, ...rows: readonly Value[]) =>
  call(n, 'bulkCreateAccounts', 'firm', { body: { accounts: rows } });
const row = (n: number, over: Readonly<Record<string, Value>> = {}) => ({
  ...named(n),
  email: mail(n),
  ...over,
});
const cancel = (n: number, rest: Partial<CallStep> = {}) =>
  call(n, 'cancelTransaction', 'firm', { id: idOf(1), body: { reason: 'late' }, ...rest });
const ok = { due: '200', came: '200' };
const taken = { due: '201', came: '409 invalid_state', cites: ['ACC-1'] };
const again = { idempotency: 'replayed', cites: ['IDEM-4a', 'IDEM-4b', 'IDEM-4c'] } as const;
const delivered = { operation: 'delivery', at: 'count', due: 'count', came: 'count' } as const;
const hook = call(1, 'createWebhook', 'firm', { body: { event_categories: ['order'] } });

/** By the rule that has to stand first, and why. */
const CALLED: Readonly<Record<string, Made>> = {
  'ACC-6: in other case': { steps: [account(1), account(2, upper(1))], due: '200', came: '201' },
  'ACC-5: known': { steps: [account(1), account(2, named(1))], due: '200', came: '201' },
  'ACC-7: renamed': {
    steps: [account(1), update(2, {}), account(3, named(1))],
    due: '200',
    came: '201',
  },
  "TXN-11: another's trading account, of two that are the firm's": {
    steps: [
      { do: 'place', n: 1, kind: 'trading_account' },
      { do: 'place', n: 2, kind: 'second_trading_account' },
      call(3, 'createTransaction', 'firm', {
        body: {
          account_id: { $of: 2, at: 'account_id' },
          trading_account_id: { $of: 1, at: 'trading_account_id' },
        },
      }),
    ],
    ...{ due: '404 not_found', came: '422 validation_failed', cites: ['TXN-10', 'TXN-11'] },
  },
  'ACC-8: an email': { ...taken, steps: [account(1), account(2, { email: mail(1) })] },
  'ACC-9: a phone': {
    ...taken,
    steps: [
      account(1, { phone: { $phone: 'p', form: 'e164' } }),
      account(2, { phone: { $phone: 'p', form: 'spaced' } }),
    ],
  },
  'ACC-10: elsewhere': { ...taken, steps: [account(1), account(2, { email: mail(1), ...other })] },
  'ACC-8: an email that two rows have': {
    ...ok,
    ...{ at: 'body.rows.1.status', model: '409', target: '201', cites: ['BULK-3'] },
    steps: [batch(1, row(1), row(2, { email: mail(1) }))],
  },
  'ERR-4: one met before, of whoever is limited': {
    ...{ due: '201', came: '201', at: 'header.x-request-id', cites: ['LIM-4'] },
    steps: [
      { do: 'mint', n: 1, name: 'm1', wish: { scopes: [], perSecond: 1 } },
      { do: 'advance', n: 2, byMs: 2_000 },
      { ...account(3), as: 'm1' },
    ],
  },
  'LIM-1: at the rate, and over a minute no more': {
    ...{ due: '200', came: '429 rate_limited', cites: ['HOOK-11'] },
    steps: [
      { do: 'mint', n: 1, name: 'm1', wish: { scopes: [], perSecond: 1 } },
      ...Array.from({ length: 20 }, (_, at): readonly Step[] => [
        { do: 'advance', n: 2 * at + 2, byMs: 1_000 },
        call(2 * at + 3, 'listWebhooks', 'm1', {}),
      ]).flat(),
    ],
  },
  'TXS-10: an entry that is not there, whatever was approved meanwhile': {
    ...{ due: 'entries', came: 'entries', operation: 'ledger', at: 'entries' },
    ...{ model: '25, -25', target: '25' },
    steps: [
      cancel(1),
      call(2, 'approveTransaction', 'firm', { id: '9' }),
      { do: 'ledger', n: 3, tradingAccount: '7' },
    ],
    earlier: { 1: { status: 200, cites: ['TXS-10'] }, 2: { status: 200, cites: ['TXS-1'] } },
  },
  'HOOK-13: gone, and disabled before': {
    ...{ due: '200', came: '404 not_found', cites: ['HOOK-2'] },
    steps: [
      call(1, 'createWebhook', 'firm', {}),
      call(2, 'disableWebhook', 'firm', { id: idOf(1) }),
      { do: 'advance', n: 3, byMs: 40 * 86_400_000 },
      call(4, 'getWebhook', 'firm', { id: idOf(1) }),
    ],
  },
  'HOOK-11: gone': {
    ...{ due: '200', came: '404 not_found', cites: ['HOOK-2'] },
    steps: [call(1, 'createWebhook', 'firm', {}), call(2, 'getWebhook', 'firm', { id: idOf(1) })],
  },
  'IDEM-11: a reference that was refused': {
    ...{ due: '422 validation_failed', came: '409 invalid_state', cites: ['TXN-5'] },
    steps: [1, 2].map((n) => call(n, 'createTransaction', 'firm', { body: named(1) })),
    earlier: { 1: { status: 422 } },
  },
  'ACC-5: with names of its own, where the first was named rightly': {
    ...ok,
    ...{ at: 'body.first_name', model: '"Ada"', target: 'null', idempotency: 'converged' },
    steps: [account(1), account(2, named(1))],
    cites: ['ACC-5'],
    earlier: { 1: { status: 201, json: { first_name: 'Ada' } } },
  },
  'AUTH-6: of several': {
    ...{ steps: [account(1), account(2, { ...named(1), ...other })], due: '201', came: '200' },
  },
  'TXN-2: known': {
    steps: [1, 2].map((n) => call(n, 'createTransaction', 'firm', { body: named(1) })),
    due: '200',
    came: '201',
  },
  'ACC-13: without a name': { steps: [account(1)], due: '201', came: '422 validation_failed' },
  'ACC-11: a phone that is refused': {
    ...{ steps: [account(1, { phone: '12' })], due: '201', came: '422 validation_failed' },
  },
  'ACC-3: without an email': {
    steps: [call(1, 'createAccount', 'firm', { body: named(1) })],
    ...{ due: '422 text/plain', came: '201', cites: ['ERR-2'] },
  },
  'CONV-1b: an id that is a number': {
    steps: [account(1, { brand_id: { $number: '1' } })],
    ...{ due: '422 text/plain', came: '201', cites: ['ERR-2'] },
  },
  'BULK-12: twice': {
    ...{
      steps: [batch(1, row(1), row(2, upper(1)))],
      at: 'body.rows.1.id',
      due: '200',
      came: '200',
    },
  },
  'BULK-12: twice, far apart': {
    steps: [batch(1, row(1), { $rows: 200, of: row(3) }, row(1))],
    ...{ ...ok, at: 'body.rows.201.status', model: '200', target: '201' },
  },
  'ACC-8: an email that two rows of many have, another of which has the phone of the first': {
    ...{ ...ok, at: 'body.rows.120.status', model: '409', target: '201' },
    steps: [
      batch(
        1,
        { $rows: 119, of: row(9) },
        row(1, { phone: { $phone: 'p', form: 'e164' } }),
        row(2, { email: mail(1) }),
        row(3, { phone: { $phone: 'p', form: 'e164' } }),
      ),
    ],
  },
  'ACC-5: known before, behind many rows': {
    ...{ ...ok, at: 'body.rows.129.status', model: '200', target: '409' },
    steps: [
      batch(1, { $rows: 2, of: row(8) }, row(1)),
      batch(2, { $rows: 129, of: row(9) }, row(1)),
    ],
  },
  'BULK-3: one of many rows that is like the others': {
    ...{ ...ok, at: 'body.rows.128.status', model: '201', target: '409' },
    steps: [batch(1, { $rows: 130, of: row(9) })],
  },
  'BULK-7: one of nearly as many as there may be': {
    ...{ ...ok, at: 'body.rows.950.status', model: '201', target: '409' },
    steps: [batch(1, { $rows: 999, of: row(9) })],
  },
  'BULK-5: why a row failed, however often another stands beside it': {
    steps: [batch(1, row(1), row(2), row(1))],
    ...{ ...ok, at: 'body.rows.1.code', model: '"validation_failed"', target: 'null' },
  },
  'AUTH-8: a permission that is remembered': {
    steps: [
      account(1),
      { do: 'permit', n: 2, operation: 'createAccount', allowed: false },
      batch(3, row(1)),
    ],
    ...{ ...ok, at: 'body.rows.0.status', model: '403', target: '201' },
  },
  'BULK-3: a permission that rows are not asked for': {
    steps: [{ do: 'permit', n: 1, operation: 'createAccount', allowed: false }, batch(2, row(1))],
    ...{ ...ok, at: 'body.rows.0.status', model: '403', target: '201', cites: ['BULK-3'] },
  },
  'ACC-8: a row with the email of twins': {
    steps: [batch(1, row(1), row(1), row(2, { email: mail(1) }))],
    ...{ ...ok, at: 'body.rows.2.status', model: '409', target: '201' },
  },
  'ACC-5: a reference that a refusal has left behind': {
    steps: [
      account(1),
      account(2, { ...named(2), email: mail(1) }),
      account(3, { ...named(2), email: mail(1) }),
    ],
    ...{ due: '409 invalid_state', came: '200', cites: ['ACC-8'] },
  },
  'ACC-5: a reference that a refusal has left behind, for somebody else': {
    steps: [
      account(1),
      account(2, { ...named(2), email: mail(1) }),
      account(3, { ...named(2), email: mail(3) }),
    ],
    ...{ due: '201', came: '200', cites: ['ACC-1'] },
    earlier: { 2: { status: 409, cites: ['ACC-8', 'IDEM-13'] } },
  },
  'ACC-8: an email by which somebody is found': {
    steps: [account(1), account(2, { email: mail(1) })],
    ...{ due: '409 invalid_state', came: '200', cites: ['ACC-8'] },
  },
  'TXS-2: a first deposit that is none later': {
    steps: [
      account(1),
      call(2, 'createTransaction', 'firm', { body: named(2) }),
      call(3, 'approveTransaction', 'firm', { id: idOf(2) }),
      { do: 'settle', n: 4, id: idOf(2) },
      call(5, 'createTransaction', 'firm', { body: named(2) }),
    ],
    ...{ ...ok, at: 'body.is_ftd', model: 'true', target: 'false' },
    ...{ idempotency: 'converged', cites: ['TXN-2'] },
    earlier: { 3: { status: 200, json: { is_ftd: true, status: 'approved' } } },
  },
  'BULK-11: landed': {
    ...{ steps: [batch(1, row(1)), batch(2, row(1))], ...ok },
    ...{ at: 'body.rows.0.status', model: '200', target: '201' },
  },
  'IDEM-2a: a key much like it': {
    steps: [account(1), { ...account(2), key: { $case: 'upper', of: { $fresh: 'key1' } } }],
    ...{ due: '201', came: '200', given: { id: '1' } },
    earlier: { 1: { status: 200, json: { id: '1' } } },
  },
  'IDEM-2a: an update under a key much like it': {
    steps: [
      account(1),
      keyed(update(2, { status: 'a' }), 2),
      { ...update(3, { status: 'b' }), key: { $join: [{ $fresh: 'key2' }, 'x'] } },
    ],
    ...{ ...ok, at: 'body.revision', model: '3', target: '2', given: { id: '1', revision: 2 } },
    earlier: { 2: { status: 200, json: { id: '1', revision: 2 } } },
  },
  "IDEM-2a: another call's refusal": {
    steps: [account(1), keyed(account(2), 2), keyed(account(3), 3)],
    ...{ due: '409 invalid_state', came: '409 invalid_state', cites: ['ACC-8'], at: 'attempt' },
    ...{ model: 'one of its own', target: 'that of call 2' },
  },
  "IDEM-5: its own refusal under another call's id": {
    steps: [account(1), keyed(account(2), 2), keyed(account(3), 3)],
    ...{ due: '409 invalid_state', came: '409 invalid_state', cites: ['ACC-8'] },
    ...{ at: 'attempt.request_id', model: 'one of its own', target: 'that of call 2' },
  },
  'IDEM-6b: in flight for good, after a failure in passing': {
    steps: [keyed(account(1), 1), keyed(account(2), 1)],
    ...{ due: '201', came: '409 idempotency_in_flight', cites: ['ACC-1'] },
    earlier: { 1: { status: 503 } },
  },
  'IDEM-4a: forgotten after many other keys': {
    steps: [
      account(1),
      ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => keyed(update(n, { status: `${n}` }), n)),
      keyed(update(10, { status: 'other' }), 2),
    ],
    ...{ due: '200', came: '412 revision_conflict', ...again },
  },
  'EVT-11: a reason that is told no more': {
    steps: [hook, { do: 'advance', n: 2, byMs: 90_000_000 }, call(3, 'listWebhooks', 'firm', {})],
    ...{ ...ok, at: 'body.*.disabled_reason', model: '"It is not public."', target: 'null' },
  },
  'BULK-8: an email that is free after a row that fails': {
    ...{ ...ok, at: 'body.rows.2.status', model: '409', target: '201', cites: ['BULK-3'] },
    steps: [batch(1, row(1), row(2, { email: mail(1) }), row(3, { email: mail(1) }))],
    earlier: { 1: { status: 200, json: { rows: [201, 409, 409].map((status) => ({ status })) } } },
  },
  'BULK-3: a row that is taken for one that is only much like it': {
    ...{ ...ok, at: 'body.rows.1.status', model: '201', target: '200', cites: ['BULK-3'] },
    steps: [
      batch(
        1,
        ...['axb', 'a_b'].map((name) => ({
          ...{ client_reference_id: { $join: [{ $fresh: 'ref' }, name] }, email: mail(1) },
        })),
      ),
    ],
  },
  'TXS-10: of many entries one that is not there': {
    ...{ due: 'entries', came: 'entries', operation: 'ledger', at: 'entries' },
    model: '28 entries, number 2 of them -17.53',
    target: '27 entries, number 2 of them 1',
    steps: [1, 2].map((n) => cancel(n)).concat([call(3, 'approveTransaction', 'firm', {})]),
    earlier: { 1: { status: 200, cites: ['TXS-8'] }, 2: { status: 200, cites: ['TXS-10'] } },
  },
  'IDEM-1b: a long key': {
    steps: [{ ...account(1), key: { $fresh: 'k', length: 255 } }],
    due: '201',
    came: '400 idempotency_key_required',
  },
  'IDEM-1d: something else first': {
    steps: [{ ...account(1), key: '  ' }],
    due: '400 idempotency_key_required',
    came: '401 unauthorized',
    cites: ['IDEM-1a'],
  },
  'IDEM-6c: a failure kept': {
    steps: [account(1), keyed(account(2), 1)],
    due: '201',
    came: '500 internal_error',
    earlier: { 1: { status: 500 } },
  },
  'IDEM-9a: other emails': {
    steps: [batch(1, row(1)), keyed(batch(2, row(1, { email: mail(2) })), 1)],
    ...ok,
    at: 'body.rows.0.id',
    earlier: { 1: { status: 200, json: { rows: [] } } },
    given: { rows: [] },
  },
  'IDEM-8: other words': {
    ...{ ...again, steps: [account(1), keyed(account(2, { ...row(1), first_name: 'B' }), 1)] },
    ...{ due: '201', came: '200' },
  },
  'IDEM-2c: another email': {
    ...{ ...again, steps: [account(1), keyed(account(2, named(1)), 1)], due: '201', came: '200' },
  },
  'IDEM-10: another transaction': {
    ...{
      ...again,
      steps: [cancel(1), keyed(cancel(2, { id: idOf(2) }), 1)],
      due: '200',
      came: '409',
    },
  },
  'IDEM-5: whose request': {
    ...{ ...again, steps: [cancel(1), keyed(cancel(2), 1)], ...ok },
    at: 'header.x-request-id',
  },
  'IDEM-4d: a refusal that ran': {
    ...{ ...again, steps: [cancel(1), keyed(cancel(2), 1)], at: 'replay.body' },
    ...{ due: '404 not_found', came: '404 not_found', given: { request_id: 'b' } },
    earlier: { 1: { status: 404, json: { request_id: 'a' } } },
  },
  'IDEM-7a: before a day is over': {
    ...{ ...again, due: '201', came: '200' },
    steps: [account(1), { do: 'advance', n: 3, byMs: 3_600_000 }, keyed(account(2, row(1)), 1)],
  },
  'ERR-3: in all of them': {
    ...{ steps: [cancel(1)], due: '404 not_found', came: '410 not_found', cites: ['TXS-16'] },
    elsewhere: 'updateAccount',
  },
  'AUTH-6: told by another refusal': {
    ...{ steps: [cancel(1)], due: '404 not_found', came: '403 forbidden', cites: ['TXS-16'] },
    elsewhere: 'updateAccount',
  },
  'TXS-16: in one of them': {
    ...{ steps: [cancel(1)], due: '404 not_found', came: '410 not_found', cites: ['TXS-16'] },
  },
  'AUTH-5: a trader’s token': {
    steps: [
      { do: 'mint', n: 2, name: 'm', wish: { scopes: ['trader:funds'] } },
      cancel(1, { as: 'm' }),
    ],
    due: '200',
    came: '404 not_found',
  },
  'CONV-1c: an id that is none': {
    ...{
      steps: [update(1, {}, { id: 'abc' })],
      due: '422 validation_failed',
      came: '404 not_found',
    },
    cites: ['UPD-8', 'CONV-1c'],
  },
  'UPD-6: a tag that is looked at first': {
    steps: [update(1, {}, { as: 'brand' })],
    ...{ due: '404 not_found', came: '412 revision_conflict', cites: ['UPD-5'] },
  },
  'LIM-3: the firm’s rate': {
    steps: [{ do: 'firmRate', n: 2, perSecond: 1 }, account(1)],
    ...{ due: '201', came: '429 rate_limited' },
  },
  'LIM-9: after a batch': {
    ...{ steps: [batch(1, row(1), row(2)), account(3)], due: '201', came: '429 rate_limited' },
  },
  'ERR-1a: a refusal in plain text': {
    steps: [account(1), update(2, { country: 'GB' })],
    ...{ due: '412 revision_conflict', came: '412 text/plain', at: 'code', cites: ['UPD-7'] },
  },
  'LIM-11: a read that is not counted': {
    steps: [call(1, 'listWebhooks', 'm', {}), create(2, 'm', {}), create(3, 'm', {})],
    ...{ due: '429 rate_limited', came: '201' },
  },
  'LIM-9: a batch at first': {
    ...{ steps: [batch(1, row(1), row(2))], due: '200', came: '429 rate_limited' },
  },
  'LIM-9: a batch again, after the wait': {
    steps: [
      batch(1, row(1), row(2)),
      { do: 'advance', n: 2, byMs: 1000 },
      batch(3, row(1), row(2)),
    ],
    ...{ due: '200', came: '429 rate_limited', idempotency: 'replayed' },
  },
  'LIM-7: after the wait': {
    steps: [account(1), { do: 'advance', n: 3, byMs: 500 }, account(2)],
    ...{ due: '201', came: '429 rate_limited' },
  },
  'LIM-1: more than the plan has': {
    steps: [
      { do: 'mint', n: 2, name: 'm', wish: { scopes: [], plan: 'sandbox', perSecond: null } },
      create(1, 'm', {}),
    ],
    ...{ due: '429 rate_limited', came: '201' },
  },
  'LIM-2: one call after another': {
    ...{ steps: [account(1), account(2)], due: '201', came: '429 rate_limited' },
  },
  'LIM-8: headers with a success': {
    ...{ steps: [account(1)], due: '201', came: '201', at: 'header.x-ratelimit-limit' },
  },
  'UPD-2: what was not sent': {
    ...{ steps: [account(1), update(2, { country: 'GB' })], ...ok },
    at: 'body.first_name',
  },
  'UPD-3: what was sent': {
    ...{ steps: [account(1), update(2, { first_name: 'A' })], ...ok },
    at: 'body.first_name',
  },
  'UPD-1: as it was before': {
    ...{ steps: [account(1), update(2, { first_name: 'A' })], ...ok },
    ...{ at: 'body.first_name', earlier: { 1: { status: 201, json: { revision: 1 } } } },
    given: { revision: 1 },
  },
  'TXS-8: by the call that moved it': {
    steps: [cancel(1), call(2, 'createTransaction', 'firm', { body: named(1) })],
    ...{ ...ok, at: 'body.status', model: '"cancelled"', target: '"pending"' },
    earlier: { 1: { status: 200, cites: ['TXS-8'] } },
  },
  'TXS-13: as it was before it was cancelled': {
    steps: [cancel(1), call(2, 'createTransaction', 'firm', { body: named(1) })],
    ...{ ...ok, at: 'body.status', model: '"cancelled"', target: '"settled"' },
    earlier: { 1: { status: 200, cites: ['TXS-10', 'TXS-13'] } },
  },
  'IDEM-4c: a repeat that did something': {
    ...{ steps: [account(1), keyed(account(2, row(1)), 1), account(3)], due: '201', came: '409' },
    earlier: { 2: { status: 201, idempotency: 'replayed' } },
  },
  'UPD-12: updates at once': {
    steps: [
      account(1),
      { do: 'burst', n: 2, calls: [update(3, { country: 'GB' }), update(4, { country: 'DE' })] },
      account(5, named(1)),
    ],
    ...{ ...ok, at: 'body.country', idempotency: 'converged' },
  },
  'TXS-10: money that is not given back': {
    steps: [cancel(1), { do: 'ledger', n: 2, tradingAccount: '1' }],
    ...{ operation: 'ledger', at: 'entries', due: 'entries', came: 'entries' },
    earlier: { 1: { status: 200, cites: ['TXS-10'] } },
  },
  'EVT-10a: how far it came': {
    steps: [hook, call(2, 'getWebhook', 'firm', { id: idOf(1) })],
    ...{ ...ok, at: 'body.last_delivered_seq' },
  },
  'EVT-1: of another category': {
    ...{ ...delivered, steps: [hook, account(2)], model: '0 deliveries', target: '1 deliveries' },
    earlier: { 1: { status: 201, json: { id: 7, event_categories: ['order'] } } },
    arrived: [{ subscription: '7', body: { category: 'account' } }],
  },
  'EVT-2b: under a new id': {
    steps: [
      { do: 'hook', n: 9, answers: [500, 200] },
      ...[hook, account(2), { do: 'advance', n: 3, byMs: 30_000 } as const],
    ],
    ...{ ...delivered, at: 'envelope.id' },
  },
  'EVT-2a: a new event under an old number': {
    steps: [hook, { do: 'advance', n: 2, byMs: 100_000_000 }, account(3)],
    ...{ ...delivered, at: 'envelope.seq', model: '2', target: '1' },
  },
  'ACC-1: at another brand than a firm has named': {
    steps: [account(1)],
    ...{ due: '201', came: '201', at: 'body.brand_id', model: '"10"', target: '"11"' },
  },
  'ACC-17: at another brand than its own': {
    steps: [call(1, 'createAccount', 'brand', {})],
    ...{ due: '201', came: '201', at: 'body.brand_id', model: '"10"', target: '"11"' },
  },
  'EVT-8b: one attempt too many': {
    steps: [
      { do: 'hook', n: 9, answers: [500] },
      hook,
      account(2),
      { do: 'advance', n: 3, byMs: 86_400_000 },
    ],
    ...{ ...delivered, model: '8 deliveries', target: '9 deliveries' },
  },
  'EVT-12: of an event that an operator lets happen': {
    steps: [hook, { do: 'emit', n: 2, category: 'order', kind: 'order.filled' }],
    ...{ ...delivered, model: '0 deliveries', target: '1 deliveries' },
  },
  'LIM-6: in a header, of a token': {
    steps: [call(1, 'issueToken', 'nobody', {})],
    ...{ operation: 'issueToken', at: 'header.x-ratelimit-reset' },
    ...{ due: '429 rate_limited', came: '429 rate_limited' },
  },
  'AUTH-3b: when tokens are given again': {
    steps: [call(1, 'issueToken', 'nobody', {})],
    ...{ operation: 'issueToken', at: 'header.x-ratelimit-reset', model: '60', target: '3600' },
    ...{ due: '429 rate_limited', came: '429 rate_limited' },
  },
  'LIM-2: of the firm, after a pause': {
    steps: [{ do: 'advance', n: 1, byMs: 20_000 }, call(2, 'listWebhooks', 'firm', {})],
    ...{ due: '429 rate_limited', came: '200', cites: ['LIM-3'] },
  },
  'AUTH-4: for scopes of its own': {
    steps: [
      { do: 'mint', n: 1, name: 'm1', wish: { scopes: ['accounts:write'] } },
      call(2, 'approveTransaction', 'm1', {}),
    ],
    ...{ due: '409 invalid_state', came: '403 forbidden', cites: ['TXS-5'] },
  },
  'EVT-4: nothing has failed': {
    ...{ ...delivered, model: '1 deliveries', target: '0 deliveries' },
    steps: [
      { do: 'hook', n: 1, answers: [200] },
      { do: 'advance', n: 2, byMs: 864_000_000 },
      account(3),
    ],
  },
  'BULK-3: a row that should have failed': {
    steps: [account(1), batch(2, row(2), row(3, { email: mail(1) }))],
    ...{ at: 'body.rows.1.status', due: '200', came: '200', model: '409', target: '201' },
  },
  'ACC-12: a number of a region': {
    steps: [account(1), account(2, { phone: '0', phone_region: 'GB' })],
    ...{ due: '409 invalid_state', came: '201', cites: ['ACC-9'] },
  },
  'IDEM-3: the answer of a batch': {
    steps: [keyed(batch(1, row(1)), 1), keyed(account(2, named(1)), 1)],
    ...{ at: 'body.id', model: '"1"', target: 'nothing', due: '200', came: '200' },
    ...{ earlier: { 1: { status: 200, json: { total: 1 } } }, given: { total: 1 } },
  },
  'UPD-1: what it was before': {
    steps: [account(1, { first_name: 'Ada' }), update(2, { first_name: 'Ada' })],
    ...{ ...ok, at: 'body.first_name', model: '"Ada"', target: '"Zed"' },
  },
  'ACC-14: cut short': {
    steps: [account(1), update(2, { language: 'english' })],
    ...{ ...ok, at: 'body.language', model: '"english"', target: '"engl"' },
  },
  'EVT-13: of a disabled one': {
    ...{ ...delivered, model: '0 deliveries', target: '1 deliveries' },
    steps: [hook, call(2, 'disableWebhook', 'firm', { id: idOf(1) }), account(3)],
  },
  'EVT-3: without a signature': {
    ...{ ...delivered, steps: [hook, account(2)], at: 'signature', target: 'not signed' },
  },
  'EVT-3: without its subscription': {
    ...{ ...delivered, steps: [hook, account(2)], at: 'subscription header', target: 'none' },
  },
  'EVT-6: under no secret': {
    ...{ ...delivered, steps: [hook, account(2)], at: 'signature' },
    target: 'signed by an unknown secret',
  },
};

for (const [name, made] of Object.entries(CALLED)) {
  naming(name, () => assert.is(rulesFor(foundOf(made))[0], name.split(':')[0]));
}

naming.run();
