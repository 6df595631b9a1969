// A baseline: which failures are known and which rules need not be tested, why and until when, for
// all judges. A different failure of a known rule is new; one that no longer occurs is stale.
import { listOf, record, type ValueOf } from '../../fixtures/schemas/kit.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import { verdictOfRun } from './build-report.ts';
import { isAccepted } from './findings.ts';
import {
  type BaselineLine,
  NOT_TESTED,
  type Report,
  type ReportFinding,
  type ReportRule,
} from './report.ts';
import { countVerdicts } from './verdict-words.ts';

const text = { type: 'string' } as const;
const name = { ...text, pattern: '\\S', description: 'Not blank' } as const;
const expires = {
  type: ['string', 'null'],
  pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  description: 'A date such as "2027-01-31", or null for never',
} as const;
const isClosed = <S extends object>(schema: S): S => ({ ...schema, additionalProperties: false });

const known = record({
  rule: name,
  scenario: name,
  /** As in the finding of a report. */
  fingerprint: {
    ...text,
    pattern: '^[0-9a-f]{12}$',
    description: '12 hex digits, as a report shows it',
  },
  reason: text,
  expires,
  /** For the reader of the file. */
  'expected?': text,
  'actual?': text,
});

/** Rules that need not be tested because the target lacks something. */
const accepted = record({
  rules: listOf(text, 'Ids of rules', { minItems: 1 }),
  /** The missing capabilities, as in a report; if more is missing, the rule is not accepted. */
  lacks: listOf(text, 'What is missing'),
  reason: text,
  expires,
});

const schema = isClosed(
  record({
    'schema?': { type: 'integer', enum: [1] },
    known: listOf(isClosed(known), 'Known deviations'),
    'not_tested?': listOf(isClosed(accepted), 'Rules that need not be tested'),
  }),
);

export type BaselineEntry = ValueOf<typeof known>;
export type AcceptedEntry = ValueOf<typeof accepted>;

export interface Baseline {
  readonly known: readonly BaselineEntry[];
  readonly not_tested?: readonly AcceptedEntry[];
}

/** The placeholder that the user replaces with a reason. */
export const UNEXPLAINED = 'not explained yet';
const LASTS_MS = 90 * 86_400_000;

/** Parses the JSON of a baseline file. In a draft, reasons may still be missing. */
export function parseBaseline(
  given: unknown,
  { isDraft = false } = {},
): { readonly baseline?: Baseline; readonly problems?: readonly string[] } {
  const wrong = validate(schema, given, 'the baseline');
  if (wrong.length > 0) {
    return { problems: wrong.map(({ field, message }) => `${field} ${message}`) };
  }
  const { known: entries, not_tested: untested = [] } = given as Baseline;
  const named = [
    ...entries.map(({ rule, scenario, reason }, at) => {
      return { field: `known[${at}]`, what: `${rule} in ${scenario} is accepted`, reason };
    }),
    ...untested.map(({ rules: [rule, ...rest], reason }, at) => {
      const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
      return { field: `not_tested[${at}]`, what: `${rule}${more} need not be tested`, reason };
    }),
  ];
  const problems = named
    .filter(({ reason }) => !isDraft && !isExplained(reason))
    .map(({ field, what, reason }) => `${field}.reason is "${reason.trim()}": write why ${what}`);
  if (problems.length > 0) return { problems };
  return { baseline: { known: entries, not_tested: untested } };
}

function isExplained(reason: string): boolean {
  const words = reason.trim().toLowerCase();
  return words !== '' && !words.startsWith(UNEXPLAINED);
}

/** How many entries still need a reason. */
export function unexplained({ known: entries, not_tested: untested = [] }: Baseline): number {
  return [...entries, ...untested].filter(({ reason }) => !isExplained(reason)).length;
}

/** The text of the file, in a stable form so that its changes are easy to review. */
export function printBaseline({ known: entries, not_tested = [] }: Baseline): string {
  const json = JSON.stringify({ schema: 1, known: entries, not_tested }, null, 2);
  // A list of ids on one line, so that adding or removing an id changes one line.
  const lines = json.replace(
    /"rules": \[\n([^[\]]*)\]/g,
    (_, list: string) => `"rules": [${list.trim().replace(/,\n\s+/g, ', ')}]`,
  );
  return `${lines}\n`;
}

