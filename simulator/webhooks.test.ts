// The exports of the public webhooks entry point.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as entryPoint from './webhooks.ts';

test('the module exports the documented names, and nothing else', () => {
  assert.equal(Object.keys(entryPoint).sort(), [
    'defaultToleranceMs',
    'diagnoseWebhook',
    'signWebhook',
    'verifyWebhook',
  ]);
  assert.is(entryPoint.defaultToleranceMs, 5 * 60 * 1000);
});

test.run();
