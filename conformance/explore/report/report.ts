// The JSON report of an exploration; the readable reports are rendered from it.
import type { Redactor } from '../../reports/redact.ts';
import type { ReportInventory } from '../../reports/report.ts';
import { questionsOf } from '../compare/difference.ts';
import type { Explored } from '../explore.ts';
import type { Found } from '../findings/found.ts';
import { titleOf } from '../findings/title.ts';
import type { ModelSettings } from '../model.ts';
import type { Outcome, Sent } from '../play/outcome.ts';
import { type CallStep, callsOf, refersTo, type Sequence, type Step } from '../sequence.ts';
import { faultWords, operatorWords } from './operator-words.ts';

export interface ExploreReport {
  readonly schema: 'explore/1';
  readonly tool: { readonly name: 'conformance'; readonly version: string };
  readonly target: { readonly base_url: string; readonly control_url: string | null };
  readonly seed: number;
  readonly started_at: string;
  readonly requests: number;
  readonly sequences: number;
  readonly duration_ms: number;
  readonly verdict: 'agrees' | 'differs' | 'invalid';
  readonly interrupted: boolean;
  readonly differences: readonly ReportDifference[];
  readonly open: readonly { readonly question: string; readonly seen: number }[];
  readonly unexplained: readonly ReportDifference[];
  /** Calls that got no response at first and were answered when they were retried. */
  readonly lost: number;
  /** Why sequences could not be compared. */
  readonly inconclusive: readonly string[];
  /** Records that were created on the target and remain there. */
  readonly inventory: ReportInventory;
  readonly coverage: {
    readonly operations: Readonly<Record<string, number>>;
    readonly answers: Readonly<Record<string, number>>;
    readonly rules: Readonly<Record<string, number>>;
    readonly settings_learned: Readonly<Record<string, unknown>>;
  };
  readonly notes: readonly string[];
}

export interface ReportDifference {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly questions: readonly string[];
  readonly reproduced: string;
  readonly calls: number;
  readonly shrunk_from: number;
  readonly times: number;
  readonly steps: readonly ReportStep[];
  /** The command that plays the difference again. */
  readonly replay: string;
  readonly sequence: Sequence;
}

export interface ReportStep {
  readonly n: number;
  /** Of concurrent calls: when each was sent and answered, in ms from the start. */
  readonly at_once?: { readonly sent_ms: number; readonly answered_ms: number };
  readonly as: string | null;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  } | null;
  /** The action of the operator, if the step is no call. */
  readonly operator: string | null;
  readonly model: ReportAnswer | null;
  readonly target: ReportAnswer | null;
  readonly differs: boolean;
  /** The place in the answer, and the value on each side. */
  readonly at?: string;
  readonly there?: { readonly model: string; readonly target: string };
}

export interface ReportAnswer {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ReportParts {
  readonly version: string;
  readonly target: ExploreReport['target'];
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly explored: Explored;
  /** The settings that answer open questions, except those that match the simulator's defaults. */
  readonly settings: ModelSettings;
  readonly requests: number;
  readonly inventory: ReportInventory;
  readonly interrupted: boolean;
  readonly notes: readonly string[];
  readonly redactor: Redactor;
  readonly replay: (id: string) => string;
}

export function makeReport(parts: ReportParts): ExploreReport {
  const { explored, redactor, requests, interrupted, inventory } = parts;
  const { coverage, lost, sequences } = explored;
  const all = (found: readonly Found[], letter: string) =>
    found.map((each, at) => differenceOf(each, `${letter}${at + 1}`, parts));
  return {
    schema: 'explore/1',
    tool: { name: 'conformance', version: parts.version },
    ...{ target: parts.target, seed: parts.seed, started_at: parts.startedAt },
    ...{ requests, sequences, duration_ms: Math.round(parts.durationMs) },
    ...{ verdict: verdictOf(explored), interrupted },
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

/** At most 5 % of the calls may be lost. */
const MOST_LOST = 0.05;

/** Whether more calls are lost than chance explains for a target that loses 5 %. */
const isTooLossy = ({ lost, calls }: Explored): boolean =>
  lost > 3 && lost + 3 * Math.sqrt(lost) > calls * MOST_LOST;

/**
 * If the target stopped answering, or if more sequences failed to compare than agreed, the verdict
 * is invalid.
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

function differenceOf(found: Found, id: string, { redactor, replay }: ReportParts) {
  const { sequence, difference, rules, calls, times, reproduced } = found;
  return {
    ...{ id, title: redactor.text(titleOf(found)), rules, reproduced, calls, times, sequence },
    questions: questionsOf(difference.basis),
    shrunk_from: found.shrunkFrom,
    steps: sequence.steps.flatMap((step) => stepsOf(step, found, redactor)),
    replay: replay(id),
  };
}

function stepsOf(step: Step, found: Found, redactor: Redactor): ReportStep[] {
  const { recorded, compared, difference } = found;
  const stepOf = (n: number, outcome: Outcome | undefined) => {
    const text = (value: string) => redactor.text(value);
    const there = { model: text(difference.model), target: text(difference.target) };
    return {
      n,
      model: answerOf(compared.model.outcomes.get(n), redactor),
      target: answerOf(outcome, redactor),
      differs: difference.n === n,
      ...(difference.n === n ? { at: difference.at, there } : {}),
    };
  };
  if (step.do !== 'call' && step.do !== 'burst') {
    const outcome = recorded.target.outcomes.get(step.n);
    const isRefused = outcome?.kind === 'done' && outcome.isRefused === true;
    const operator = `${operatorWords(step)}${isRefused ? ', which is refused' : ''}`;
    return [{ ...stepOf(step.n, outcome), as: null, request: null, operator }];
  }
  return callsOf([step]).flatMap((call): ReportStep[] => {
    const { n, as } = call;
    const outcome = recorded.target.outcomes.get(n);
    const played = outcome !== undefined && 'sent' in outcome ? outcome : undefined;
    const times = played && {
      sent_ms: Math.round(played.sentAtMs * 10) / 10,
      answered_ms: Math.round(played.answeredAtMs * 10) / 10,
    };
    const isConcurrent = step.do === 'burst' || callsOf([step]).length > 1;
    const row: ReportStep = {
      ...stepOf(n, outcome),
      ...{ as, operator: null },
      ...(isConcurrent && times !== undefined ? { at_once: times } : {}),
      request: played === undefined ? null : requestOf(call, played.sent, redactor),
    };
    if (call.fault === undefined) return [row];
    const none = { n, model: null, target: null, as: null, request: null, differs: false };
    return [{ ...none, operator: faultWords(call) }, row];
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

/** Headers that the API specifies. */
const API_HEADERS = /^(etag|x-request-id|retry-after|content-type|x-ratelimit-.*|allow)$/i;

function answerOf(outcome: Outcome | undefined, redactor: Redactor): ReportAnswer | null {
  switch (outcome?.kind) {
    case 'ledger': {
      const { balance, entries } = outcome;
      return { status: null, headers: {}, body: { balance, entries } };
    }
    case 'lost':
      return { status: null, headers: {}, body: `no answer: ${outcome.why}` };
    case 'answer':
      return {
        status: outcome.status,
        headers: Object.fromEntries(
          outcome.headers.lines.filter(([name]) => API_HEADERS.test(name)),
        ),
        body: bodyOf(redactor.text(Buffer.from(outcome.body).toString())),
      };
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
