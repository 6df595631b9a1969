// TXS-14: where a decision needs a reason an empty one is refused, and nowhere else; what stands in
// the way of the decision itself is said first.
// time limit: 30 s
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox } from '../index.ts';
import { SandboxClient } from './settings/show-setting.ts';

const reasons = suite('reasons');

const before = {
  pending: [],
  approved: ['approve'],
  rejected: ['reject'],
  cancelled: ['cancel'],
  settled: ['approve', 'settle'],
} as const;

type State = keyof typeof before;

/** What is answered to a reason that is empty: a status and, of a refusal, its code. */
const expected: Readonly<Record<'reject' | 'cancel', Readonly<Record<State, string>>>> = {
  reject: {
    pending: '422 validation_failed',
    approved: '409 invalid_state',
    rejected: '200 rejected',
    cancelled: '409 invalid_state',
    settled: '409 invalid_state',
  },
  cancel: {
    pending: '422 validation_failed',
    approved: '409 invalid_state',
    rejected: '409 invalid_state',
    cancelled: '200 cancelled',
    settled: '422 validation_failed',
  },
};

async function withClient(work: (client: SandboxClient) => Promise<void>): Promise<void> {
  const client = new SandboxClient(await createSandbox({ clock: 'frozen', plan: 'pro' }));
  await work(client).finally(() => client.close());
}

/** The id of a new transaction in this state. */
async function made(client: SandboxClient, state: State): Promise<string> {
  const { id } = (await client.transaction()).body;
  for (const step of before[state]) {
    if (step === 'settle') await client.control('POST', `transactions/${id}/settle`);
    else await decide(client, id, step, step === 'approve' ? undefined : { reason: 'the first' });
  }
  return id;
}

const decide = (client: SandboxClient, id: string, verb: string, body?: object, as = 'firm') =>
  client.call('POST', `transactions/${id}/${verb}?account_id=1002`, {
    ...(body === undefined ? {} : { body }),
    as,
  });

async function stored(client: SandboxClient, id: string) {
  const { transactions } = await client.control('GET', 'transactions');
  return transactions.find((each: { id: string }) => each.id === id);
}

for (const verb of ['reject', 'cancel'] as const) {
  reasons(`${verb}: an empty one, from every state`, () =>
    withClient(async (client) => {
      for (const [state, wanted] of Object.entries(expected[verb]) as [State, string][]) {
        for (const reason of ['', '  ']) {
          const id = await made(client, state);
          const was = await stored(client, id);
          const { status, body } = await decide(client, id, verb, { reason });
          assert.is(`${status} ${status < 300 ? body.status : body.code}`, wanted, state);
          assert.equal(await stored(client, id), was, `${state}: nothing changed`);
        }
      }
    }),
  );
}

reasons('who may not cancel what is settled is told so, whatever the reason', () =>
  withClient(async (client) => {
    const id = await made(client, 'settled');
    const { status, body } = await decide(client, id, 'cancel', { reason: '' }, 'no-amend');
    assert.equal([status, body.code], [403, 'forbidden']);
  }),
);

reasons('a transaction that is not there is 404, whatever the reason', () =>
  withClient(async (client) => {
    for (const verb of ['reject', 'cancel']) {
      const { status } = await decide(client, '99999', verb, { reason: '' });
      assert.is(status, 404);
    }
  }),
);

reasons('an absent one makes the body unreadable, also where none is needed', () =>
  withClient(async (client) => {
    for (const state of ['pending', 'rejected'] as const) {
      const id = await made(client, state);
      const { status, headers } = await decide(client, id, 'reject', {});
      assert.equal([status, headers.get('content-type')], [422, 'text/plain; charset=utf-8']);
    }
  }),
);

reasons.run();
