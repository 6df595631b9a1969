// The reads of which the specification tells only that they exist (NS-2): the likely paths,
// and whatever the target itself describes.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { ApiClient, CallOptions } from '../../engine/send/client.ts';
import { describeApi } from './api-description.ts';

export interface FoundRead {
  /** With `{id}` where the account stood. */
  readonly shape: string;
  /** Served, as it was found. */
  readonly answer: Answer;
  readonly send: (client: ApiClient, options?: CallOptions) => Promise<Answer>;
}

const LIKELY = [
  '/api/v1/accounts',
  '/api/v1/transactions',
  '/api/v1/bulk/accounts',
  '/api/v1/bulk/transactions',
  '/api/v1/accounts/{id}/status',
  '/api/v1/accounts/{id}',
];

/** No reads of the API proper, or with rules of their own. */
const OTHERS = /^(?!\/api\/v1\/)|\/webhooks\b|\/events\b|openapi/;

/** The same in every run, whatever account stood in it. */
const shapeOf = (pattern: string) => pattern.replace(/\{(?:account_?)?id\}/i, '{id}');

/** Every read that answers 200 to the main credential. */
export async function findReads(t: ScenarioContext): Promise<FoundRead[]> {
  const account = await t.given.account();
  const described = (await describeApi(t))?.pathsOf('get') ?? [];
  const found: FoundRead[] = [];
  for (const pattern of new Set([...LIKELY, ...described])) {
    const path = pattern.replace(/\{(?:account_?)?id\}/i, account.id);
    if (OTHERS.test(path) || path.includes('{')) continue;
    const send: FoundRead['send'] = (client, options) =>
      client.send({ ...options, method: 'GET', path });
    const answer = await send(t.api);
    if (answer.status === 200) found.push({ shape: shapeOf(pattern), answer, send });
  }
  return found;
}
