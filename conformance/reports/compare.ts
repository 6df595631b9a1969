// Two reports compared: what deviates that did not, what no longer does, and what is not shown any
// more. Load must not decide: inconclusive rules and changing figures are listed, never worse.
import { codeSpan, markdownOf } from './markdown.ts';
import { facts, heading, item, list, type Part } from './parts.ts';
import type { Report, ReportFinding, ReportObserved, ReportRule } from './report.ts';
import { textOf } from './text.ts';
import { vocabularyOf } from './verdict-words.ts';

/** In the order of the text: what is worse comes first. */
const TITLES = {
  new: 'New deviations',
  changed: 'Deviates in another way',
  lost: 'No longer shown',
  gone: 'No longer deviates',
  tested: 'Shown now, and kept',
  unclear: 'Inconclusive in one of the two runs',
  observed: 'Open questions that are answered differently',
} as const;

export type ChangeKind = keyof typeof TITLES;

const KINDS = Object.keys(TITLES) as ChangeKind[];
const WORSE: readonly ChangeKind[] = ['new', 'changed', 'lost'];
const BETTER: readonly ChangeKind[] = ['gone', 'tested'];

export interface Change {
  readonly kind: ChangeKind;
  /** A rule, a check or an open question. */
  readonly id: string;
  readonly words: string;
  readonly before: string;
  readonly after: string;
  /** The failures of the newer report, or of the older one if they are gone. */
  readonly findings: readonly Pick<
    ReportFinding,
    'scenario' | 'expected' | 'actual' | 'fingerprint' | 'replay'
  >[];
}

type ComparedReport = Pick<Report['target'], 'base_url'> & Pick<Report, 'started_at' | 'verdict'>;

export interface Comparison {
  readonly schema: 'compare/1';
  readonly old: ComparedReport;
  readonly new: ComparedReport;
  readonly verdict: 'worse' | 'better' | 'same';
  readonly changes: readonly Change[];
}

export function compareReports(old: Report, now: Report): Comparison {
  const before = new Map(old.rules.map((each) => [each.id, each]));
  const after = new Set(now.rules.map(({ id }) => id));
  const removed = old.rules.filter(({ id }) => !after.has(id));
  const changes = [
    ...now.rules.flatMap((rule) => ruleChange(before.get(rule.id), rule)),
    ...removed.flatMap((rule) => ruleChange(rule, undefined)),
    ...observedChanges(old, now),
  ];
  const isWorse = changes.some(({ kind }) => WORSE.includes(kind));
  const isBetter = changes.some(({ kind }) => BETTER.includes(kind));
  const compared = ({ target: { base_url }, started_at, verdict }: Report) => {
    return { base_url, started_at, verdict };
  };
  return {
    schema: 'compare/1',
    old: compared(old),
    new: compared(now),
    verdict: isWorse ? 'worse' : isBetter ? 'better' : 'same',
    changes,
  };
}

/** A baseline changes how a failure is counted, not whether it exists. */
function failuresOf(rule: ReportRule | undefined): readonly ReportFinding[] {
  return (rule?.findings ?? []).filter(({ verdict }) => verdict === 'deviates');
}

function ruleChange(old: ReportRule | undefined, now: ReportRule | undefined): Change[] {
  const [was, is] = [failuresOf(old), failuresOf(now)];
  const fresh = is.filter((each) => !was.some((other) => isSame(each, other)));
  const { id, words } = (now ?? old)!;
  const [before, after] = [old?.verdict ?? 'absent', now?.verdict ?? 'absent'];
  const change = (kind: ChangeKind, shown: readonly ReportFinding[] = []): Change[] => {
    const findings = shown.map(({ scenario, expected, actual, fingerprint, replay }) => {
      return { scenario, expected, actual, fingerprint, replay };
    });
    return [{ kind, id, words, before, after, findings }];
  };
  if (is.length > 0 && was.length === 0) return change('new', is);
  if (fresh.length > 0) return change('changed', fresh);
  if (is.length > 0) return [];
  if (after === 'inconclusive' && before !== 'inconclusive') return change('unclear');
  const [wasShown, isShown] = [hasShown(old), hasShown(now)];
  if (was.length > 0) return isShown ? change('gone', was) : change('lost');
  if (wasShown && !isShown && after !== 'not_selected') return change('lost');
  if (!isShown || wasShown || before === 'not_selected') return [];
  return change(before === 'inconclusive' ? 'unclear' : 'tested');
}

