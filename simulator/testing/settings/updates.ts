// How every setting of updates shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf, update } from './show-setting.ts';

export const updateShows = {
  update_null: {
    look: async (client) => {
      const { status, body } = await update(client, { country: 'NO', first_name: null });
      return [status, body.first_name ?? null];
    },
    seen: [
      ['not_sent', [200, 'person-1@example.com']],
      ['cleared', [200, null]],
      ['refused', [422, null]],
    ],
  },
  update_other_members: {
    look: (client) => statusOf(update(client, { country: 'NO', email: 'other@example.com' })),
    seen: [
      ['ignored', 200],
      ['refused', 422],
    ],
  },
  missing_if_match: {
    look: (client) => statusOf(update(client, { status: 'Active' }, {})),
    seen: [
      [422, 422],
      [428, 428],
      [400, 400],
      [412, 412],
    ],
  },
  tag_before_no_change: {
    look: (client) => statusOf(update(client, {}, { 'if-match': '"99"' })),
    seen: [
      [true, 412],
      [false, 422],
    ],
  },
  if_match_star: {
    look: (client) => statusOf(update(client, { status: 'Active' }, { 'if-match': '*' })),
    seen: [
      ['malformed', 422],
      ['any', 200],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
