// How buckets refill, their maximum, and which ids name the same subject of a key.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../fixtures/settings.ts';
import { conformingBehaviour } from './behaviour.ts';
import type { Body, RequestContext } from './pipeline/request-context.ts';

const policies = suite('policies');
const behaviour = conformingBehaviour(defaultSettings);
const { level } = behaviour.limits;
const { subjects } = behaviour.keys;

policies('a bucket holds one second of allowance, and at least one request (LIM-2)', () => {
  assert.is(level(undefined, 5, 1000), 5000);
  assert.is(level(undefined, 0.5, 1000), 1000);
  const empty = { units: 0, atMs: 1000 };
  const rows = [
    [5, 1000, 0],
    [5, 1199, 995],
    [5, 1200, 1000],
    [5, 2000, 5000],
    [5, 9_999_999, 5000],
    [0.5, 3000, 1000],
    [200, 1005, 1000],
    // A clock that moves backwards neither adds nor removes allowance.
    [5, 0, 0],
  ] as const;
  for (const [perSecond, atMs, units] of rows) {
    assert.is(level(empty, perSecond, atMs), units, `${perSecond}/s at ${atMs}`);
  }
});

policies('a bucket that is above a new, lower rate is cut to that rate', () => {
  assert.is(level({ units: 200_000, atMs: 1000 }, 5, 1000), 5000);
});

policies('every spelling of an id is the same subject (NS-48)', () => {
  const subject = (operation: keyof typeof subjects, body: Body) =>
    subjects[operation]!({ body, behaviour, pathId: body.id } as RequestContext);
  const rows = [
    ['bulkCreateAccounts', (id: string) => ({ accounts: [{ brand_id: id }] })],
    ['openPosition', (id: string) => ({ trading_account_id: id })],
    ['closePosition', (id: string) => ({ trading_account_id: id })],
    ['updateAccount', (id: string) => ({ id })],
  ] as const;
  for (const [operation, bodyWith] of rows) {
    const plain = subject(operation, bodyWith('10'));
    assert.is(subject(operation, bodyWith('010')), plain, operation);
    assert.is.not(subject(operation, bodyWith('11')), plain, operation);
  }
});

policies.run();