function hasShown(rule: ReportRule | undefined): boolean {
  return rule?.verdict === 'passed' || rule?.verdict === 'advisory';
}

/** The same failure, even if its figures differ: counts and times change with the load. */
function isSame(one: ReportFinding, other: ReportFinding): boolean {
  if (one.scenario !== other.scenario) return false;
  return one.fingerprint === other.fingerprint || shapeOf(one) === shapeOf(other);
}

/** The words of a failure without figures, except statuses. */
function shapeOf({ expected, actual }: ReportFinding): string {
  return `${expected}\n${actual}`
    .replace(/"[^"]*"/g, '"…"')
    .replace(/[A-Za-z0-9_.+-]+/g, (word) =>
      !/\d/.test(word) || /^[1-5]\d\d$/.test(word) ? word : '#',
    );
}

/** Where the specification is open, another answer is no deviation, but clients may depend on it. */
function observedChanges(old: Report, now: Report): Change[] {
  const earlier = new Map(old.observed.map((each) => [each.id, each]));
  return now.observed.flatMap((row) => {
    const { id, question: words, observed: after } = row;
    const before = earlier.get(id)?.observed ?? null;
    if (before === null || after === null || isSameAnswer(earlier.get(id)!, row)) return [];
    return [{ kind: 'observed' as const, id, words, before, after, findings: [] }];
  });
}

/** By the settings that imitate it, or by the words without the names that a run made up. */
function isSameAnswer(one: ReportObserved, other: ReportObserved): boolean {
  const settings = (row: ReportObserved) => JSON.stringify(row.settings);
  if (settings(one) !== '{}' || settings(other) !== '{}') return settings(one) === settings(other);
  const words = (row: ReportObserved) => (row.observed ?? '').replace(/"[^"]*"/g, '"…"');
  return words(one) === words(other);
}

const VERDICTS: Readonly<Record<Comparison['verdict'], string>> = {
  worse: 'something is worse',
  better: 'nothing is worse, and something is better',
  same: 'nothing has changed that counts',
};

function headline({ verdict, changes }: Comparison): string {
  const counts = KINDS.flatMap((kind) => {
    const own = changes.filter((each) => each.kind === kind).length;
    return own === 0 ? [] : [`${own} ${kind}`];
  });
  const rest = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${verdict}: ${VERDICTS[verdict]}${rest}`;
}

/** Findings shown of one change. */
const FINDINGS_SHOWN = 3;

function partsOf({ changes }: Comparison): Part[] {
  const { verdicts } = vocabularyOf({});
  const name = (verdict: string) =>
    Object.hasOwn(verdicts, verdict) ? verdicts[verdict as keyof typeof verdicts].name : verdict;
  return KINDS.flatMap((kind) => {
    const own = changes.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    return [
      heading(`${TITLES[kind]} (${own.length})`, WORSE.includes(kind) ? 'bad' : 'plain'),
      ...own.flatMap(({ id, words, before, after, findings }) => [
        ...list([item(words, id)]),
        ...facts([
          ['was', kind === 'observed' ? before : name(before)],
          ['is', kind === 'observed' ? after : name(after)],
        ]),
        ...findings.slice(0, FINDINGS_SHOWN).flatMap(({ scenario, expected, actual, replay }) =>
          facts([
            ['expected', expected],
            ['actual', actual],
            ['scenario', scenario],
            ['try again', WORSE.includes(kind) ? replay : ''],
          ]),
        ),
      ]),
    ];
  });
}

const runLine = ({ base_url: url, started_at: at, verdict }: ComparedReport) =>
  `${url}, ${at}: ${verdict}`;

export function compareText(comparison: Comparison, width: number): string[] {
  return [
    ...textOf(
      facts([
        ['old', runLine(comparison.old)],
        ['new', runLine(comparison.new)],
      ]),
      { color: false, width },
    ),
    ...textOf(partsOf(comparison), { color: false, width }),
    '',
    headline(comparison),
  ];
}

export function compareMarkdown(comparison: Comparison): string {
  const runs = `- old: ${codeSpan(runLine(comparison.old))}\n- new: ${codeSpan(runLine(comparison.new))}`;
  return markdownOf(`# ${headline(comparison)}\n\n${runs}`, partsOf(comparison));
}
