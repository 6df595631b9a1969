// How every setting of transitions shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { SandboxClient, SettingCheck } from './show-setting.ts';

type Verb = 'approve' | 'reject' | 'cancel';

/** A new transaction, or another of account 1002, taken through these verbs; the last answer. */
async function move(client: SandboxClient, id: string | null, ...verbs: readonly Verb[]) {
  const moved = id ?? (await client.transaction()).body.id;
  let last: unknown = null;
  for (const verb of verbs) {
    const asked = verb === 'approve' ? {} : { body: { reason: 'Asked for.', operator: 'ops' } };
    const path = `transactions/${moved}/${verb}?account_id=1002`;
    const { status, body } = await client.call('POST', path, asked);
    last = [status, body.status === status ? body.code : body.status];
  }
  return last;
}

const settledId = '9006';

export const transitionShows = {
  settlement_delay_ms: {
    look: async (client) => {
      const { body } = await client.transaction();
      await move(client, body.id, 'approve');
      await client.advance(2000);
      const { transactions } = await client.control('GET', 'transactions');
      return transactions.find(({ id }: { id: string }) => id === body.id).status;
    },
    seen: [
      [2000, 'settled'],
      [null, 'approved'],
    ],
  },
  reject_from_approved: {
    look: (client) => move(client, null, 'approve', 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  reject_from_settled: {
    look: (client) => move(client, settledId, 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  cancel_from_approved: {
    look: (client) => move(client, null, 'approve', 'cancel'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['cancelled', [200, 'cancelled']],
    ],
  },
  approve_from_settled: {
    look: (client) => move(client, settledId, 'approve'),
    seen: [
      ['unchanged', [200, 'settled']],
      ['refused', [409, 'invalid_state']],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