/** The report with known deviations marked. `today` is `2026-01-31`, in UTC. */
export function applyBaseline(
  report: Report,
  { known: entries, not_tested: untested = [] }: Baseline,
  today: string,
  strict: boolean,
): Report {
  const isOver = (entry: Expiring) => isPast(entry, today);
  const isValid = (entry: Expiring) => !isOver(entry);
  const stale = entries.filter((entry) => isStale(report, entry));
  const marked = report.rules.map((rule) => markKnown(rule, entries.filter(isValid)));
  const rules = marked
    .map((rule) => markFollower(rule, marked))
    .map((rule) => acceptUntested(rule, untested.filter(isValid)));
  return {
    ...report,
    rules,
    summary: countVerdicts(rules),
    verdict: verdictOfRun({ ...report, rules }, strict),
    baseline: {
      known: rules.filter(({ verdict }) => verdict === 'known').length,
      accepted: rules.filter(isAccepted).length,
      stale: stale.map(line),
      expired: [
        ...entries.filter((entry) => isOver(entry) && !stale.includes(entry)).map(line),
        ...untested
          .filter(isOver)
          .map((entry) => line({ ...entry, rule: entry.rules.join(', '), scenario: NOT_TESTED })),
      ],
    },
  };
}

function line({ rule, scenario, reason, expires: date }: BaselineLine): BaselineLine {
  return { rule, scenario, reason, expires: date };
}

type Expiring = Pick<BaselineLine, 'expires'>;

function isPast({ expires: date }: Expiring, today: string): boolean {
  return date !== null && date < today;
}

/** The fingerprint of a client's failure names its operation; its scenario is the check itself. */
function isSame(entry: BaselineEntry, rule: string, finding: ReportFinding): boolean {
  const isPlace = entry.scenario === finding.scenario || finding.place !== undefined;
  return entry.rule === rule && entry.fingerprint === finding.fingerprint && isPlace;
}

function deviations(rule: ReportRule): ReportFinding[] {
  return rule.findings.filter((each) => each.verdict === 'deviates');
}

/** Known only if every failure of the rule is known: a new failure must not be hidden. */
function markKnown(rule: ReportRule, entries: readonly BaselineEntry[]): ReportRule {
  if (rule.verdict !== 'deviates') return rule;
  const matching = deviations(rule).map((finding) =>
    entries.find((entry) => isSame(entry, rule.id, finding)),
  );
  if (matching.length === 0 || matching.includes(undefined)) return rule;
  const reasons = [...new Set(matching.map((entry) => entry!.reason))];
  const [until] = matching.flatMap((entry) => entry!.expires ?? []).sort();
  const marked: ReportRule = { ...rule, verdict: 'known', reason: reasons.join('; ') };
  return until === undefined ? marked : { ...marked, until };
}

/** If only known deviations keep a rule from being judged, the rule is known as well. */
function markFollower(rule: ReportRule, rules: readonly ReportRule[]): ReportRule {
  if (rule.verdict !== 'blocked') return rule;
  const causes = rule.findings
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'advisory')
    .map(({ because_of: cause }) => rules.find(({ id }) => id === cause));
  if (causes.length === 0 || causes.some((each) => each?.verdict !== 'known')) return rule;
  const ids = [...new Set(causes.map((each) => each!.id))];
  return { ...rule, verdict: 'known', reason: `cannot be judged because of ${ids.join(', ')}` };
}

/** The verdict on the failure that an entry names; undefined if it does not exist. */
function judgedNow(report: Report, { rule, scenario }: BaselineEntry) {
  const found = report.scenarios.find((each) => each.id === scenario);
  if (found !== undefined) return found.by_rule[rule];
  // The scenarios of a client are its runs: the check itself has the verdict.
  const check = report.rules.find(({ id }) => id === rule);
  return report.judge === 'client' ? check?.verdict : undefined;
}

