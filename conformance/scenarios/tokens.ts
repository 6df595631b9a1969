// Another token of a credential, asked for in whichever of OAuth's ways the target takes (NS-8).
import type { Trial } from '../engine/trial.ts';
import type { Credential } from '../providers/target.ts';

const FORMS = ['form', 'json', 'basic'] as const;

/** Undefined where no way gives one: how tokens are asked for is not specified. */
export async function anotherToken(
  t: Trial,
  { clientId, clientSecret }: Credential,
): Promise<string | undefined> {
  if (clientId === undefined || clientSecret === undefined) return undefined;
  for (const form of FORMS) {
    const answer = await t.api.issueToken({ id: clientId, secret: clientSecret }, form);
    const token = answer.at('access_token');
    if (answer.status < 300 && typeof token === 'string') return token;
  }
  return undefined;
}
