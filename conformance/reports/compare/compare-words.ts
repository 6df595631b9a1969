// A comparison of two reports in words: for a terminal, and as Markdown for a pull request.
import { codeSpan, plainWords } from '../markdown-text.ts';
import { wrapText } from '../plain-text.ts';
import { verdictWords } from '../verdict-words.ts';
import { type Change, type ChangeKind, type Comparison, WORSE } from './compare-reports.ts';

/** In the order in which they are told: what is worse first. */
const TITLES: Readonly<Record<ChangeKind, string>> = {
  new: 'New deviations',
  changed: 'Deviates in another way',
  lost: 'No longer shown',
  gone: 'No longer deviates',
  tested: 'Shown now, and kept',
  observed: 'Open questions that are answered in another way',
};

const KINDS = Object.keys(TITLES) as ChangeKind[];

const VERDICTS: Readonly<Record<Comparison['verdict'], string>> = {
  worse: 'something is worse',
  better: 'nothing is worse, and something is better',
  same: 'nothing has changed',
};

interface Section {
  readonly title: string;
  readonly changes: readonly Change[];
}

function sections({ changes }: Comparison): Section[] {
  return KINDS.map((kind) => {
    const own = changes.filter((each) => each.kind === kind);
    return { title: `${TITLES[kind]} (${own.length})`, changes: own };
  }).filter((each) => each.changes.length > 0);
}

function verdictName(verdict: string): string {
  return Object.hasOwn(verdictWords, verdict)
    ? verdictWords[verdict as keyof typeof verdictWords].name
    : verdict;
}

function headline({ verdict, changes }: Comparison): string {
  const counts = KINDS.flatMap((kind) => {
    const own = changes.filter((each) => each.kind === kind).length;
    return own === 0 ? [] : [`${own} ${kind}`];
  });
  const rest = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${verdict}: ${VERDICTS[verdict]}${rest}`;
}

export function compareText(comparison: Comparison, columns: number): string[] {
  const width = Math.max(60, Math.min(columns, 110));
  const { old, new: now } = comparison;
  const lines = [
    `old  ${old.base_url}, ${old.started_at}: ${old.verdict}`,
    `new  ${now.base_url}, ${now.started_at}: ${now.verdict}`,
  ];
  const item = (label: string, words: string) =>
    wrapText(words, width - label.length).map((each, n) =>
      n === 0 ? label + each : ' '.repeat(label.length) + each,
    );
  for (const { title, changes } of sections(comparison)) {
    lines.push('', title);
    for (const change of changes) {
      lines.push(...item(`  ${change.id.padEnd(8)} `, change.words));
      lines.push(...item('           ', movedWords(change)));
      for (const { scenario, expected, actual, replay } of change.findings.slice(0, 3)) {
        lines.push(...item('    expected  ', expected), ...item('    actual    ', actual));
        lines.push(...item('    scenario  ', scenario));
        if (WORSE.includes(change.kind)) lines.push(...item('    try again ', replay));
      }
    }
  }
  return [...lines, '', headline(comparison)];
}

function movedWords({ kind, before, after }: Change): string {
  if (kind === 'observed') return `was ${before}; is ${after}`;
  return `was ${verdictName(before)}, is ${verdictName(after)}`;
}

export function compareMarkdown(comparison: Comparison): string {
  const { old, new: now } = comparison;
  const parts = [
    `# ${headline(comparison)}`,
    `Old: ${codeSpan(old.base_url)}, ${old.started_at}, ${old.verdict}. ` +
      `New: ${codeSpan(now.base_url)}, ${now.started_at}, ${now.verdict}.`,
    ...sections(comparison).flatMap(({ title, changes }) => [
      `## ${title}`,
      changes.map(markdownItem).join('\n'),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function markdownItem(change: Change): string {
  const head = `- **${change.id}** ${plainWords(change.words)} (${plainWords(movedWords(change))})`;
  const findings = change.findings
    .slice(0, 3)
    .flatMap(({ scenario, expected, actual }) => [
      `  - ${codeSpan(scenario)}: expected ${plainWords(expected)}`,
      `  - actual ${plainWords(actual)}`,
    ]);
  return [head, ...findings].join('\n');
}
