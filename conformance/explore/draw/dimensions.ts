// What a focal call is combined with: who makes it, what it says, under which key, on a record in
// which state, after which gap, beside which other calls, under which fault, before which observer.
import type { Capability } from '../../engine/capabilities.ts';
import { OPERATIONS, type OperationName } from '../../engine/operations.ts';
import type { Row, Space } from './covering.ts';
import { isDecision, OPS, type Op, type Resource } from './operations.ts';

/** The states in which a record can be met, by what brings it there. */
export const STATES: Readonly<Record<Resource, readonly string[]>> = {
  account: ['new', 'updated', 'often updated', 'from a batch', "a brand's"],
  place: ['plain', 'provider', 'second', 'in another currency'],
  transaction: ['pending', 'approved', 'settled', 'rejected', 'cancelled'],
  position: ['open', 'partly closed', 'closed'],
  subscription: ['enabled', 'disabled', 'rotated'],
};

/** The record that a call is about; undefined where it makes one out of nothing. */
export function subjectOf({ name, subject }: Op): Resource | undefined {
  if (subject !== undefined) return subject;
  if (name === 'closePosition') return 'position';
  return name === 'createTransaction' || name === 'openPosition' ? 'place' : undefined;
}

interface Level {
  readonly needs?: readonly Capability[];
  readonly only?: (op: Op, row: Row) => boolean;
}

type Levels = Readonly<Record<string, Level>>;

const ANY: Level = {};
const keyed: Level = { only: ({ keyed }) => keyed };
const withBody: Level = { only: ({ fields }) => fields.length > 0 };
const isAlone = ({ atOnce = 'alone' }: Row): boolean => atOnce === 'alone';
// Which of several calls a fault strikes is chance.
const FAULTY: Level = { needs: ['fault'], only: ({ keyed: is }, row) => is && isAlone(row) };
const written: Level = { only: ({ isRead }) => !isRead };
const isOfAccount = (op: Op): boolean => /Account/.test(op.name) && !op.isRead;

const CALLERS: Levels = {
  main: ANY,
  twin: { needs: ['mint'] },
  brand: { needs: ['brand'] },
  other_brand: { needs: ['other_brand'] },
  other_firm: { needs: ['other_firm'] },
  no_scopes: { needs: ['no_scopes'] },
  // TXS-11: what cancels a settlement takes one scope more.
  no_amend: { needs: ['no_amend'], only: ({ name }) => isDecision(name) },
  amend_only: { needs: ['amend_only'], only: ({ name }) => isDecision(name) },
  'its scope alone': { needs: ['mint'], only: ({ scopes }) => scopes.length > 0 },
  'all but its scope': { needs: ['mint'], only: ({ scopes }) => scopes.length > 0 },
  trader: { needs: ['mint'], only: ({ scopes }) => scopes.some((each) => /^trader/.test(each)) },
  'another trader': {
    needs: ['mint'],
    only: ({ scopes }) => scopes.some((each) => /^trader/.test(each)),
  },
  read_only: {
    needs: ['read_only'],
    only: ({ scopes }) => scopes.some((each) => /^trader/.test(each)),
  },
  rescoped: { needs: ['mint'], only: ({ scopes }) => scopes.length > 0 },
  'issued token': { needs: ['client'] },
  'a firm without permission': { needs: ['permissions'], only: ({ keyed }) => keyed },
  anonymous: ANY,
};

const BODIES: Levels = {
  plain: ANY,
  full: withBody,
  boundaries: withBody,
  unreadable: withBody,
  'unknown member': withBody,
  'media type': withBody,
  'known reference': { only: ({ name }) => /^create(A|T)|^bulk/.test(name) },
  'known person': { only: ({ name }) => /^createA|^bulk/.test(name) },
  'mixed rows': { only: ({ name }) => /^bulk/.test(name) },
  'many rows': { only: ({ name }) => /^bulk/.test(name) },
  'no change': { only: ({ name }) => name === 'updateAccount' },
  'odd tag': { only: ({ name }) => name === 'updateAccount' },
  'stale tag': { only: ({ name }) => name === 'updateAccount' },
  unknown: { only: ({ subject }) => subject !== undefined },
  'of another': { only: (op) => subjectOf(op) === 'place' || isDecision(op.name) },
};

