// Every setting of access, keys and limits shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { accessSettings } from '../fixtures/settings/access.ts';
import { type Desk, type Show, showSetting, showsOf, statusOf } from './settings-under-test.ts';

const dayMs = 86_400_000;

/** Asks for a token with the secret of a credential, or with another. */
async function askToken(desk: Desk, secret?: string) {
  const { client_id, client_secret } = desk.sandbox.credential('firm');
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret: secret ?? client_secret,
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return desk.call('POST', 'oauth/token', {
    as: null,
    text: new URLSearchParams(form).toString(),
    headers,
  });
}

const accessShows: Readonly<Record<keyof typeof accessSettings, Show>> = {
  token_lifetime_s: {
    look: async (desk) => (await askToken(desk)).body.expires_in,
    seen: [
      [3600, 3600],
      [60, 60],
    ],
  },
  token_errors: {
    look: async (desk) => {
      const { status, body } = await askToken(desk, 'wrong');
      return [status, body.error ?? null, body.code ?? null];
    },
    seen: [
      ['oauth', [401, 'invalid_client', null]],
      ['problem', [401, null, 'invalid_client']],
    ],
  },
  unauthorized_status: {
    look: (desk) => statusOf(desk.person({}, { as: null })),
    seen: [
      [401, 401],
      [403, 403],
    ],
  },
  unauthorized_code: {
    look: async (desk) => (await desk.person({}, { as: null })).body.code,
    seen: [
      ['unauthorized', 'unauthorized'],
      ['no_token', 'no_token'],
    ],
  },
  replay_etag: {
    look: async (desk) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      await desk.person(one, { key: 'same' });
      const { headers } = await desk.person(one, { key: 'same' });
      return [headers.get('etag') !== null, await desk.idempotency()];
    },
    seen: [
      [true, [true, 'replayed']],
      [false, [false, 'replayed']],
    ],
  },
  unrecorded_refusals: {
    look: async (desk) => {
      const { client_id } = desk.sandbox.credential('no-scopes');
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const asked = { as: 'no-scopes', key: 'same' };
      const refused = await desk.person(one, asked);
      await desk.control('PATCH', `credentials/${client_id}`, { scopes: ['accounts:write'] });
      return [refused.status, (await desk.person(one, asked)).status];
    },
    seen: [
      [[], [403, 403]],
      [[403], [403, 201]],
    ],
  },
  abandon_after_ms: {
    look: async (desk) => {
      await desk.sandbox.faults.add({ effect: { kind: 'hang' }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      // Cut off at the end, when the sandbox is closed.
      void desk.person(one, { key: 'same' }).catch(() => null);
      await desk.inFlight('same');
      await desk.advance(30_000);
      return statusOf(desk.person(one, { key: 'same' }));
    },
    seen: [
      [30_000, 201],
      [60_000, 409],
    ],
  },
  subject_case_sensitive: {
    look: async (desk) => {
      const email = 'one@example.com';
      await desk.person({ client_reference_id: 'one', email }, { key: 'same' });
      await desk.person({ client_reference_id: 'ONE', email }, { key: 'same' });
      return desk.idempotency();
    },
    seen: [
      [false, 'replayed'],
      [true, 'converged'],
    ],
  },
  key_across_brands: {
    look: async (desk) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const first = await desk.person({ ...one, brand_id: '10' }, { key: 'same' });
      const second = await desk.person({ ...one, brand_id: '11' }, { key: 'same' });
      return [await desk.idempotency(), second.body.id === first.body.id];
    },
    seen: [
      ['replay', ['replayed', true]],
      ['separate', ['first', false]],
    ],
  },
  key_age_from: {
    look: async (desk) => {
      await desk.sandbox.faults.add({ effect: { kind: 'delay', ms: 10_000 }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const slow = desk.person(one, { key: 'same' });
      await desk.inFlight('same');
      await desk.advance(10_000);
      await slow;
      await desk.advance(dayMs - 5000);
      await desk.person(one, { key: 'same' });
      return desk.idempotency();
    },
    seen: [
      ['answer', 'replayed'],
      ['request', 'converged'],
    ],
  },
  firm_rate_from: {
    plan: 'sandbox',
    look: async (desk) => {
      const { client_id } = desk.sandbox.credential('firm');
      await desk.control('PATCH', `credentials/${client_id}`, { rate_per_second: 100 });
      const { buckets } = await desk.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === 'firm:1').rate_per_second;
    },
    seen: [
      ['firm_plan', 20],
      ['highest_credential', 400],
    ],
  },
  delegated_bucket: {
    look: async (desk) => {
      const { buckets } = await desk.control('GET', 'buckets');
      const names: string[] = buckets.map(({ name }: { name: string }) => name);
      return names.filter((name) => name.startsWith('delegated:')).length;
    },
    seen: [
      ['minting_credential', 1],
      ['token', 2],
    ],
  },
};

const settings = suite('settings: access');
for (const [key, show] of showsOf(accessShows)) settings(key, () => showSetting(key, show));
settings.run();
