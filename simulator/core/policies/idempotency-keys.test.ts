// Which ids name the same subject.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import { conformingBehaviour, keyPolicy } from './conforming.ts';

const keys = suite('idempotency keys');
const policy = keyPolicy(defaultSettings);

keys('every spelling of an id is the same subject (NS-48)', () => {
  const behaviour = conformingBehaviour(defaultSettings);
  const subject = (operation: keyof typeof policy.subjects, body: Body) =>
    policy.subjects[operation]!({ body, behaviour, pathId: body.id } as RequestContext);
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

keys.run();
