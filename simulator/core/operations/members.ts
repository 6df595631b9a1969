// Members of a body that has been read: texts that may be missing.
import type { Body } from '../pipeline/request-context.ts';

/** A text member; null stands for a missing one as well as for an explicit null. */
export function optionalText(body: Body, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}
