// Every setting of accounts shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { accountSettings } from '../fixtures/settings/accounts.ts';
import {
  type Asked,
  type Desk,
  type Show,
  showSetting,
  showsOf,
  statusOf,
} from './settings-under-test.ts';

/** Updates a new person under the tag that it has, or another. */
async function update(desk: Desk, body: object, headers?: Asked['headers']) {
  const made = await desk.person();
  const tag = made.headers.get('etag') ?? '';
  return desk.call('PATCH', `accounts/${made.body.id}`, {
    body,
    headers: headers ?? { 'if-match': tag },
  });
}

const bulk = (desk: Desk, row: object, as = 'firm') =>
  desk.post('accounts/bulk', { accounts: [{ client_reference_id: 'one', ...row }] }, { as });

const accountShows: Readonly<Record<keyof typeof accountSettings, Show>> = {
  account_statuses: {
    look: (desk) => statusOf(update(desk, { status: 'Odd' })),
    seen: [
      [null, 200],
      [['New', 'Active'], 422],
    ],
  },
  batch_refusal_status: {
    look: (desk) =>
      statusOf(bulk(desk, { client_reference_id: undefined, email: 'a@x.y', brand_id: '10' })),
    seen: [
      [422, 422],
      [400, 400],
    ],
  },
  batch_brand_refusal_status: {
    look: (desk) => statusOf(bulk(desk, { email: 'a@x.y', brand_id: '11' }, 'brand-a')),
    seen: [
      [403, 403],
      [422, 422],
    ],
  },
  bulk_row_problems: {
    look: (desk) => statusOf(bulk(desk, { brand_id: '10' })),
    seen: [
      ['row', 200],
      ['batch', 422],
    ],
  },
  missing_if_match: {
    look: (desk) => statusOf(update(desk, { status: 'Active' }, {})),
    seen: [
      [422, 422],
      [428, 428],
      [400, 400],
      [412, 412],
    ],
  },
  tag_before_no_change: {
    look: (desk) => statusOf(update(desk, {}, { 'if-match': '"99"' })),
    seen: [
      [true, 412],
      [false, 422],
    ],
  },
  if_match_star: {
    look: (desk) => statusOf(update(desk, { status: 'Active' }, { 'if-match': '*' })),
    seen: [
      ['malformed', 422],
      ['any', 200],
    ],
  },
  account_reference_scope: {
    look: async (desk) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const first = await desk.person({ ...one, brand_id: '10' });
      const second = await desk.person({ ...one, brand_id: '11' });
      return first.body.id === second.body.id;
    },
    seen: [
      ['brand', false],
      ['firm', true],
    ],
  },
  email_case_sensitive: {
    look: async (desk) => {
      await desk.person({ email: 'one@example.com' });
      return statusOf(desk.person({ email: 'ONE@example.com' }));
    },
    seen: [
      [false, 409],
      [true, 201],
    ],
  },
  phone_form: {
    look: async (desk) => (await desk.person({ phone: '+44 20 7946 0958' })).body.phone,
    seen: [
      ['e164', '+442079460958'],
      ['digits', '442079460958'],
    ],
  },
  account_named_after_email: {
    look: async (desk) => (await desk.person({ email: 'ada@example.com' })).body.first_name,
    seen: [
      ['whole', 'ada@example.com'],
      ['local_part', 'ada'],
    ],
  },
  first_revision: {
    look: async (desk) => (await desk.person()).body.revision,
    seen: [
      [1, 1],
      [7, 7],
    ],
  },
  revision_step: {
    look: async (desk) => (await update(desk, { status: 'Active' })).body.revision,
    seen: [
      [1, 2],
      [10, 11],
    ],
  },
};

const settings = suite('settings: accounts');
for (const [key, show] of showsOf(accountShows)) settings(key, () => showSetting(key, show));
settings.run();
