// Values of strangers as a hint may show them: short, on one line, and no secret among them.
import { hidden, secretMembers } from '../../../fixtures/schemas/secret-members.ts';

const longest = 40;

/** A text of a stranger in quotes, cut where it is long; control characters are escaped. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length <= longest ? text : `${text.slice(0, longest)}…`);
}

/** The name of a member: as it is where it reads like one. */
export function showName(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoteText(name);
}

/** A value of the member that this path ends with. */
export function showValue(path: string, value: unknown): string {
  if (value === undefined) return 'left out';
  if (isSecret(path)) return hidden;
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value)) return value.every(isPlain) ? showList(value) : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function isSecret(path: string): boolean {
  return path.split('.').some((name) => secretMembers.has(name.toLowerCase()));
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function showList(values: readonly unknown[]): string {
  const shown = values.slice(0, 4).map((value) => quoteText(String(value)));
  return `[${shown.join(', ')}${values.length > 4 ? ', …' : ''}]`;
}

/** Some of many: `a, b, c and 4 more`. */
export function someOf(all: readonly string[], most = 3): string {
  const more = all.length - most;
  return more <= 0 ? all.join(', ') : `${all.slice(0, most).join(', ')} and ${more} more`;
}
