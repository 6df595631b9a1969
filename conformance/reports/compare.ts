// Compares two reports: new deviations, deviations that are gone, and rules that are no longer tested.
// Load must not decide: inconclusive rules and changing figures are listed, but never count as worse.
import { distinct } from './findings.ts';
import { type Document, facts, heading, item, list } from './parts.ts';
import type { Report, ReportFinding, ReportObserved, ReportRule } from './report.ts';
import { vocabularyOf } from './verdict-words.ts';

/** Changes for the worse come first. */
const KINDS = {
  new: ['worse', 'New deviations'],
  changed: ['worse', 'Deviates in another way'],
  lost: ['worse', 'No longer judged'],
  gone: ['better', 'No longer deviates'],
  tested: ['better', 'Judged now, and passed'],
  unclear: ['same', 'Inconclusive in one of the two runs'],
  observed: ['same', 'Open questions that are answered differently'],
} as const;

type Kind = keyof typeof KINDS;

interface Change {
  readonly kind: Kind;
  /** A rule, a check or an open question. */
  readonly id: string;
  readonly words: string;
  readonly before: string;
  readonly after: string;
  /** The failures of the newer report, or of the older one if they are gone. */
  readonly findings: readonly ReportFinding[];
}

type ComparedReport = Pick<Report['target'], 'base_url'> & Pick<Report, 'started_at' | 'verdict'>;

interface Comparison {
  readonly schema: 'compare/1';
  readonly judge?: NonNullable<Report['judge']>;
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
  const has = (effect: string) => changes.some(({ kind }) => KINDS[kind][0] === effect);
  const compared = ({ target: { base_url }, started_at, verdict }: Report) => {
    return { base_url, started_at, verdict };
  };
  return {
    schema: 'compare/1',
    ...(now.judge !== undefined && { judge: now.judge }),
    old: compared(old),
    new: compared(now),
    verdict: has('worse') ? 'worse' : has('better') ? 'better' : 'same',
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
  const change = (kind: Kind, findings: readonly ReportFinding[] = []): Change[] => [
    { kind, id, words, before, after, findings },
  ];
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
  return unquoted(`${expected}\n${actual}`).replace(/[A-Za-z0-9_.+-]+/g, (word) =>
    !/\d/.test(word) || /^[1-5]\d\d$/.test(word) ? word : '#',
  );
}

/** Without names that a run generated. */
const unquoted = (words: string) => words.replace(/"[^"]*"/g, '"…"');

/** If the specification is open, another answer does not deviate, but clients may depend on it. */
function observedChanges(old: Report, now: Report): Change[] {
  const earlier = new Map(old.observed.map((each) => [each.id, each]));
  // Compared by the settings that imitate it, otherwise by its description.
  const answerOf = ({ settings, observed }: ReportObserved) =>
    Object.keys(settings).length > 0 ? JSON.stringify(settings) : unquoted(observed ?? '');
  return now.observed.flatMap((row) => {
    const before = earlier.get(row.id);
    if (before?.observed == null || row.observed === null) return [];
    if (answerOf(before) === answerOf(row)) return [];
    const { id, question: words } = row;
    const change = { id, words, before: before.observed, after: row.observed, findings: [] };
    return [{ kind: 'observed' as const, ...change }];
  });
}

/** The number of findings shown for one change. */
const FINDINGS_SHOWN = 3;

export function comparisonDocument(comparison: Comparison): Document {
  const { verdict, changes } = comparison;
  const names: Readonly<Record<string, { readonly name: string }>> =
    vocabularyOf(comparison).verdicts;
  const groups = (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
    const own = changes.filter((each) => each.kind === kind);
    const [effect, title] = KINDS[kind];
    const isWorse = effect === 'worse';
    return own.length === 0 ? [] : [{ own, isWorse, title: `${title} (${own.length})` }];
  });
  const parts = groups.flatMap(({ own, isWorse, title }) => [
    heading(title, isWorse ? 'bad' : 'plain'),
    ...own.flatMap(({ id, words, before, after, findings }) => [
      ...list([item(words, id)]),
      ...facts([
        ['was', names[before]?.name ?? before],
        ['is', names[after]?.name ?? after],
      ]),
      ...distinct(findings)
        .slice(0, FINDINGS_SHOWN)
        .flatMap(({ scenario, expected, actual, replay }) => [
          ...facts([['scenario', scenario]]),
          ...facts(
            [
              ['expected', expected],
              ['actual', actual],
              ['try again', isWorse ? replay : ''],
            ],
            true,
          ),
        ]),
    ]),
  ]);
  const unchanged = verdict === 'same' ? ['Nothing that counts has changed'] : [];
  const summary = [...unchanged, ...groups.map(({ title }) => title)].join('; ');
  return {
    ...{ title: 'Comparison', verdict, tone: TONES[verdict], subject: comparison.new.base_url },
    headline: `compared with ${comparison.old.base_url}: ${summary}`,
    about: facts([
      ['old', runLine(comparison.old)],
      ['new', runLine(comparison.new)],
    ]),
    ...{ parts, end: [] },
  };
}

const TONES = { worse: 'bad', better: 'good', same: 'plain' } as const;

const runLine = ({ base_url: url, started_at: at, verdict }: ComparedReport) =>
  `${url}, ${at}: ${verdict}`;
