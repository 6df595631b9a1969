// The JSON report of an exploration; the readable reports are rendered from it.
import type { Redactor } from '../../reports/redact.ts';
import type { ReportInventory } from '../../reports/report.ts';
import { questionsOf } from '../compare/difference.ts';
import type { Explored } from '../explore.ts';
import type { Found } from '../findings/found.ts';
import type { ModelSettings } from '../model.ts';
import type { Outcome, Played, Sent } from '../play/outcome.ts';
import { type CallStep, callsOf, refersTo, type Step } from '../sequence.ts';
import { faultWords, operatorWords, titleOf } from './words.ts';

interface ReportParts {
  readonly version: string;
  readonly target: { readonly base_url: string; readonly control_url: string | null };
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly explored: Explored;
  /** The settings that answer open questions, except those that match the simulator's defaults. */
  readonly settings: ModelSettings;
  /** With the requests that were sent to learn how the target answers open questions. */
  readonly requests: number;
  readonly inventory: ReportInventory;
  readonly interrupted: boolean;
  readonly notes: readonly string[];
  readonly redactor: Redactor;
  readonly replay: (id: string) => string;
}

export type ExploreReport = ReturnType<typeof makeReport>;
export type ReportDifference = ExploreReport['differences'][number];
export type ReportAnswer = NonNullable<ReturnType<typeof answerOf>>;

export interface ReportStep {
  readonly n: number;
  readonly as: string | null;
  readonly request: ReturnType<typeof requestOf> | null;
  /** The action of the operator, if the step is no call. */
  readonly operator: string | null;
  readonly model: ReportAnswer | null;
  readonly target: ReportAnswer | null;
  readonly differs: boolean;
  /** The place in the answer, and the value on each side. */
  readonly at?: string;
  readonly there?: { readonly model: string; readonly target: string };
  /** Of concurrent calls: when each was sent and answered, in ms from the start. */
  readonly at_once?: { readonly sent_ms: number; readonly answered_ms: number };
}

export function makeReport(parts: ReportParts) {
  const { explored, redactor, requests, interrupted, inventory, target, seed, version } = parts;
  const { coverage, lost, sequences, found, unexplained } = explored;
  const all = (list: readonly Found[], letter: string) =>
    list.map((each, at) => differenceOf(each, `${letter}${at + 1}`, parts));
  return {
    schema: 'explore/1' as const,
    tool: { name: 'conformance' as const, version },
    ...{ target, seed, started_at: parts.startedAt, requests, sequences },
    duration_ms: Math.round(parts.durationMs),
    verdict: verdictOf(explored),
    interrupted,
    differences: all(found, 'd'),
    open: [...explored.open].map(([question, seen]) => ({ question, seen })),
    unexplained: all(unexplained, 'u'),
    /** Calls that got no response at first and were answered when they were retried. */
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

/** At most 5 % of the calls may be lost. */
const MOST_LOST = 0.05;

/** Whether more calls are lost than chance explains for a target that loses 5 %. */
const isTooLossy = ({ lost, calls }: Explored): boolean =>
  lost > 3 && lost + 3 * Math.sqrt(lost) > calls * MOST_LOST;

/**
 * If the target stopped answering, or if more sequences failed to compare than agreed, the verdict
 * is invalid.
 */
export function verdictOf(explored: Explored): 'agrees' | 'differs' | 'invalid' {
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

function differenceOf(found: Found, id: string, { redactor, replay }: ReportParts) {
  const { difference, rules, calls, times, reproduced, shrunkFrom, recorded } = found;
  const { sequence } = recorded;
  return {
    ...{ id, title: redactor.text(titleOf(found)), rules, reproduced, calls, times, sequence },
    questions: questionsOf(difference.basis),
    shrunk_from: shrunkFrom,
    steps: sequence.steps.flatMap((step) => stepsOf(step, found, redactor)),
    replay: replay(id),
  };
}

function stepsOf(step: Step, found: Found, redactor: Redactor): ReportStep[] {
  const { recorded, compared, difference } = found;
  const stepOf = (n: number) => {
    const { at, model, target } = difference;
    const differs = difference.n === n;
    const there = { model: redactor.text(model), target: redactor.text(target) };
    return {
      n,
      model: answerOf(compared.model.outcomes.get(n), redactor),
      target: answerOf(recorded.target.outcomes.get(n), redactor),
      ...{ differs, ...(differs && { at, there }) },
    };
  };
  const none = { as: null, request: null };
  if (step.do !== 'call' && step.do !== 'burst') {
    const outcome = recorded.target.outcomes.get(step.n);
    const isRefused = outcome?.kind === 'done' && outcome.isRefused === true;
    const operator = `${operatorWords(step)}${isRefused ? ', which is refused' : ''}`;
    return [{ ...stepOf(step.n), ...none, operator }];
  }
  const calls = callsOf([step]);
  const isConcurrent = step.do === 'burst' || calls.length > 1;
  return calls.flatMap((call): ReportStep[] => {
    const { n, as } = call;
    const outcome = recorded.target.outcomes.get(n);
    const played = outcome !== undefined && 'sent' in outcome ? outcome : undefined;
    const row = {
      ...{ ...stepOf(n), as, operator: null },
      ...(isConcurrent && played && { at_once: timesOf(played) }),
      request: played === undefined ? null : requestOf(call, played.sent, redactor),
    };
    if (call.fault === undefined) return [row];
    const fault = { n, model: null, target: null, differs: false, ...none };
    return [{ ...fault, operator: faultWords(call) }, row];
  });
}

function requestOf(call: CallStep, sent: Sent, redactor: Redactor) {
  const { method, target, headers, body } = sent;
  const [issuedBy] = refersTo(call.headers?.authorization);
  const textOf = (name: string, value: string) =>
    name === 'authorization' && issuedBy !== undefined
      ? `the token of step ${issuedBy}`
      : redactor.header(name, value);
  return {
    method,
    path: redactor.text(target),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, textOf(name, value)])),
    body: body === undefined ? null : bodyOf(redactor.text(Buffer.from(body).toString())),
  };
}

const timesOf = ({ sentAtMs, answeredAtMs }: Played) => ({
  sent_ms: Math.round(sentAtMs * 10) / 10,
  answered_ms: Math.round(answeredAtMs * 10) / 10,
});

const API_HEADERS = /^(etag|x-request-id|retry-after|content-type|x-ratelimit-.*|allow)$/i;

function answerOf(outcome: Outcome | undefined, redactor: Redactor) {
  const shown = (
    status: number | null,
    headers: Readonly<Record<string, string>>,
    body: unknown,
  ) => ({
    ...{ status, headers, body },
  });
  switch (outcome?.kind) {
    case 'ledger': {
      const { balance, entries } = outcome;
      return shown(null, {}, { balance, entries });
    }
    case 'lost':
      return shown(null, {}, `no answer: ${outcome.why}`);
    case 'answer': {
      const { status, headers, body } = outcome;
      const named = headers.lines.filter(([name]) => API_HEADERS.test(name));
      const text = redactor.text(Buffer.from(body).toString());
      return shown(status, Object.fromEntries(named), bodyOf(text));
    }
    default:
      return null;
  }
}

const LONGEST_BODY = 20_000;

/** Parsed JSON, or the text if it is none; a long body is cut. */
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
