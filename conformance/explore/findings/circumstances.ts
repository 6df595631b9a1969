// Under which circumstances a difference shows, as a part of its title.
import { span } from '../../reports/verdict-words.ts';
import type { CallOutcome } from '../play/outcome.ts';
import { type CallStep, callsOf } from '../sequence.ts';
import { callerWords } from './callers.ts';
import { DOING } from './doing.ts';
import type { Found } from './investigate.ts';
import { answerOf, bodyOf, type Evidence, isAlike, rowsOf, stemsIn } from './signs/evidence.ts';

/** Shrinking has left no more of a batch, and no longer texts, than it takes. */
function sizeWords(call: CallStep | undefined): readonly string[] {
  if (call === undefined) return [];
  const rows = rowsOf(call).reduce((sum, { $rows = 1 }) => sum + Number($rows), 0);
  const long = Object.entries({ 'Idempotency-Key': call.key, ...bodyOf(call) }).flatMap(
    ([name, value]) => {
      const length = lengthOf(value);
      return length === undefined ? [] : [`${name} of ${length} characters`];
    },
  );
  return [
    ...(rows > MOST_ROWS ? [`of ${rows} rows`] : []),
    ...(long.length === 0 ? [] : [`with ${long.join(' and ')}`]),
  ];
}

/** Undefined of a plain text, which shrinking makes of any unless it is about its length. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length > LONG ? value.length : undefined;
  const { $fresh, length } = (value ?? {}) as { readonly $fresh?: string; length?: number };
  return $fresh === undefined ? undefined : length;
}

/** As many rows as are nothing special. */
const MOST_ROWS = 3;

/** EVT: after which call it was, and whether that one was a repeat. */
function causeWords({ found, difference, calls, steps }: Evidence): readonly string[] {
  if (difference.operation !== 'delivery') return [];
  const own = steps.find(({ n }) => n === difference.n)?.do;
  // An event is made while the channel is listened to, so that its end is known.
  if (own === 'listen' || own === 'emit') return ['on an event that an operator makes'];
  const last = calls.findLast(({ n, operation }) => n <= difference.n && DOES.test(operation));
  if (last === undefined) return [];
  const { basis } = answerOf(found.duel.model.outcomes.get(last.n)) ?? {};
  const again = basis?.idempotency === 'replayed' ? ' again under its key' : '';
  return [`on ${DOING[last.operation]}${again}`];
}

/** What events come of. */
const DOES = /^(create(Account|Transaction)|update|bulk|open|close|approve|reject|cancel)/;

/** What was sent with it. */
function besideWords({ call, steps }: Evidence): string {
  const burst = steps.find((step) => step.do === 'burst' && callsOf([step]).includes(call!));
  const [other, ...more] = callsOf(burst === undefined ? [] : [burst]).filter(
    (each) => each !== call,
  );
  if (other === undefined || more.length > 0) return 'other calls';
  return other.operation === call?.operation ? 'another such call' : DOING[other.operation];
}

/** What came at once before it, which shrinking could not put into any order. */
function raceWords({ steps }: Evidence): readonly string[] {
  // What differs is at the end, so that whatever is there came before it.
  const raced = callsOf(steps.filter((step) => step.do === 'burst'));
  const names = [...new Set(raced.map(({ operation }) => DOING[operation]))];
  if (names.length === 0) return [];
  if (names.length > 2) return [`after ${raced.length} calls at once`];
  const again = names.length === 1 ? [`${raced.length} times`] : [];
  return [['after', names.join(' and '), ...again, 'at once'].join(' ')];
}

const DECIDES = /^(approve|reject|cancel)T/;

/** TXS: what had become of the transaction before. */
function decisionWords({ call, steps, isReplayed }: Evidence): readonly string[] {
  if (call === undefined || isReplayed || !DECIDES.test(call.operation)) return [];
  const before = steps.slice(
    0,
    steps.findIndex((step) => callsOf([step]).some(({ n }) => n === call.n)),
  );
  const done = before.flatMap((step) => {
    if (step.do === 'settle') return isAlike(step.id, call.id) ? ['settling'] : [];
    return callsOf([step]).flatMap(({ operation, id }) =>
      DECIDES.test(operation) && isAlike(id, call.id) ? [DOING[operation].split(' ')[0]] : [],
    );
  });
  return done.length === 0 ? [] : [`after ${[...new Set(done)].join(' and ')} it`];
}

/** Another call's key under which this one is no repeat, or one that was made of it. */
function keyWords({ found, call, others }: Evidence): readonly string[] {
  const stems = stemsIn(call?.key);
  const like = others.find(({ key }) => stemsIn(key).some((each) => stems.includes(each)));
  if (call === undefined || like === undefined) return [];
  const which = `that of step ${like.n}`;
  if (isAlike(like.key, call.key)) return [`under the key of step ${like.n}`];
  const [own, other] = [call, like].map(({ n }) => keySent(found, n));
  if (own === undefined || other === undefined) return [`under a key like ${which}`];
  if (own.trim() === other.trim())
    return [`under the key of step ${like.n} with other spaces around it`];
  if (own.toLowerCase() === other.toLowerCase())
    return [`under the key of step ${like.n} in other letters`];
  const same = [...own].findIndex((char, at) => char !== other[at]);
  return same < LONG
    ? [`under a key like ${which}`]
    : [`under a key whose first ${same} characters are those of step ${like.n}`];
}

/** So much is nothing special. */
const LONG = 40;

function keySent({ duel }: Found, n: number): string | undefined {
  const sent = answerOf(duel.target.outcomes.get(n))?.sent;
  return sent?.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
}

/** A tag that is not simply one that an answer had. */
function tagWords(call: CallStep | undefined, answer: CallOutcome | undefined): readonly string[] {
  if (call?.operation !== 'updateAccount') return [];
  const { ifMatch } = call;
  if (ifMatch === undefined) return ['without If-Match'];
  if (ifMatch !== null && typeof ifMatch === 'object' && '$header' in ifMatch) return [];
  const sent = answer?.sent?.headers.find(([name]) => name.toLowerCase() === 'if-match')?.[1];
  return sent === undefined ? [] : [`with If-Match ${sent}`];
}

/** By whom, under which key, after what time: shrinking has left only what it takes. */
export function circumstances(evidence: Evidence): string {
  const { found, call, isReplayed, isAtOnce, steps } = evidence;
  const pausedMs = steps.reduce((sum, step) => sum + (step.do === 'advance' ? step.byMs : 0), 0);
  const many = steps.find((step) => step.do === 'many');
  return [
    ...causeWords(evidence),
    ...(isReplayed ? ['again under its key'] : []),
    ...sizeWords(call),
    ...tagWords(call, answerOf(found.duel.target.outcomes.get(call?.n ?? 0))),
    ...(isReplayed ? [] : keyWords(evidence)),
    ...callerWords(evidence),
    ...(many === undefined ? [] : [`after ${many.count} other calls`]),
    ...decisionWords(evidence),
    ...(isAtOnce ? [] : raceWords(evidence)),
    ...(isAtOnce ? [`at once with ${besideWords(evidence)}`] : []),
    ...(pausedMs > 1 ? [`after ${span(pausedMs)}`] : []),
  ]
    .map((each) => ` ${each}`)
    .join('');
}
