// Another token of a credential, asked for in whichever of OAuth's ways the target takes (NS-8).

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Credential } from '../../providers/target.ts';

const FORMS = ['form', 'json', 'basic'] as const;
const TOKEN_NAMES = ['access_token', 'token', 'accessToken'] as const;

/** Undefined where no way gives one: how tokens are asked for is not specified. */
export async function anotherToken(
  t: ScenarioContext,
  { clientId, clientSecret }: Credential,
): Promise<string | undefined> {
  if (clientId === undefined || clientSecret === undefined) return undefined;
  for (const form of FORMS) {
    const answer = await t.api.issueToken({ id: clientId, secret: clientSecret }, form);
    const token = tokenIn(answer);
    if (token !== undefined) return token;
  }
  return undefined;
}

/** The token of an answer; undefined where it has none that is known as one. */
export function tokenIn(answer: Answer): string | undefined {
  if (answer.status >= 300) return undefined;
  // NS-8: under one of these names, of the answer itself or of a member that wraps it.
  const wraps = Object.keys(Object(answer.json)).map((name) => `${name}.`);
  const paths = ['', ...wraps].flatMap((wrap) => TOKEN_NAMES.map((name) => wrap + name));
  const found = paths.map((path) => answer.at(path)).find((each) => typeof each === 'string');
  return typeof found === 'string' && found !== '' ? found : undefined;
}
