// The explorer as people start it, on a simulator that deviates and on one that does not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explore } from '../../conformance/explore/explore.ts';
import { defaultSettings } from '../../fixtures/settings.ts';
import { findDeviation } from '../../simulator/deviations/register.ts';
import { simulatorModel } from '../commands/conformance/explore-model.ts';

const exploring = suite('explore');

async function explored(deviation: string | null, requests: number) {
  const bent = deviation === null ? [] : [findDeviation(deviation)!];
  const target = await simulatorModel(defaultSettings, bent);
  try {
    return await explore({
      provider: target.provider,
      sender: target.sender,
      makeModel: () => simulatorModel(defaultSettings),
      settings: {},
      seed: 1,
      requests,
      untilMs: Number.POSITIVE_INFINITY,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      masked: new Set(),
      crowd: 8,
      width: 1,
      firstOnly: true,
    });
  } finally {
    await target.close();
  }
}

exploring('a conforming simulator agrees, and never more is sent than was asked for', async () => {
  const { found, agreed, requests, inconclusive } = await explored(null, 400);
  assert.equal(found, []);
  assert.equal(inconclusive, []);
  assert.ok(agreed > 10);
  assert.ok(requests <= 400);
});

exploring('what deviates is found, and shrunk to the calls that show it', async () => {
  const { found } = await explored('account-reference-taken-is-409', 400);
  assert.is(found.length, 1);
  const [{ difference, calls, reproduced }] = found as [(typeof found)[0]];
  assert.is(difference.operation, 'createAccount');
  assert.is(difference.modelAnswer, '200');
  assert.is(difference.targetAnswer, '409 invalid_state');
  assert.is(calls, 2);
  assert.is(reproduced, '2 of 2');
});

exploring.run();
