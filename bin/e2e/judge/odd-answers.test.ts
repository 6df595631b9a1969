// A target may return values of any type: no scenario throws because of one.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { createSandbox } from '../../../simulator/index.ts';

const odd = suite('odd answers');

/** A value that throws when it is converted to a string. */
const ODD = { toString: 'x', valueOf: 'x' };

/** The JSON with an odd value instead of each member that `isOdd` names. */
function withOdd(value: unknown, isOdd: (name: string) => boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withOdd(each, isOdd));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, each]) => [name, isOdd(name) ? ODD : withOdd(each, isOdd)]),
  );
}

const FORMS: readonly (readonly [words: string, isOdd: (name: string) => boolean])[] = [
  ['every id', (name) => /(^|_)id$/.test(name)],
  ['everything but ids', (name) => !/(^|_)id$|^rows$/.test(name)],
];

for (const [words, isOdd] of FORMS) {
  odd(`${words} is an object that cannot be converted to a string`, async () => {
    const sandbox = await createSandbox({ clock: 'frozen' });
    const baseUrl = 'http://odd.test';
    const sender = fetchSender(async (request) => {
      const answer = await sandbox.fetch(request);
      if (!new URL(request.url).pathname.startsWith('/api/')) return answer;
      const text = await answer.text();
      const isJson = /json/.test(answer.headers.get('content-type') ?? '');
      const body = isJson && text !== '' ? JSON.stringify(withOdd(JSON.parse(text), isOdd)) : text;
      const { status, headers } = answer;
      return new Response([204, 304].includes(status) ? null : body, { status, headers });
    });
    const provider = await controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });
    // They send many requests of one kind.
    const many = /^idem-(many-keys|crowd-)|^auth-(scope-matrix|permissions|token-everywhere)$/;
    const own = scenarios.filter(({ id, lane }) => lane !== 'limits' && !many.test(id));
    const pause = () => sleep(5);
    const run = await runScenarios({ scenarios: own, provider, sender, pause, timeoutMs: 2_000 });
    const broken = run.scenarios.filter(({ verdict }) => verdict === 'harness_error');
    const words = broken.map(({ id, why }) => `${id}: ${why?.split('\n').slice(0, 3).join(' ')}`);
    assert.equal(words, []);
    await provider.close();
    await sandbox.close();
  });
}

odd.run();
