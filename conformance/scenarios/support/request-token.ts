// Tokens from the token endpoint, requested in the form of OAuth that the target accepts (NS-8).

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { type TokenForm, tokenCall } from '../../engine/send/call.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';

export const FORMS: readonly TokenForm[] = ['basic', 'form', 'json'];
const TOKEN_NAMES = ['access_token', 'token', 'accessToken'] as const;

export type Known = Credential & { readonly clientId: string; readonly clientSecret: string };

function isKnown(credential: Credential): credential is Known {
  return credential.clientId !== undefined && credential.clientSecret !== undefined;
}

/** A separate client if possible, because the endpoint counts by client. */
export async function clientOf(t: ScenarioContext, options: CredentialOptions): Promise<Known> {
  const credential = t.has('mint') ? await t.operator.mint(options) : await t.credential('client');
  if (isKnown(credential)) return credential;
  throw new Blocked('setup failed: a client_id and its client_secret are not known');
}

/** The first form that gets a token; undefined if none does, with all answers in `seen`. */
export async function findForm(t: ScenarioContext, client: Known, seen: Answer[] = []) {
  for (const form of FORMS) {
    const answer = await t.answered(tokenCall(client.clientId, client.clientSecret, form));
    seen.push(answer);
    const token = tokenIn(answer);
    if (token !== undefined) return { form, answer, holder: { ...client, token } };
  }
  return undefined;
}

/** The same for a scenario that can test nothing without a token. */
export async function tokenOf(t: ScenarioContext, client: Known) {
  const found = await findForm(t, client);
  if (found !== undefined) return found;
  throw new Blocked('the token endpoint gives no token');
}

export async function anotherToken(t: ScenarioContext, credential: Credential) {
  return isKnown(credential) ? (await findForm(t, credential))?.holder.token : undefined;
}

export function ask(t: ScenarioContext, { clientId, clientSecret }: Known, form: TokenForm) {
  return t.call(tokenCall(clientId, clientSecret, form));
}

/** After a 429 the next request is limited too. If it succeeds, the limit was another client's. */
export async function askTwice(t: ScenarioContext, client: Known, form: TokenForm) {
  const answer = await ask(t, client, form);
  if (answer.status !== 429) return answer;
  const next = await ask(t, client, form);
  return next.isServed ? next : answer;
}

/** The token in an answer; undefined if it has none under a known name. */
export function tokenIn(answer: Answer): string | undefined {
  if (!answer.isServed) return undefined;
  // NS-8: under one of these names, in the answer itself or nested one level deep.
  const wraps = Object.keys(Object(answer.json)).map((name) => `${name}.`);
  const paths = ['', ...wraps].flatMap((wrap) => TOKEN_NAMES.map((name) => wrap + name));
  const found = paths.map((path) => answer.at(path)).find((each) => typeof each === 'string');
  return typeof found === 'string' && found !== '' ? found : undefined;
}
