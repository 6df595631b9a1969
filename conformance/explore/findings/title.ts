// Says in words what differs, so that it can be the title of a bug.

import type { OperationName } from '../../engine/operations.ts';
import { type Json, memberAt } from '../../engine/send/answer.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { REDACTED } from '../../reports/redact.ts';
import { span } from '../../reports/verdict-words.ts';
import type { Difference } from '../compare/difference.ts';
import { shown } from '../compare/values.ts';
import { callsOf } from '../sequence.ts';
import { circumstances } from './circumstances.ts';
import { DOING } from './doing.ts';
import { expectedAt } from './expected.ts';
import type { Found } from './investigate.ts';
import { answerOf, bodyOf, evidenceOf, statusOf } from './signs/evidence.ts';

export function titleOf(found: Found): string {
  const { n, operation, at, model, target, modelAnswer } = found.difference;
  const when = circumstances(evidenceOf(found));
  if (operation === 'ledger') {
    return `The ${at} of a trading account${when}: ${target} in place of ${model}`;
  }
  if (isBesideAnswers(operation)) return `${BESIDE_ANSWERS[operation]}${when}${besideWords(found)}`;
  const what = `${capitalised(doing(found, operation))}${when}`;
  if (at === 'status' || at === 'code') {
    const { elsewhere } = found;
    const also = elsewhere === undefined ? '' : `, and so does ${DOING[elsewhere]}`;
    return `${what} answers ${target} in place of ${model}${also}`;
  }
  if (at.startsWith('replay.')) {
    // IDEM-4d: of refusals it is a question of its own whether they are kept.
    const first = statusOf(modelAnswer) >= 400 ? `, ${modelAnswer}` : '';
    return `${what} is not answered with the bytes of the first answer${first}`;
  }
  if (at === 'attempt') return `${what} answers ${modelAnswer} with the answer to another call`;
  if (at === 'attempt.request_id') {
    return `${what} answers ${modelAnswer} with the request_id of another call`;
  }
  if (at.startsWith('header.')) {
    return `${what} answers ${modelAnswer} with ${at.slice(7)} ${target}, expected ${model}`;
  }
  const member = at.replace(/^body\./, '').replace(/\.(\d+)/g, '[$1]');
  // HOOK-3: a secret is told in words alone.
  if (member === 'secret') return `${what} answers ${modelAnswer} with ${secretWords(found)}`;
  const expected = expectedAt(found);
  const lateMs = member.endsWith('_at') ? Number(target) - Number(expected) : Number.NaN;
  // CONV-4: of two times only what is between them says anything.
  if (Number.isInteger(lateMs) && lateMs !== 0) {
    const by = `${span(Math.abs(lateMs))} too ${lateMs > 0 ? 'late' : 'early'}`;
    return `${what} answers ${modelAnswer} with ${member} ${by}`;
  }
  const another = member === 'id' ? recordWords(found) : null;
  if (another !== null) return `${what} answers ${modelAnswer} with ${another}`;
  const due = expected === undefined ? model : inTitle(expected);
  const given = memberAt(answerOf(found.duel.target.outcomes.get(n))?.json, pathIn(at));
  // What is told in words is no value of an answer.
  const came = given === undefined || shown(given) !== target ? target : inTitle(given);
  const [dueCode, cameCode] = [codeBeside(found, 'model'), codeBeside(found, 'target')];
  const instead = `${came}${cameCode} in place of ${due}${dueCode}`;
  return `${what} answers ${modelAnswer} with ${member} ${instead}`;
}

const pathIn = (at: string): string => at.replace(/^body\./, '');

/** As much of a value as tells it from another. */
const LONGEST = 80;

function inTitle(value: Json): string {
  const text = squeezed(JSON.stringify(value));
  const half = LONGEST / 2;
  return text.length <= LONGEST ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** BULK-5: what a row is refused as, where its status differs. */
function codeBeside({ difference: { at, n }, duel }: Found, side: 'model' | 'target'): string {
  if (!/^body\.rows\.\d+\.status$/.test(at)) return '';
  const path = pathIn(at).replace(/status$/, 'code');
  const code = memberAt(answerOf(duel[side].outcomes.get(n))?.json, path);
  return typeof code === 'string' ? ` ${code}` : '';
}

/** UPD-3: what an update says is what it is about, as shrinking has left no more. */
function doing({ difference, sequence }: Found, operation: OperationName): string {
  const call = callsOf(sequence.steps).find(({ n }) => n === difference.n);
  if (operation !== 'updateAccount' || call?.body === undefined) return DOING[operation];
  const names = Object.keys(bodyOf(call));
  if (names.length === 0) return DOING[operation];
  return names.length > MOST_NAMES
    ? DOING[operation]
    : `updating ${names.join(' and ')} of an account`;
}

/** As many as a title has room for. */
const MOST_NAMES = 2;

/** An id that another answer has had; null of one that is new. */
function recordWords({ duel, difference, sequence }: Found): string | null {
  const ofStep = (side: keyof Found['duel'] & ('model' | 'target'), id: string) =>
    callsOf(sequence.steps).find(({ n }) => {
      const json = answerOf(duel[side].outcomes.get(n))?.json;
      return n !== difference.n && JSON.stringify(memberAt(json, 'id')) === id;
    })?.n;
  const came = ofStep('target', difference.target);
  if (came === undefined) return null;
  const due = ofStep('model', difference.model);
  const own = due === undefined ? 'one of its own' : `that of step ${due}`;
  return `the id of step ${came} in place of ${own}`;
}

function secretWords({ difference: { target, model } }: Found): string {
  const isShown = target === REDACTED;
  return isShown ? `a secret in place of ${model}` : `${target} as secret in place of ${model}`;
}

/** What came of what is no answer, and what was due. */
function besideWords({ difference: { at, target, model } }: Found): string {
  if (at === 'signature') return `: ${target} in place of ${model.replace('signed by ', '')}`;
  if (at === 'body') return `: a body of ${target} in place of ${model}`;
  if (at !== 'count') return `, ${at}: ${target} in place of ${model}`;
  const [many, ...odd] = target.split(': ');
  return `: ${[`${many} in place of ${model}`, ...odd].join(', ')}`;
}

const BESIDE_ANSWERS = {
  delivery: 'Webhook deliveries',
  channel: 'The events channel',
  burst: 'Calls at once',
} as const;

const isBesideAnswers = (of: Difference['operation']): of is keyof typeof BESIDE_ANSWERS =>
  of in BESIDE_ANSWERS;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
