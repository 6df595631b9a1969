// Whose token a call carries: those that the world began with, and those that were issued since.
import type { ApiCall, ApiResponse } from '../call.ts';
import { parseJson } from '../json.ts';
import { membersOf } from '../operations.ts';
import type { SandboxWorld } from '../port.ts';

export class Credentials {
  readonly #clients = new Map<string, string>();
  readonly #issued = new Set<string>();

  constructor(secrets: SandboxWorld['secrets']) {
    for (const { value, clientId } of secrets) this.#clients.set(value, clientId);
  }

  clientOf(token: string): string | null {
    return this.#clients.get(token) ?? null;
  }

  /** It comes from the token endpoint, in this run. */
  isIssued(token: string): boolean {
    return this.#issued.has(token);
  }

  /** Tokens and secrets of this run. */
  get secrets(): string[] {
    return [...this.#clients.keys()];
  }

  /** An answer of the token endpoint. */
  learn(call: Pick<ApiCall, 'headers' | 'body'>, { status, body }: ApiResponse): void {
    const { access_token: token } = membersOf(parseJson(body));
    if (status !== 200 || typeof token !== 'string') return;
    this.#issued.add(token);
    this.#clients.set(token, askedBy(call) ?? 'unknown');
  }
}

/** The client of a token request, from its header or its body. */
function askedBy({ headers, body }: Pick<ApiCall, 'headers' | 'body'>): string | null {
  const basic = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const encoded = /^basic +(\S+)/i.exec(basic ?? '')?.[1];
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString().split(':')[0] ?? null;
  const { client_id: id } = membersOf(parseJson(body));
  return typeof id === 'string' ? id : new URLSearchParams(body).get('client_id');
}
