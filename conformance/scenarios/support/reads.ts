// The read endpoints, of which the specification only says that they exist (NS-2): likely paths.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Call } from '../../engine/send/call.ts';
import { inTurn } from './in-turn.ts';

const LIKELY = [
  '/api/v1/accounts',
  '/api/v1/transactions',
  '/api/v1/bulk/accounts',
  '/api/v1/bulk/transactions',
  '/api/v1/accounts/{id}/status',
  '/api/v1/accounts/{id}',
];

/** Every read that answers 200 to the main credential, with the shape of its path. */
export async function findReads(t: ScenarioContext) {
  const { id } = await t.given.account();
  const tried = await inTurn(LIKELY, async (shape) => {
    const send = (call?: Call) => t.call({ method: 'GET', path: shape.replace('{id}', id) }, call);
    return { shape, send, answer: await send() };
  });
  return tried.filter(({ answer }) => answer.status === 200);
}

/** NS-2: a page that begins with this record, in the form that the simulator takes. */
export function pageFrom(id: string) {
  const after = /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
  return { after, limit: '1' };
}
