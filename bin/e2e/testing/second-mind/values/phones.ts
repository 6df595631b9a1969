// Phones in one form, so that two spellings of one number are seen to be the same (ACC-9, ACC-11).
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';

/** NS-24: E.164 where it can be parsed, the digits as sent otherwise, as sent without any digit. */
export function normalisePhone(text: string, region: string | null, isStrict = false): string {
  const hint = (region ?? '').toUpperCase();
  const country = isSupportedCountry(hint) ? (hint as CountryCode) : undefined;
  const parsed = parsePhoneNumberFromString(text, country);
  if (parsed !== undefined && (parsed.isValid() || !isStrict)) return parsed.number;
  const digits = text.replace(/[^0-9]/g, '');
  if (digits === '') return text;
  return text.trim().startsWith('+') ? `+${digits}` : digits;
}

export function hasDigits(phone: string): boolean {
  return /\d/.test(phone);
}
