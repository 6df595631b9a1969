// The symbols of a sequence, by which its steps may depend on one another.
import { callsOf, partsOf, type Step } from '../sequence.ts';

/** `text ref7` for a fresh text, `answer 3` for a value from the response to step 3. */
export function symbolOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { $fresh, $phone, $of, $header } = value as { readonly [name: string]: unknown };
  const text = $fresh ?? $phone;
  if (text !== undefined) return `text ${String(text)}`;
  const step = $of ?? $header;
  return step === undefined ? undefined : `answer ${String(step)}`;
}

export const symbolsIn = (value: unknown): readonly string[] =>
  [...partsOf(value)].flatMap((part) => symbolOf(part) ?? []);

/** Includes the minted credentials, which may be metered. */
export const symbolsOf = (step: Step): readonly string[] => [
  ...symbolsIn(step),
  ...callsOf([step]).flatMap(({ as }) => (/^m\d/.test(as) ? [`as ${as}`] : [])),
];

/** Without the parent under which a record is created: creating a record does not change it. */
export function changedBy(step: Step): readonly string[] {
  if (step.do !== 'call' || !/^createT|^openP/.test(step.operation)) return symbolsOf(step);
  const { account_id: _, trading_account_id: __, currency: ___, ...body } = Object(step.body);
  return symbolsOf({ ...step, body });
}

/** Symbols that name the same record, each mapped to all of them. */
export function recordsIn(steps: readonly Step[]): ReadonlyMap<string, ReadonlySet<string>> {
  const records = new Map<string, Set<string>>();
  for (const { n, operation, id, body } of callsOf(steps)) {
    const references = [...partsOf(body)].map((part) => part.client_reference_id);
    const named = symbolsIn(/^create|^bulkCreate/.test(operation) ? references : id);
    const all = new Set([`answer ${n}`, ...named]);
    for (const each of [...all]) for (const other of records.get(each) ?? []) all.add(other);
    for (const each of all) records.set(each, all);
  }
  return records;
}
