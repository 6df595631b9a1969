// Makes the JSON report of an exploration.
import type { Redactor } from '../../reports/redact.ts';
import { questionsOf } from '../compare/difference.ts';
import type { Explored } from '../explore.ts';
import type { Found } from '../findings/found.ts';
import { titleOf } from '../findings/title.ts';
import type { ModelSettings } from '../model.ts';
import type { Outcome, Sent } from '../play/outcome.ts';
import { type CallStep, callsOf, refersTo, type Step } from '../sequence.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './schema.ts';
import { scriptOf } from './script.ts';

export interface ReportParts {
  readonly version: string;
  readonly target: ExploreReport['target'];
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly explored: Explored;
  /** How open questions are answered, except those that the simulator answers as it comes. */
  readonly settings: ModelSettings;
  /** Requests that were sent before, to learn the settings. */
  readonly spent: number;
  readonly interrupted: boolean;
  readonly notes: readonly string[];
  readonly redactor: Redactor;
  readonly replay: (id: string) => string;
}

export function makeReport(parts: ReportParts): ExploreReport {
  const { explored, redactor } = parts;
  const { coverage, lost, inventory, sequences } = explored;
  const all = (found: readonly Found[], letter: string) =>
    found.map((each, at) => differenceOf(each, `${letter}${at + 1}`, parts));
  return {
    schema: 'explore/1',
    tool: { name: 'conformance', version: parts.version },
    ...{ target: parts.target, seed: parts.seed, started_at: parts.startedAt },
    requests: explored.requests + parts.spent,
    sequences,
    duration_ms: Math.round(parts.durationMs),
    verdict: verdictOf(explored),
    interrupted: parts.interrupted,
    differences: all(explored.found, 'd'),
    open: [...explored.open].map(([question, seen]) => ({ question, seen })),
    unexplained: all(explored.unexplained, 'u'),
    lost,
    inconclusive: explored.inconclusive.map((each) => redactor.text(each)),
    inventory,
    coverage: {
      operations: sorted(coverage.operations),
      answers: sorted(coverage.answers),
      rules: sorted(coverage.rules),
      settings_learned: parts.settings,
    },
    notes: [...parts.notes, ...lossNotes(explored)].map((each) => redactor.text(each)),
  };
}

/** More than 5 % of the calls may not be lost. */
const MOST_LOST = 0.05;

/** Whether as many are lost as a target that loses 5 % may lose in so few calls by chance. */
const isTooLossy = ({ lost, calls }: Explored): boolean =>
  lost > 3 && lost + 3 * Math.sqrt(lost) > calls * MOST_LOST;

/**
 * A target that went away half-way has not agreed: the other half was never asked. Nor has one of
 * which nothing can be said more often than something.
 */
export function verdictOf(explored: Explored): ExploreReport['verdict'] {
  const { found, agreed, isGone, inconclusive } = explored;
  if (found.length > 0) return 'differs';
  const isSilent = isGone || agreed <= inconclusive.length;
  return isSilent || isTooLossy(explored) ? 'invalid' : 'agrees';
}

function lossNotes(explored: Explored): string[] {
  const { isGone, requests, calls, lost, agreed } = explored;
  if (isGone && agreed > 0) {
    return [`The target stopped answering after ${requests} requests; until then it agreed.`];
  }
  if (!isTooLossy(explored)) return [];
  const share = ((lost / Math.max(1, calls)) * 100).toFixed(1);
  return [`${lost} calls (${share} %) were not answered, too many for a verdict.`];
}

const sorted = (counts: ReadonlyMap<string, number>) =>
  Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));

function differenceOf(
  found: Found,
  id: string,
  { redactor, replay, target, startedAt }: ReportParts,
): ReportDifference {
  const { sequence, difference, rules, calls, times, reproduced } = found;
  const title = redactor.text(titleOf(found));
  return {
    ...{ id, title, rules, reproduced, calls, times, sequence },
    questions: questionsOf(difference.basis),
    shrunk_from: found.shrunkFrom,
    also: [...found.also].map((each) => redactor.text(each)),
    steps: sequence.steps.flatMap((step) => stepsOf(step, found, redactor)),
    replay: replay(id),
    script: scriptOf(found, { id, title, rules, target, startedAt, redactor }),
  };
}

function stepsOf(step: Step, found: Found, redactor: Redactor): ReportStep[] {
  const { recorded, compared, difference } = found;
  const there = (n: number) =>
    difference.n === n
      ? {
          at: difference.at,
          there: {
            model: redactor.text(difference.model),
            target: redactor.text(difference.target),
          },
        }
      : {};
  if (step.do !== 'call' && step.do !== 'burst') {
    const { n, do: verb, ...rest } = step;
    const own = recorded.target.outcomes.get(n);
    const isRefused = own?.kind === 'done' && own.isRefused === true;
    const operator = { do: verb, ...rest, ...(isRefused ? { refused: true } : {}) };
    const [model, target] = [compared.model.outcomes.get(n), own].map(operatorAnswer);
    return [
      {
        ...{ n, as: null, request: null, operator, model: model!, target: target! },
        ...{ differs: difference.n === n, ...there(n) },
      },
    ];
  }
  return callsOf([step]).map((call) => {
    const { n, as } = call;
    const own = recorded.target.broughtBy(n);
    const atOnce =
      step.do === 'burst' && own !== undefined && 'sentAtMs' in own
        ? { at_once: { sent_ms: tenths(own.sentAtMs), answered_ms: tenths(own.answeredAtMs) } }
        : {};
    return {
      ...{ n, as, operator: null, ...atOnce },
      request: own !== undefined && 'sent' in own ? requestOf(call, own.sent, redactor) : null,
      model: answerOf(compared.model.outcomes.get(n), redactor),
      target: answerOf(own, redactor),
      ...{ differs: difference.n === n, ...there(n) },
    };
  });
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

function operatorAnswer(outcome: Outcome | undefined): ReportAnswer | null {
  if (outcome?.kind !== 'ledger') return null;
  const { balance, entries } = outcome;
  return { status: null, headers: {}, body: { balance, entries } };
}

function requestOf(call: CallStep, sent: Sent, redactor: Redactor) {
  const { method, target, headers, body } = sent;
  const [issuedBy] = refersTo(call.headers?.authorization);
  const shown = (name: string, value: string) =>
    name === 'authorization' && issuedBy !== undefined
      ? `the token of step ${issuedBy}`
      : redactor.header(name, value);
  return {
    method,
    path: redactor.text(target),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, shown(name, value)])),
    body: body === undefined ? null : bodyOf(redactor.text(Buffer.from(body).toString())),
  };
}

/** Headers that say something of the API. */
const API_HEADERS = /^(etag|x-request-id|retry-after|content-type|x-ratelimit-.*|allow)$/i;

function answerOf(outcome: Outcome | undefined, redactor: Redactor): ReportAnswer | null {
  if (outcome?.kind === 'lost') {
    return { status: null, headers: {}, body: `no answer: ${outcome.why}` };
  }
  if (outcome?.kind !== 'answer') return null;
  const { status, headers, body } = outcome;
  return {
    status,
    headers: Object.fromEntries(headers.lines.filter(([name]) => API_HEADERS.test(name))),
    body: bodyOf(redactor.text(Buffer.from(body).toString())),
  };
}

const LONGEST_BODY = 20_000;

/** JSON as it is, anything else as text; what goes on for long is cut. */
function bodyOf(text: string): unknown {
  if (text.length > LONGEST_BODY) {
    return `${text.slice(0, LONGEST_BODY)}… (${text.length} characters)`;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
