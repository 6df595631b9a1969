// The report on a receiver in the common form: each check becomes a rule, and findings with one
// cause are grouped. Also describes a check.
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { checkRule, makeReport } from '../reports/build-report.ts';
import { reportExchange, requestLines } from '../reports/exchanges.ts';
import { code, facts, heading, type Part, words } from '../reports/parts.ts';
import type { Redactor } from '../reports/redact.ts';
import type { Report, ReportCause, ReportRule, ReportScenario } from '../reports/report.ts';
import { CAUSES, type Check, expectedOf, groupWords } from './check.ts';
import type { SigningOptions } from './delivery.ts';
import { breaking, type CheckResult, type Judgement } from './judge.ts';
import type { ReceiverRun } from './run.ts';

export interface ReceiverReportOptions {
  readonly version: string;
  readonly url: string;
  readonly run: ReceiverRun;
  readonly redactor: Redactor;
  readonly strict?: boolean;
  /** A command that runs one check again. */
  readonly replay: (check: Check) => string;
}

export function receiverReport(options: ReceiverReportOptions): Report {
  const { url, run, redactor } = options;
  const notes = [
    ...(run.refused === null ? [] : [`Nothing was judged: ${run.refused}.`.replace('?.', '?')]),
    ...run.observed,
  ];
  return makeReport(options, {
    judge: 'receiver',
    target: { base_url: redactor.text(url), control_url: null },
    notes: notes.map((note) => redactor.text(note)),
    causes: causesIn(run),
    rules: run.results.map((result) => ruleOf(result, options)),
    scenarios: run.results.map((result) => scenarioOf(result, redactor)),
  });
}

const idOf = ({ check }: CheckResult) => check.id;

/** The common causes of failing checks, the most general first. */
function causesIn({ results }: ReceiverRun): ReportCause[] {
  const bad = results.filter(({ judgement }) => /deviates|advisory/.test(judgement.verdict));
  const forged = results.filter(({ check }) => check.group === 'refuse');
  const accepted = bad
    .filter(({ check, judgement }) => check.group === 'refuse' && judgement.verdict === 'deviates')
    .map(idOf);
  // A delivery that it cannot parse may break it before it would be accepted.
  const isBlind =
    accepted.length > forged.length / 2 &&
    forged.every(({ judgement }) => /deviates|advisory/.test(judgement.verdict));
  const blind: ReportCause = {
    title: 'It accepted every forged delivery: the signature is not checked at all',
    mend: 'Verify the signature of every delivery before anything else, then run again.',
    rules: isBlind ? accepted : [],
  };
  const broken: ReportCause = {
    title: 'odd deliveries make the receiver fail',
    mend: breaking.fix,
    rules: bad.filter(({ judgement }) => judgement.stake !== undefined).map(idOf),
  };
  return [
    blind,
    broken,
    ...Object.entries(CAUSES).map(([cause, [title, , mend]]) => {
      // A delivery that terminates the receiver is a separate cause.
      const own = bad.filter(
        ({ check, judgement }) => check.cause === cause && judgement.stake === undefined,
      );
      return { title, mend, rules: own.map(idOf) };
    }),
  ].filter(({ rules }) => rules.length > 1);
}

function ruleOf(
  { judgement, check, exchanges }: CheckResult,
  { redactor, replay }: ReceiverReportOptions,
): ReportRule {
  const { id, group, title } = check;
  const { verdict, stake = check } = judgement;
  const expected = redactor.text(judgement.expected);
  const actual = redactor.text(judgement.actual);
  const isAdvised = verdict === 'deviates' || verdict === 'advisory';
  const finding = {
    ...{ scenario: id, verdict, expected, actual },
    // A check that could not be judged rests on nothing that was sent for it.
    exchanges: verdict === 'inconclusive' ? [] : exchanges.map(({ n }) => n),
    ...(isAdvised ? { advice: { why: check.why, at_stake: stake.gains, mend: stake.fix } } : {}),
    replay: redactor.text(replay(check)),
    fingerprint: fingerprintOf(id, id, { expected, actual }),
  };
  const findings = verdict === 'passed' ? [] : [finding];
  return checkRule(
    { id, family: groupWords[group], words: title, verdict, scenarios: [id], findings },
    whyUnjudged(judgement, redactor),
  );
}

function whyUnjudged({ verdict, actual }: Judgement, redactor: Redactor): string | null {
  return verdict === 'inconclusive' ? redactor.text(actual) : null;
}

function scenarioOf(
  { check: { id, title }, judgement, exchanges }: CheckResult,
  redactor: Redactor,
): ReportScenario {
  const { verdict } = judgement;
  return {
    ...{ id, title, verdict, rules: [id], by_rule: { [id]: verdict } },
    why: whyUnjudged(judgement, redactor),
    attempts: 1,
    duration_ms: exchanges.reduce((sum, each) => sum + each.durationMs, 0),
    exchanges: exchanges.map((each) => reportExchange(each, redactor)),
  };
}

const exampleSigning: SigningOptions = {
  secret: 'whsec_for_show',
  previousSecret: null,
  names: { signature: 'X-Webhook-Signature', subscription: 'X-Webhook-Subscription-Id' },
  mark: 'example',
};

/** Columns of a line of a delivery. */
const WIDTH = 96;

/** Describes a check for the user: the delivery, the expected response, the risk. */
export function explainCheck(check: Check): Part[] {
  const { together } = check;
  const probes = check.probes(exampleSigning);
  const shown = probes.slice(0, together ? 1 : 2);
  const rest = probes.length - shown.length;
  const deliveries = shown.map(({ delivery: { headers, body, chunked } }, at) => {
    const sent = chunked ? [...headers, ['transfer-encoding', 'chunked'] as const] : headers;
    const text = Buffer.from(body).toString();
    const request = { method: 'POST', url: 'URL', headers: sent, body: text };
    return requestLines({ n: at + 1, kind: 'delivery', as: null, request }, WIDTH);
  });
  return [
    heading(`${check.id}  ${groupWords[check.group]}`),
    words(check.title),
    ...facts([
      ['expects', expectedOf(check)],
      ['why', check.why],
      ['at stake', check.gains],
      ['fix', check.fix],
      ['try it', `npx conformance receiver --only ${check.id} --url URL --secret-env NAME`],
    ]),
    heading('sends, as an example'),
    ...code(deliveries.flat()),
    ...(rest > 0 ? [words(`and ${rest} more${together ? ', all at once' : ''}`)] : []),
  ];
}
