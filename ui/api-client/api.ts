// Calls of the API itself, as a client would make them: with a token, and with a key of its own.
import type { CredentialShown } from '../../simulator/control/schemas/records.ts';
import { ControlPlaneError, detailOf } from './control-plane.ts';

export interface ApiCall {
  readonly token: string;
  readonly method: string;
  /** Behind `/api/v1/`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Calls the API; a refusal is an error with what the problem says. */
export async function callApi({ token, method, path, body }: ApiCall): Promise<unknown> {
  const response = await fetchApi(`/api/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': freshKey(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new ControlPlaneError(response.status, detailOf(text, response.status));
  return text === '' ? null : JSON.parse(text);
}

export async function fetchApi(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof TypeError) throw new ControlPlaneError(0, 'No answer came.');
    throw error;
  }
}

export function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export interface Reaching {
  readonly firm_id: string;
  readonly brand_id: string | null;
}

/** A credential with a token that may do this to what is there; a firm-wide one if possible. */
export function findCredential(
  credentials: readonly CredentialShown[],
  { firm_id, brand_id }: Reaching,
  scopes: readonly string[],
): CredentialShown | undefined {
  const fit = credentials.filter(
    (each) =>
      each.token !== null &&
      each.kind === 'server' &&
      each.firm_id === firm_id &&
      (each.brand_id === null || each.brand_id === brand_id) &&
      scopes.every((scope) => each.scopes.includes(scope)),
  );
  return fit.find((each) => each.brand_id === null) ?? fit[0];
}