const KEYS: Levels = {
  own: ANY,
  repeated: keyed,
  'with another body': { only: (op) => op.keyed && op.fields.length > 0 },
  'for another subject': keyed,
  'by another caller': { needs: ['mint'], only: ({ keyed: is }) => is },
  'in another operation': keyed,
  'at an edge': keyed,
  missing: keyed,
};

const GAPS: Levels = {
  none: ANY,
  seconds: { needs: ['clock'] },
  minutes: { needs: ['clock'] },
  hours: { needs: ['clock'] },
  day: { needs: ['clock'] },
  days: { needs: ['clock'] },
};

const AT_ONCE: Levels = {
  alone: ANY,
  twins: written,
  rivals: written,
  crowd: written,
  trailing: keyed,
};

const FAULTS: Levels = {
  none: ANY,
  'fails before': FAULTY,
  'contended before': FAULTY,
  'fails after': FAULTY,
  'lost after': FAULTY,
  held: FAULTY,
  'over the rate': { needs: ['rates', 'clock'], only: (_, row) => isAlone(row) },
};

const OBSERVERS: Levels = {
  none: ANY,
  hook: { needs: ['receiver'] },
  'failing hook': { needs: ['receiver', 'clock'] },
  'two hooks': { needs: ['receiver'] },
  "a brand's hook": { needs: ['receiver', 'brand'] },
  'rotated hook': { needs: ['receiver', 'clock'] },
  'disabled hook': { needs: ['receiver'] },
};

const CROWDS: Levels = {
  none: ANY,
  few: written,
  tens: written,
  hundred: written,
  thousand: { only: (op) => isOfAccount(op) },
};

const AFTERS: Levels = {
  nothing: ANY,
  repeat: keyed,
  'repeat later': { needs: ['clock'], only: ({ keyed: is }) => is },
  'same under a new key': keyed,
  'next change': written,
  // Without an operator the client of a profile may be the main credential itself (IDEM-2b).
  'new token': { needs: ['client', 'mint'], only: ({ keyed: is }) => is },
};

const DIMENSIONS: Readonly<Record<string, Levels>> = {
  caller: CALLERS,
  body: BODIES,
  key: KEYS,
  gap: GAPS,
  atOnce: AT_ONCE,
  fault: FAULTS,
  observer: OBSERVERS,
  crowd: CROWDS,
  after: AFTERS,
};

const STATE_COUNT = 5;

export interface Reach {
  readonly offers: ReadonlySet<Capability>;
  readonly operations: readonly OperationName[];
  readonly crowd: number;
}

/** What a target offers of all this. */
export function spaceOf({ offers, operations, crowd }: Reach): Space {
  const canDo = ({ needs = [] }: Level) => needs.every((need) => offers.has(need));
  const dimensions = Object.entries(DIMENSIONS).map(([name, levels]) => ({
    name,
    levels: Object.keys(levels).filter((each) => {
      return canDo(levels[each]!) && (name !== 'atOnce' || crowd > 1 || each === 'alone');
    }),
  }));
  return {
    dimensions: [
      { name: 'operation', levels: operations },
      { name: 'state', levels: Array.from({ length: STATE_COUNT }, (_, at) => String(at)) },
      ...dimensions,
    ],
    triples: [
      ['key', 'state', 'gap'],
      ['after', 'fault', 'gap'],
      ['operation', 'caller', 'state'],
    ],
    allows,
  };
}

function allows(row: Row): boolean {
  // Everything else depends on the operation.
  if (row.operation === undefined) return true;
  const op = OPS[row.operation as OperationName];
  const resource = subjectOf(op);
  if (row.state !== undefined) {
    const count = resource === undefined ? 1 : STATES[resource].length;
    if (Number(row.state) >= count) return false;
  }
  return Object.entries(DIMENSIONS).every(([name, levels]) => {
    const level = row[name];
    return level === undefined || levels[level]?.only?.(op, row) !== false;
  });
}

export const EVERY_OPERATION = Object.keys(OPERATIONS) as OperationName[];
