// How every setting of accounts shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf, update } from './show-setting.ts';

export const accountShows = {
  account_statuses: {
    look: (client) => statusOf(update(client, { status: 'Odd' })),
    seen: [
      [null, 200],
      [['New', 'Active'], 422],
    ],
  },
  account_status_endpoint: {
    look: async (client) => {
      const made = await client.person();
      const { status, body } = await client.call('GET', `accounts/${made.body.id}/status`);
      return [status, body.revision ?? null];
    },
    seen: [
      ['served', [200, 1]],
      ['none', [404, null]],
    ],
  },
  known_reference: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      await client.person(one);
      await client.transaction(one);
      const wrong = [
        client.person({ ...one, email: 'none' }),
        client.transaction({ ...one, amount: 'x' }),
      ];
      return Promise.all(wrong.map(statusOf));
    },
    seen: [
      ['first', [200, 200]],
      ['last', [422, 422]],
    ],
  },
  phone_letters: {
    look: async (client) => (await client.person({ phone: '+1 800 FLOWERS' })).body.phone,
    seen: [
      ['left_out', '1800'],
      ['keypad', '+18003569377'],
    ],
  },
  foreign_brand_status: {
    look: async (client) => {
      const of = async (brand_id: string) => (await client.person({ brand_id })).body.code;
      return [await of('20'), await of('999999999')];
    },
    seen: [
      [403, ['forbidden', 'forbidden']],
      [404, ['not_found', 'not_found']],
      [422, ['validation_failed', 'validation_failed']],
    ],
  },
  account_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const first = await client.person({ ...one, brand_id: '10' });
      const second = await client.person({ ...one, brand_id: '11' });
      return first.body.id === second.body.id;
    },
    seen: [
      ['brand', false],
      ['firm', true],
    ],
  },
  email_case_sensitive: {
    look: async (client) => {
      await client.person({ email: 'one@example.com' });
      return statusOf(client.person({ email: 'ONE@example.com' }));
    },
    seen: [
      [false, 409],
      [true, 201],
    ],
  },
  phone_form: {
    look: async (client) => (await client.person({ phone: '+44 20 7946 0958' })).body.phone,
    seen: [
      ['e164', '+442079460958'],
      ['digits', '442079460958'],
      ['other', '+ 442079460958'],
    ],
  },
  account_named_after_email: {
    look: async (client) => {
      const { body } = await client.person({ email: 'ada@example.com' });
      return [body.first_name, body.last_name];
    },
    seen: [
      ['whole', ['ada@example.com', '']],
      ['local_part', ['ada', '']],
      ['other', ['', 'ada@example.com']],
    ],
  },
  first_revision: {
    look: async (client) => (await client.person()).body.revision,
    seen: [
      [1, 1],
      [7, 7],
    ],
  },
  revision_step: {
    look: async (client) => (await update(client, { status: 'Active' })).body.revision,
    seen: [
      [1, 2],
      [10, 11],
    ],
  },
  transaction_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      const first = await client.transaction(one);
      const made = await client.control('POST', 'accounts/1003/trading-accounts', {});
      const elsewhere = { account_id: '1003', trading_account_id: made.id };
      const second = await client.transaction({ ...one, ...elsewhere });
      return [first.status, second.status];
    },
    seen: [
      ['firm', [201, 200]],
      ['account', [201, 201]],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
