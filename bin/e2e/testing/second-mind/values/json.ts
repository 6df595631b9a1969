// JSON values, and reading them without trusting their shape.
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function textOr<T>(value: Json | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}
