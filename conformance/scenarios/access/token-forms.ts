// The ways in which OAuth asks for a token, and the first of them that a target takes.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { TokenForm } from '../../engine/send/client.ts';
import type { Credential, CredentialOptions } from '../../providers/target.ts';
import { tokenIn } from '../support/request-token.ts';

export const FORMS: readonly TokenForm[] = ['basic', 'form', 'json'];

/** A credential whose client_id and secret are known. */
export type Known = Credential & { readonly clientId: string; readonly clientSecret: string };

/** One of its own where they can be made: the endpoint counts by client. */
export async function clientOf(t: ScenarioContext, options: CredentialOptions): Promise<Known> {
  const credential = t.has('mint') ? await t.operator.mint(options) : await t.credential('client');
  const { clientId, clientSecret } = credential;
  if (clientId === undefined || clientSecret === undefined) {
    throw new Blocked('setup failed: a client_id and its client_secret are not known');
  }
  return { ...credential, clientId, clientSecret };
}

interface Found {
  readonly form: TokenForm;
  readonly answer: Answer;
  readonly token: string;
}

/** The first of OAuth's ways that gives a token; undefined where none does, all answers `seen`. */
export async function findForm(
  t: ScenarioContext,
  client: Known,
  seen: Answer[] = [],
): Promise<Found | undefined> {
  for (const form of FORMS) {
    const send = () => ask(t, client, form);
    const answer = await t.sendUntilAnswered('a token', send);
    seen.push(answer);
    const token = tokenIn(answer);
    if (token !== undefined) return { form, answer, token };
  }
  return undefined;
}

export function ask(
  t: ScenarioContext,
  { clientId, clientSecret }: Known,
  form: TokenForm,
): Promise<Answer> {
  return t.api.issueToken({ id: clientId, secret: clientSecret }, form);
}

/** A limit that is met is met at once again; what lets the next one pass was somebody else's. */
export async function askTwice(
  t: ScenarioContext,
  client: Known,
  form: TokenForm,
): Promise<Answer> {
  const answer = await ask(t, client, form);
  if (answer.status !== 429) return answer;
  const next = await ask(t, client, form);
  return next.status < 300 ? next : answer;
}
