// What an account keeps of a request: its names, phone, country and language (ACC-11 to ACC-14).
import { invalid, type RequestContext } from '../request-context.ts';
import { textOr } from '../values/json.ts';
import { normalisePhone } from '../values/phones.ts';
import type { Answer } from '../values/records.ts';

type Name = string | null;

/** ACC-13 */
export function namesOf({ body, mind }: RequestContext, email: string): readonly [Name, Name] {
  const first = textOr(body.first_name, null);
  const last = textOr(body.last_name, null);
  if (mind.has('comb-half-named') && last !== null) return [first ?? email, last];
  if (first !== null || last !== null || mind.has('acc-unnamed')) return [first, last];
  const most = mind.has('size-derived-name-64') ? 64 : email.length;
  const [one, two] = mind.style.namedAfter(email);
  return [one?.slice(0, most) ?? null, two];
}

export function phoneOf({ body, mind }: RequestContext): string | null {
  const whole = textOr(body.phone, null);
  if (whole === null) return null;
  const sent = mind.has('size-phone-raw-20') ? whole.slice(0, 20) : whole;
  if (mind.has('acc-phone-raw')) return sent;
  const region = textOr(body.phone_region, null);
  const country = textOr(body.country, region);
  const named = mind.has('acc-region-constant') ? 'GB' : region;
  const nearest = region !== null && mind.has('comb-country-over-region') ? country : named;
  const hint = mind.has('acc-region-ignored') ? null : nearest;
  return mind.style.phone(normalisePhone(sent, hint, mind.style.strictPhones));
}

export function phoneLengthProblem(ctx: RequestContext): Answer | null {
  const digits = textOr(ctx.body.phone, '').replace(/\D/g, '');
  if (digits.length <= 15 || !ctx.mind.has('size-phone-15')) return null;
  return invalid(ctx, 'phone has more than 15 digits', 'phone');
}

export function countryProblem(ctx: RequestContext): Answer | null {
  const country = textOr(ctx.body.country, null);
  if (country === null || !ctx.mind.has('acc-country-iso')) return null;
  const isCode = /^[a-z]{2}$/i.test(country);
  return isCode ? null : invalid(ctx, 'country must have two letters', 'country');
}

/** ACC-14 */
export function storedCountry({ mind }: RequestContext, country: string | null): string | null {
  if (mind.has('acc-country-trimmed')) return country?.trim() ?? null;
  if (mind.has('acc-country-upper')) return country?.toUpperCase() ?? null;
  if (mind.has('size-country-emoji')) return country?.replace(/[^\0-\uffff]/gu, '?') ?? null;
  return country;
}

export function storedLanguage({ mind }: RequestContext, language: string | null): string | null {
  if (mind.has('size-language-35')) return language?.slice(0, 35) ?? null;
  return mind.has('acc-language-cut') ? (language?.slice(0, 2) ?? null) : language;
}
