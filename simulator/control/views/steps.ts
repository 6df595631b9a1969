// The checks that a call passed, the one that decided or what ran, and what faults did to it.
import type { Reply } from '../../core/call.ts';
import type { InjectedFault, JournalEntry } from '../../core/journal.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import type { RequestShown } from '../schemas/journal.ts';

type Step = RequestShown['steps'][number];

/** In the order of NS-17, the faults where they struck. */
export function viewSteps(host: WorldHost, entry: JournalEntry): readonly Step[] {
  const faults = (phase: InjectedFault['phase']) =>
    entry.faults.filter((fault) => fault.phase === phase).map((fault) => faultStep(entry, fault));
  const isDecidedByFault = entry.faults.some((fault) => decides(entry, fault));
  const names = [...host.behaviour.stages.map(({ name }) => name), 'operation'];
  const last = entry.decidedBy === null ? names.length - 2 : names.indexOf(entry.decidedBy);
  const steps: Step[] = [];
  for (const [index, name] of names.slice(0, last + 1).entries()) {
    if (name === 'operation') {
      const outcome = isDecidedByFault ? '' : `: ${outcomeOf(entry)}`;
      steps.push(...faults('before'), {
        name,
        outcome: 'ran',
        note: `${entry.operation}${outcome}`,
      });
    } else if (index === last && isDecidedBy(entry, name) && !isDecidedByFault) {
      steps.push({ name, outcome: 'decided', note: outcomeOf(entry) });
    } else steps.push({ name, outcome: 'passed', note: noteOf(host, entry, name) });
  }
  return ran(entry)
    ? [...steps, ...faults('after')]
    : [...steps, ...entry.faults.map((fault) => faultStep(entry, fault))];
}

function ran({ decidedBy }: JournalEntry): boolean {
  return decidedBy === 'operation';
}

/** A call that a fault strikes before it runs has passed every stage, unless it is a repeat. */
function isDecidedBy({ faults, idempotency }: JournalEntry, name: string): boolean {
  return faults.length === 0 || (name === 'replay' && idempotency === 'replayed');
}

/**
 * What only takes its time or cuts the answer short decides nothing, unless the attempt was given
 * up meanwhile.
 */
function decides(entry: JournalEntry, { phase, effect: { kind } }: InjectedFault): boolean {
  if (kind === 'slow_body' || kind === 'truncate') return false;
  if (kind !== 'delay') return true;
  const isGivenUp = phase === 'before' && entry.reply !== null && !ran(entry);
  return isGivenUp && entry.idempotency !== 'replayed';
}

function faultStep(entry: JournalEntry, fault: InjectedFault): Step {
  const { id, phase, effect } = fault;
  const when = phase === 'before' ? 'before it ran' : 'after it had run';
  if (effect.kind === 'truncate') {
    const note = `fault ${id}, ${when}: let ${effect.bytes} bytes of the body through`;
    return { name: 'fault', outcome: 'cut', note };
  }
  if (!decides(entry, fault)) {
    const ms = 'ms' in effect ? effect.ms : 0;
    const what = effect.kind === 'slow_body' ? 'let the body take' : 'held it back';
    return { name: 'fault', outcome: 'held', note: `fault ${id}, ${when}: ${what} ${ms} ms` };
  }
  return {
    name: 'fault',
    outcome: 'decided',
    note: `fault ${id}, ${when}: ${didOf(entry, effect)}`,
  };
}

function didOf(entry: JournalEntry, effect: InjectedFault['effect']): string {
  return effect.kind === 'hang' ? 'no answer comes' : answerOf(entry);
}

function outcomeOf(entry: JournalEntry): string {
  const { reply, firstCall, idempotency } = entry;
  if (reply === null || idempotency !== 'replayed') return answerOf(entry);
  return `${reply.status}, the answer to request ${firstCall}`;
}

function answerOf({ reply, reset }: JournalEntry): string {
  if (reply === null) return reset ? 'the connection was cut' : 'no answer yet';
  const detail = detailOf(reply);
  return detail === '' ? String(reply.status) : `${reply.status}: ${detail}`;
}

function detailOf({ contentType, body }: Reply): string {
  if (contentType === 'text/plain') return body.trim();
  if (contentType !== 'application/problem+json') return '';
  const { detail } = JSON.parse(body) as { detail?: unknown };
  return typeof detail === 'string' ? detail : '';
}

function noteOf({ world }: WorldHost, entry: JournalEntry, step: string): string {
  switch (step) {
    case 'route':
      return entry.operation ?? '';
    case 'key':
      return entry.key === null ? 'none is needed' : entry.key;
    case 'token':
      return entry.clientId === null
        ? 'none is needed'
        : (world.credentials.get(entry.clientId)?.name ?? entry.clientId);
    case 'rate':
      return entry.allowance === null
        ? 'not metered here'
        : `${entry.allowanceLeft} of ${entry.allowance} left`;
    case 'readable':
      return `${entry.call.body.byteLength} bytes`;
    case 'replay':
      return entry.subject === null ? 'nothing to repeat' : `subject ${entry.subject}`;
    default:
      return '';
  }
}
