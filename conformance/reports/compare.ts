// Two reports compared: what deviates that did not, what no longer does, and what is not shown any
// more. Load must not decide: inconclusive rules and changing figures are listed, never worse.
import { codeSpan, plainWords } from './markdown.ts';
import { wrapText } from './plain-text.ts';
import type { Report, ReportFinding, ReportObserved, ReportRule } from './report.ts';
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

interface ComparedReport {
  readonly base_url: string;
  readonly started_at: string;
  readonly verdict: string;
}

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
  const head = ({ target, started_at, verdict }: Report) => ({
    base_url: target.base_url,
    started_at,
    verdict,
  });
  return {
    schema: 'compare/1',
    old: head(old),
    new: head(now),
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
  const common = { id, words, before: verdictOf(old), after: verdictOf(now) };
  const change = (kind: ChangeKind, findings: readonly ReportFinding[] = []): Change[] => [
    {
      kind,
      ...common,
      findings: findings.map(({ scenario, expected, actual, fingerprint, replay }) => {
        return { scenario, expected, actual, fingerprint, replay };
      }),
    },
  ];
  if (is.length > 0 && was.length === 0) return change('new', is);
  if (fresh.length > 0) return change('changed', fresh);
  if (is.length > 0) return [];
  if (now?.verdict === 'inconclusive' && old?.verdict !== 'inconclusive') return change('unclear');
  const [wasShown, isShown] = [hasShown(old), hasShown(now)];
  if (was.length > 0) return isShown ? change('gone', was) : change('lost');
  if (wasShown && !isShown && now?.verdict !== 'not_selected') return change('lost');
  if (!isShown || wasShown || old?.verdict === 'not_selected') return [];
  return change(old?.verdict === 'inconclusive' ? 'unclear' : 'tested');
}

function hasShown(rule: ReportRule | undefined): boolean {
  return rule?.verdict === 'passed' || rule?.verdict === 'advisory';
}

function verdictOf(rule: ReportRule | undefined): string {
  return rule === undefined ? 'absent' : rule.verdict;
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
  const before = new Map(old.observed.map((each) => [each.id, each]));
  return now.observed.flatMap((row) => {
    const { id, question, observed } = row;
    const other = before.get(id);
    if (other === undefined || other.observed === null || observed === null) return [];
    if (isSameAnswer(other, row)) return [];
    const words = { before: other.observed, after: observed, findings: [] };
    return [{ kind: 'observed' as const, id, words: question, ...words }];
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

function sections({ changes }: Comparison) {
  return KINDS.map((kind) => {
    const own = changes.filter((each) => each.kind === kind);
    return { title: `${TITLES[kind]} (${own.length})`, changes: own };
  }).filter((each) => each.changes.length > 0);
}

function headline({ verdict, changes }: Comparison): string {
  const counts = KINDS.flatMap((kind) => {
    const own = changes.filter((each) => each.kind === kind).length;
    return own === 0 ? [] : [`${own} ${kind}`];
  });
  const rest = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${verdict}: ${VERDICTS[verdict]}${rest}`;
}

function changeWords({ kind, before, after }: Change): string {
  const { verdicts } = vocabularyOf({});
  const name = (verdict: string) =>
    Object.hasOwn(verdicts, verdict) ? verdicts[verdict as keyof typeof verdicts].name : verdict;
  if (kind === 'observed') return `was ${before}; is ${after}`;
  return `was ${name(before)}, is ${name(after)}`;
}

/** Findings shown of one change. */
const FINDINGS_SHOWN = 3;

/** What a change says of its findings, by name. */
function proofOf({ kind, findings }: Change): (readonly [name: string, text: string])[] {
  return findings
    .slice(0, FINDINGS_SHOWN)
    .flatMap(({ scenario, expected, actual, replay }) => [
      ['expected', expected] as const,
      ['actual', actual] as const,
      ['scenario', scenario] as const,
      ...(WORSE.includes(kind) ? [['try again', replay] as const] : []),
    ]);
}

export function compareText(comparison: Comparison, columns: number): string[] {
  const width = Math.max(60, Math.min(columns, 110));
  const { old, new: now } = comparison;
  const item = (label: string, words: string) =>
    wrapText(words, width - label.length).map((each, n) =>
      n === 0 ? label + each : ' '.repeat(label.length) + each,
    );
  return [
    `old  ${old.base_url}, ${old.started_at}: ${old.verdict}`,
    `new  ${now.base_url}, ${now.started_at}: ${now.verdict}`,
    ...sections(comparison).flatMap(({ title, changes }) => [
      '',
      title,
      ...changes.flatMap((change) => [
        ...item(`  ${change.id.padEnd(8)} `, change.words),
        ...item('           ', changeWords(change)),
        ...proofOf(change).flatMap(([name, text]) => item(`    ${name.padEnd(9)} `, text)),
      ]),
    ]),
    '',
    headline(comparison),
  ];
}

export function compareMarkdown(comparison: Comparison): string {
  const { old, new: now } = comparison;
  const parts = [
    `# ${headline(comparison)}`,
    `Old: ${codeSpan(old.base_url)}, ${old.started_at}, ${old.verdict}. ` +
      `New: ${codeSpan(now.base_url)}, ${now.started_at}, ${now.verdict}.`,
    ...sections(comparison).flatMap(({ title, changes }) => [
      `## ${title}`,
      changes
        .flatMap((change) => [
          `- **${change.id}** ${plainWords(change.words)} (${plainWords(changeWords(change))})`,
          ...proofOf(change).map(([name, text]) => `  - ${name}: ${plainWords(text)}`),
        ])
        .join('\n'),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}
