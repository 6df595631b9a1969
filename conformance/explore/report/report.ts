// Makes the JSON report of an exploration of what was found.
import type { Redactor } from '../../reports/redact.ts';
import { type Difference, questionsOf } from '../compare/difference.ts';
import type { Explored } from '../explore.ts';
import { expectedBody } from '../findings/expected.ts';
import type { Found } from '../findings/investigate.ts';
import { type JudgeSays, NOT_ASKED } from '../findings/judge.ts';
import { rulesFor } from '../findings/rules.ts';
import { titleOf } from '../findings/title.ts';
import type { ModelSettings } from '../model.ts';
import type { CallOutcome, LostOutcome, Outcome, Sent } from '../play/outcome.ts';
import { type CallStep, callsOf, refersTo, type Step } from '../sequence.ts';
import {
  type ExploreReport,
  IN_WORDS,
  type ReportAnswer,
  type ReportDifference,
  type ReportStep,
} from './schema.ts';
import { scriptOf } from './script.ts';

export interface ReportParts {
  readonly version: string;
  readonly target: ExploreReport['target'];
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly explored: Explored;
  /** How open questions are answered, but for those that the simulator answers as it comes. */
  readonly settings: ModelSettings;
  /** Requests that were sent before, to learn the settings. */
  readonly spent: number;
  readonly interrupted: boolean;
  readonly notes: readonly string[];
  readonly redactor: Redactor;
  readonly replay: (id: string) => string;
  readonly judge: ReadonlyMap<Found, JudgeSays>;
}

export function makeReport(parts: ReportParts): ExploreReport {
  const { explored, redactor } = parts;
  const { coverage } = explored;
  const differences = explored.found.map((found, at) => differenceOf(found, `d${at + 1}`, parts));
  const unexplained = explored.unexplained.map((found, at) =>
    differenceOf(found, `u${at + 1}`, parts),
  );
  return {
    schema: 'explore/1',
    tool: { name: 'conformance', version: parts.version },
    target: parts.target,
    seed: parts.seed,
    started_at: parts.startedAt,
    requests: explored.requests + parts.spent,
    sequences: explored.sequences,
    duration_ms: Math.round(parts.durationMs),
    verdict: verdictOf(explored),
    interrupted: parts.interrupted,
    differences,
    open: [...explored.open].map(([question, seen]) => ({ question, seen })),
    unexplained,
    inconclusive: explored.inconclusive.map((each) => redactor.text(each)),
    inventory: explored.inventory,
    coverage: {
      operations: sorted(coverage.operations),
      answers: sorted(coverage.answers),
      rules: sorted(coverage.rules),
      settings_learned: parts.settings,
    },
    notes: [...parts.notes, ...goneNotes(explored)].map((each) => redactor.text(each)),
  };
}

/**
 * A target that went away half-way has not agreed: the other half was never asked. Nor has one of
 * which nothing can be said more often than something.
 */
export function verdictOf(explored: Explored): ExploreReport['verdict'] {
  const { found, agreed, isGone, inconclusive } = explored;
  if (found.length > 0) return 'differs';
  return isGone || agreed <= inconclusive.length ? 'invalid' : 'agrees';
}

function goneNotes({ isGone, requests, agreed }: Explored): string[] {
  if (!isGone || agreed === 0) return [];
  return [`The target stopped answering after ${requests} requests; until then it agreed.`];
}

const sorted = (counts: ReadonlyMap<string, number>) =>
  Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));

function differenceOf(
  found: Found,
  id: string,
  { redactor, replay, judge, target, startedAt }: ReportParts,
): ReportDifference {
  const { sequence, difference } = found;
  const title = redactor.text(titleOf(found));
  const rules = rulesFor(found);
  return {
    id,
    title,
    rules,
    questions: questionsOf(difference.basis),
    reproduced: found.reproduced,
    calls: found.calls,
    shrunk_from: found.shrunkFrom,
    times: found.times,
    also: [...found.also].map((each) => redactor.text(each)),
    steps: sequence.steps.flatMap((step) => stepsOf(step, found, redactor)),
    judge: judge.get(found) ?? NOT_ASKED,
    replay: replay(id),
    script: scriptOf(found, { id, title, rules, target, startedAt, redactor }),
    sequence,
  };
}

function stepsOf(step: Step, found: Found, redactor: Redactor): ReportStep[] {
  const { duel, difference } = found;
  if (step.do !== 'call' && step.do !== 'burst') {
    const { n, do: verb, ...rest } = step;
    const [model, target] = [duel.model, duel.target].map((each) => each.outcomes.get(n));
    return [
      {
        n,
        as: null,
        request: null,
        operator: { do: verb, ...rest, ...(isRefused(target) ? { refused: true } : {}) },
        model: operatorAnswer(model),
        target: operatorAnswer(target),
        differs: difference.n === n,
        ...there(difference, n, redactor),
      },
    ];
  }
  return callsOf([step]).map((call) => {
    const { n, as } = call;
    const own = duel.target.broughtBy(n);
    const other = duel.model.outcomes.get(n);
    const differs = difference.n === n;
    const atOnce = step.do === 'burst' && own !== undefined && 'sentAtMs' in own;
    return {
      n,
      ...(atOnce
        ? { at_once: { sent_ms: tenths(own.sentAtMs), answered_ms: tenths(own.answeredAtMs) } }
        : {}),
      as,
      request: own !== undefined && 'sent' in own ? requestOf(call, own.sent, redactor) : null,
      operator: null,
      model: differs ? expectedAnswer(found, redactor) : answerOf(other, redactor),
      target: answerOf(own, redactor),
      differs,
      ...(differs ? { at: difference.at } : {}),
      ...(isBesideBody(difference) ? there(difference, n, redactor) : {}),
    };
  });
}

/** What is told of no answer, or of a part of it that its body does not show. */
const isBesideBody = ({ operation, at }: Difference): boolean =>
  operation === 'delivery' || IN_WORDS.test(at);

function there({ n, at, model, target }: Difference, step: number, redactor: Redactor) {
  if (n !== step) return {};
  return { at, there: { model: redactor.text(model), target: redactor.text(target) } };
}

/** TXS-12: a settlement that the state of the transaction does not allow. */
const isRefused = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'done' && outcome.isRefused === true;

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
const TOLD = /^(etag|x-request-id|retry-after|content-type|x-ratelimit-.*|allow)$/i;

function answerOf(outcome: Outcome | undefined, redactor: Redactor): ReportAnswer | null {
  if (outcome === undefined || !('sent' in outcome)) return null;
  if (outcome.kind === 'lost') return lostAnswer(outcome);
  const { status, headers, body } = outcome as CallOutcome;
  return {
    status,
    headers: Object.fromEntries(headers.lines.filter(([name]) => TOLD.test(name))),
    body: bodyOf(redactor.text(Buffer.from(body).toString())),
  };
}

/** The model's, under the target's names. */
function expectedAnswer(found: Found, redactor: Redactor): ReportAnswer | null {
  const { difference, duel } = found;
  const answer = answerOf(duel.model.outcomes.get(difference.n), redactor);
  const body = expectedBody(found);
  if (answer === null || body === undefined) return answer;
  return { ...answer, body: bodyOf(redactor.text(JSON.stringify(body))) };
}

function lostAnswer({ why }: LostOutcome): ReportAnswer {
  return { status: null, headers: {}, body: `no answer: ${why}` };
}

/** JSON as it is, anything else as text; what goes on for long is cut. */
function bodyOf(text: string): unknown {
  if (text.length > 20_000) return `${text.slice(0, 20_000)}… (${text.length} characters)`;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
