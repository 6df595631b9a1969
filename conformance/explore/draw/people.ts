// Bodies of accounts, and the values at the edges of what they may hold.
import type { PhoneForm, Value } from '../sequence.ts';
import { type Drawing, type Members, members } from './idea.ts';

export const SCRIPTS: readonly string[] = [
  'Ada',
  'Zoë',
  'Łukasz',
  'Анна',
  '李雷',
  'عمر',
  'ประยุทธ์',
  'O’Brien',
  'Jean-Luc',
  '"quoted"',
  '<b>bold</b>',
  'a & b',
  '👩‍🚀',
  'e\u0301',
  '  spaced  ',
  'null',
  '0',
];

export const LONG = 'n'.repeat(300);

/** Long enough for an answer or an event that holds it to be more than a few kilobytes. */
export const VERY_LONG = 'v'.repeat(9_000);

export const COUNTRIES: readonly string[] = [
  'GB',
  'gb',
  'United Kingdom',
  'XX',
  'Côte d’Ivoire',
  '🇬🇧',
];
export const LANGUAGES: readonly string[] = ['en', 'EN', 'en-GB', 'zh-Hant', 'Deutsch'];
export const STATUSES: readonly string[] = [
  'Active',
  'active',
  'VIP',
  'closed',
  ' Active ',
  'New',
  'Новый',
  'x'.repeat(120),
];

const FORMS: readonly PhoneForm[] = ['e164', 'spaced', 'zeros', 'national', 'dashes'];

/** An account that is valid, with `over` laid over it; undefined takes a member out. */
export function person(
  d: Drawing,
  as: string,
  over: { readonly [name: string]: Value | undefined } = {},
): Members {
  const stem = `a${d.stem()}`;
  const base: { [name: string]: Value | undefined } = {
    client_reference_id: { $fresh: stem },
    email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
    brand_id: { $role: as, has: 'brand' },
  };
  if (d.random.chance(0.5)) {
    base.first_name = d.random.pick(SCRIPTS);
    base.last_name = d.random.pick(SCRIPTS);
  }
  if (d.random.chance(0.2)) base.country = d.random.pick(COUNTRIES);
  if (d.random.chance(0.2)) base.language = d.random.pick(LANGUAGES);
  if (d.random.chance(0.25)) Object.assign(base, phoneMembers(stem, d.random.pick(FORMS)));
  return members({ ...base, ...over });
}

export function phoneMembers(stem: string, form: PhoneForm): { [name: string]: Value } {
  const phone: Value = { $phone: stem, form };
  return form === 'national' || form === 'zeros' ? { phone, phone_region: 'GB' } : { phone };
}
