// A target that has gone away is not called again and again: the rest is open at once.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../../providers/target.ts';
import { EventLoopMonitor } from '../pace/event-loop-monitor.ts';
import { Pacer } from '../pace/pacer.ts';
import { Reachability } from '../pace/reachability.ts';
import { Unreachable } from '../scenario-errors.ts';
import type { WireAnswer } from '../send/sender.ts';
import { AnswerMonitor } from './answer-monitor.ts';
import { ExchangeRecorder, GONE } from './exchange-recorder.ts';

const recording = suite('recording exchanges');

const credential: Credential = {
  ...{ name: 'firm', token: 'tok_x', brandId: '10', firmId: '1', accountId: undefined },
  ...{ tradingAccountId: undefined, clientId: undefined, clientSecret: undefined, rates: [] },
};
const draft = { method: 'GET', path: '/api/v1/accounts', unpaced: true };
const served: WireAnswer = { status: 200, headers: [], body: new Uint8Array() };

/** What each call comes to, one after the other, where these are the fates of what is sent. */
async function play(fates: readonly (Unreachable['reason'] | 'served')[], forMs: number) {
  let sent = 0;
  const recorder = new ExchangeRecorder({
    sender: {
      send: async () => {
        const fate = fates[sent] ?? 'refused';
        sent += 1;
        if (fate === 'served') return served;
        throw new Unreachable(fate, fate);
      },
      close: async () => undefined,
    },
    ...{ pacer: new Pacer(), timeoutMs: 1000, startedAtMs: 0, learned: new Map() },
    ...{ signal: new AbortController().signal, abandonSignal: new AbortController().signal },
    ...{ pause: async () => undefined, onRequest: () => undefined, onSecret: () => undefined },
    ...{ answerMonitor: new AnswerMonitor(), eventLoop: new EventLoopMonitor() },
    reachability: new Reachability(3, forMs),
  });
  const outcomes: string[] = [];
  for (let at = 0; at <= fates.length; at += 1) {
    const call = recorder.call('http://127.0.0.1:1', credential, draft);
    outcomes.push(
      await call.then(
        () => 'served',
        (error: Error) => error.message,
      ),
    );
  }
  return { last: outcomes.at(-1), sent };
}

recording('after so many refused connections in a row nothing more is sent', async () => {
  assert.equal(await play(['refused', 'refused', 'refused'], 0), { last: GONE, sent: 3 });
});

recording('an answer between them, or no answer in time, shows that it is there', async () => {
  const between = await play(['refused', 'refused', 'served', 'refused', 'refused'], 0);
  assert.equal(between, { last: 'refused', sent: 6 });
  const slow = await play(['timeout', 'timeout', 'reset', 'timeout'], 0);
  assert.equal(slow, { last: 'refused', sent: 5 });
});

recording('one that is started again is waited for', async () => {
  const soon = await play(['refused', 'refused', 'refused', 'refused'], 60_000);
  assert.equal(soon, { last: 'refused', sent: 5 });
});

recording.run();
