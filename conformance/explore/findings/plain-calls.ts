// Calls of which nothing is special, numbered by what they name.
import type { OperationName } from '../../engine/operations.ts';
import type { CallStep, Value } from '../sequence.ts';

export function call(
  n: number,
  operation: OperationName,
  as: string,
  rest: Partial<CallStep>,
): CallStep {
  return { do: 'call', n, operation, as, key: { $fresh: `key${n}` }, ...rest };
}

export function create(n: number, as: string, over: Readonly<Record<string, Value>>): CallStep {
  return call(n, 'createAccount', as, { body: { ...person(n, as), ...over } });
}

export function person(n: number, as: string) {
  const brand: Value = { $role: as, has: 'brand' };
  return { client_reference_id: { $fresh: `ref${n}` }, email: mail(n), brand_id: brand };
}

export function mail(n: number): Value {
  return { $join: [{ $fresh: `mail${n}` }, '@explore.example.com'] };
}

export function idOf(n: number): Value {
  return { $of: n, at: 'id' };
}
