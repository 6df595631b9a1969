// The checks that a call passed, the one that decided or what ran, and the faults that applied.
import type { Reply } from '../core/call.ts';
import type { InjectedFault, JournalEntry } from '../core/journal.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import type { RequestShown } from './journal.ts';

type Step = RequestShown['steps'][number];

/** In the order of NS-17, with faults in the places where they applied. */
export function viewSteps(host: WorldHost, entry: JournalEntry): readonly Step[] {
  const { faults, decidedBy } = entry;
  const all = [...host.behaviour.stages.map(({ name }) => name), 'operation'];
  const names = all.slice(0, decidedBy === null ? -1 : all.indexOf(decidedBy) + 1);
  const hasRun = decidedBy === 'operation';
  const isDecidedByFault = faults.some((fault) => decides(entry, fault));
  // A call that a fault stops before it runs has passed every stage, unless it is a repeat.
  const isReplay = names.at(-1) === 'replay' && entry.idempotency === 'replayed';
  const isDecidedByStage = !hasRun && !isDecidedByFault && (faults.length === 0 || isReplay);
  const steps = names.map((name, index): Step => {
    if (name === 'operation') {
      const note = isDecidedByFault ? entry.operation : `${entry.operation}: ${outcomeOf(entry)}`;
      return { name, outcome: 'ran', note: note ?? '' };
    }
    return isDecidedByStage && index === names.length - 1
      ? { name, outcome: 'decided', note: outcomeOf(entry) }
      : { name, outcome: 'passed', note: noteOf(host, entry, name) };
  });
  const before = faults.filter(({ phase }) => hasRun && phase === 'before');
  const after = faults.filter((fault) => !before.includes(fault));
  const at = hasRun ? names.length - 1 : names.length;
  return [
    ...steps.slice(0, at),
    ...before.map((fault) => faultStep(entry, fault)),
    ...steps.slice(at),
    ...after.map((fault) => faultStep(entry, fault)),
  ];
}

/** A delay or a reset does not decide a call, unless the call was abandoned. */
function decides(entry: JournalEntry, { phase, effect: { kind } }: InjectedFault): boolean {
  if (kind === 'slow_body' || kind === 'truncate') return false;
  if (kind !== 'delay') return true;
  const isGivenUp = phase === 'before' && entry.reply !== null && entry.decidedBy !== 'operation';
  return isGivenUp && entry.idempotency !== 'replayed';
}

function faultStep(entry: JournalEntry, fault: InjectedFault): Step {
  const { kind } = fault.effect;
  const isDecisive = decides(entry, fault);
  const end = isDecisive && kind === 'delay' ? `, then ${answerOf(entry)}` : '';
  return {
    name: 'fault',
    outcome: isDecisive ? 'decided' : kind === 'truncate' ? 'cut' : 'held',
    note: `${faultWords(fault)}${end}`,
  };
}

/** `fault 7: responded 503 before it ran`. */
export function faultWords({ id, phase, effect }: InjectedFault): string {
  const { status, code, ms, bytes } = effect as Readonly<Record<string, unknown>>;
  const words: Readonly<Record<string, string>> = {
    status: `responded ${status} ${phase} it ran`,
    refuse: `refused with ${code}`,
    delay: `held for ${ms} ms ${phase} it ran`,
    hang: `held ${phase} it ran`,
    reset: `connection cut ${phase} it ran`,
    truncate: `body cut after ${bytes} bytes`,
    slow_body: `body sent over ${ms} ms`,
  };
  return `fault ${id}: ${words[effect.kind]}`;
}

function outcomeOf(entry: JournalEntry): string {
  const { reply, firstCall, idempotency } = entry;
  if (reply === null || idempotency !== 'replayed') return answerOf(entry);
  return `${reply.status}, the response to request ${firstCall}`;
}

function answerOf({ reply, reset }: JournalEntry): string {
  if (reply === null) return reset ? 'the connection was cut' : 'no response yet';
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
