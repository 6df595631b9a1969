// The exports of the public webhooks entry point.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as door from './webhooks.ts';

test('the module exports the documented names, and nothing else', () => {
  assert.equal(Object.keys(door).sort(), [
    'defaultToleranceMs',
    'diagnoseWebhook',
    'signWebhook',
    'verifyWebhook',
  ]);
  assert.is(door.defaultToleranceMs, 5 * 60 * 1000);
});

test.run();
