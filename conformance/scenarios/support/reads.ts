// The read endpoints, of which the specification only says that they exist (NS-2): likely paths.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Call } from '../../engine/send/call.ts';

interface FoundRead {
  /** With `{id}` instead of the account id. */
  readonly shape: string;
  readonly answer: Answer;
  readonly send: (call?: Call) => Promise<Answer>;
}

const LIKELY = [
  '/api/v1/accounts',
  '/api/v1/transactions',
  '/api/v1/bulk/accounts',
  '/api/v1/bulk/transactions',
  '/api/v1/accounts/{id}/status',
  '/api/v1/accounts/{id}',
];

/** Every read that answers 200 to the main credential. */
export async function findReads(t: ScenarioContext): Promise<FoundRead[]> {
  const account = await t.given.account();
  const found: FoundRead[] = [];
  for (const shape of LIKELY) {
    const path = shape.replace('{id}', account.id);
    const send = (call?: Call) => t.call({ method: 'GET', path }, call);
    const answer = await send();
    if (answer.status === 200) found.push({ shape, answer, send });
  }
  return found;
}

/** NS-2: a page that begins with this record, in the form that the simulator takes. */
export function pageFrom(id: string) {
  const after = /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
  return { after, limit: '1' };
}