/** The rule passes in its scenario now, or the entry names something that does not exist. */
function isStale(report: Report, entry: BaselineEntry): boolean {
  const verdict = judgedNow(report, entry);
  const isGone = verdict === undefined || !report.rules.some(({ id }) => id === entry.rule);
  return isGone || verdict === 'passed' || verdict === 'advisory';
}

/** A configured capability that no longer works is not acceptable: it must be repaired. */
function isAcceptable({ verdict, lost }: ReportRule): boolean {
  return verdict === 'not_tested' && lost.length === 0;
}

/** A control plane counts as one missing thing, even if several of its commands are needed. */
function missingFor({ unlock }: ReportRule): string[] {
  const missing = unlock.map((each) => each.replace(/^(a control plane \([^)]*\)), to .*/, '$1'));
  return [...new Set(missing)].sort();
}

function acceptUntested(rule: ReportRule, entries: readonly AcceptedEntry[]): ReportRule {
  if (!isAcceptable(rule)) return rule;
  const entry = entries.find(
    ({ rules, lacks }) =>
      rules.includes(rule.id) && missingFor(rule).every((each) => lacks.includes(each)),
  );
  return entry === undefined ? rule : { ...rule, reason: entry.reason };
}

/**
 * The baseline for a report, in which every deviation is known. Existing entries keep their reason,
 * and their date until it has passed; stale entries are removed; entries that were not tried stay.
 */
export function updatedBaseline(report: Report, before: Baseline, nowMs: number): Baseline {
  const found = report.rules.flatMap(({ id, findings }) =>
    findings.flatMap((finding) => (finding.verdict === 'deviates' ? [{ rule: id, finding }] : [])),
  );
  const kept = before.known.filter((entry) => {
    const isFound = found.some(({ rule, finding }) => isSame(entry, rule, finding));
    return !isFound && judgedNow(report, entry) !== 'deviates' && !isStale(report, entry);
  });
  const now = found.map(({ rule, finding }): BaselineEntry => {
    const old = before.known.find((entry) => isSame(entry, rule, finding));
    const { scenario, fingerprint, expected, actual } = finding;
    const isRenewed = old === undefined || isPast(old, dayOf(nowMs));
    return {
      ...{ rule, scenario, fingerprint, reason: old?.reason ?? UNEXPLAINED },
      ...{ expires: isRenewed ? dayOf(nowMs + LASTS_MS) : old.expires, expected, actual },
    };
  });
  const order = new Map(report.rules.map((each, index) => [each.id, index]));
  const at = (entry: BaselineEntry) => order.get(entry.rule) ?? order.size;
  const keyOf = (each: BaselineEntry) => `${each.rule} ${each.scenario} ${each.fingerprint}`;
  const unique = new Map([...now, ...kept].map((each) => [keyOf(each), each]));
  return {
    known: [...unique.values()].sort((a, b) => at(a) - at(b)),
    not_tested: report.judge === undefined ? acceptedNow(report, before.not_tested ?? []) : [],
  };
}

/** One entry for each missing capability, because each has one reason. */
function acceptedNow(report: Report, before: readonly AcceptedEntry[]): AcceptedEntry[] {
  const groups = new Map<string, AcceptedEntry>();
  for (const rule of report.rules) {
    const old = before.find(({ rules }) => rules.includes(rule.id));
    // A rule that was skipped this time stays as it was.
    const isLeftOut = rule.verdict === 'not_selected' && old !== undefined;
    if (!isLeftOut && !isAcceptable(rule)) continue;
    const entry: AcceptedEntry = {
      lacks: isLeftOut ? old.lacks : missingFor(rule),
      rules: [rule.id],
      reason: old?.reason ?? UNEXPLAINED,
      expires: old?.expires ?? null,
    };
    const key = JSON.stringify({ ...entry, rules: [] });
    const known = groups.get(key)?.rules ?? [];
    groups.set(key, { ...entry, rules: [...known, rule.id] });
  }
  return [...groups.values()];
}

export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
