// One difference between the target and the model.
import type { OperationName } from '../../spec/operations.ts';
import type { Pair } from '../open/projection.ts';
import type { Basis } from '../play/outcome.ts';

export interface Difference {
  readonly n: number;
  readonly operation: OperationName | 'delivery' | 'ledger';
  /** What differs: `status`, `body.amount`, `header.etag`, `replay`, `no_answer`, … */
  readonly at: string;
  readonly model: string;
  readonly target: string;
  readonly modelAnswer: string;
  readonly targetAnswer: string;
  readonly basis: Basis | undefined;
  /** The rule about the form of the value, if the target's value does not have that form. */
  readonly form?: string;
  /** The call that differs, with everything that may explain it. */
  readonly pair?: Pair;
}

/** A difference that is common to all operations counts once, whichever operation shows it. */
function commonKind(difference: Difference): string | undefined {
  const { at, modelAnswer, targetAnswer, basis, form } = difference;
  if (at === 'no_answer') return undefined;
  if (/^attempt(\.operation|\.credential)?$/.test(at)) return at;
  if (form !== undefined) return `the form of ${at.split('.').at(-1)}: ${form}`;
  if (at === 'replay.bytes') return at;
  if (/^header\.(x-request-id|x-ratelimit|retry-after)/.test(at)) return at;
  if (targetAnswer.startsWith('401') !== modelAnswer.startsWith('401')) return 'a token';
  const [due, came] = [modelAnswer, targetAnswer].map((each) => each.startsWith('400 idempotency'));
  if (due !== came) return due ? `a key: ${rulesOf(basis).join(' ')}` : 'a key that was refused';
  const isProblem = Number.parseInt(modelAnswer, 10) >= 400 && targetAnswer === modelAnswer;
  return isProblem && /^(body\.|header\.content-type)/.test(at) ? `a problem: ${at}` : undefined;
}

/** Equal for the same kind of difference, whatever names and values it contains. */
export function signatureOf(difference: Difference): string {
  const common = commonKind(difference);
  if (common !== undefined) return common;
  const { operation, at, modelAnswer, targetAnswer, basis } = difference;
  const place = at.replace(/\.\d+/g, '.*');
  const how = basis?.idempotency ?? '-';
  return [operation, place, modelAnswer, targetAnswer, how, rulesOf(basis).join(' ')].join(' | ');
}

export const inWords = ({ operation, at, model, target }: Difference): string =>
  `${operation}, ${at}: ${target} instead of ${model}`;

/** Whether both may come from one defect: they look alike, and refusals cite the same rule. */
export function isLike(one: Difference, other: Difference): boolean {
  if (likenessOf(one) !== likenessOf(other)) return false;
  if (commonKind(one) !== undefined || !(Number.parseInt(one.model, 10) >= 400)) return true;
  const [rules, others] = [one, other].map(({ basis }) => rulesOf(basis));
  const [first = others![0]] = rules!;
  const [second = first] = others!;
  return first === second || rules!.includes(second!) || others!.includes(first!);
}

/**
 * The part that stays the same while a sequence is shrunk. A batch row is answered like a single
 * create (BULK-3).
 */
function likenessOf(difference: Difference): string {
  const common = commonKind(difference);
  if (common !== undefined) return common;
  const { operation, at, model, target, modelAnswer, targetAnswer } = difference;
  if (at === 'no_answer') return `${operation} | ${at}`;
  const limited = [modelAnswer, targetAnswer].map((each) => each.startsWith('429'));
  if (limited[0] !== limited[1]) return `a limit: ${limited[0] ? 'due' : 'not due'}`;
  const isRow = operation === 'bulkCreateAccounts' && /^body\.rows\.\d+\.status$/.test(at);
  if (isRow || (operation === 'createAccount' && at === 'status')) {
    const [due, came] = [model, target].map((each) => Number.parseInt(each, 10));
    return `create: ${due} ${isServed(model, target) ? SERVED : came}`;
  }
  const came = isServed(modelAnswer, targetAnswer) ? SERVED : targetAnswer;
  return [operation, at.replace(/\.\d+/g, '.*'), modelAnswer, came].join(' | ');
}

const SERVED = 'served';

/** A record that was created wrongly may be found by later calls, if it outlives the sequence. */
const isServed = (model: string, target: string): boolean =>
  Number.parseInt(model, 10) >= 400 && Number.parseInt(target, 10) < 300;

export function rulesOf(basis: Basis | undefined): readonly string[] {
  return (basis?.cites ?? []).filter((cite) => !cite.startsWith('NS-'));
}

export function questionsOf(basis: Basis | undefined): readonly string[] {
  return (basis?.cites ?? []).filter((cite) => cite.startsWith('NS-'));
}
