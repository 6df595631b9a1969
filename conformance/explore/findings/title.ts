// Says in words what differs.
import { callsOf } from '../sequence.ts';
import type { Found } from './investigate.ts';

export function titleOf({ difference, sequence, duel }: Found): string {
  const { operation, at, model, target, modelAnswer, n } = difference;
  const call = callsOf(sequence.steps).find((each) => each.n === n);
  const how = duel.model.outcomes.get(n);
  const replayed = how?.kind === 'answer' && how.basis?.idempotency === 'replayed';
  const who = call === undefined || call.as === 'firm' ? '' : ` as ${call.as}`;
  const what = `${replayed ? 'a repeated ' : ''}${operation}${who}`;
  if (at === 'status' || at === 'code') return `${what} answers ${target} in place of ${model}`;
  if (at.startsWith('replay.')) return `${what} is not answered with the bytes of the first answer`;
  if (at.startsWith('header.')) {
    return `${what}: header ${at.slice(7)} of the ${modelAnswer} is ${target}, expected ${model}`;
  }
  if (operation === 'ledger') return `the ${at} of a trading account: ${target}; expected ${model}`;
  if (operation === 'delivery') return `deliveries, ${at}: ${target}; expected ${model}`;
  const member = at.replace(/^body\./, '');
  return `${what}: ${member} of the ${modelAnswer} is ${target}, expected ${model}`;
}
