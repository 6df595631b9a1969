// The words and signs of a report on a client, the same in every format.
import { shellWord } from '../../../fixtures/shell-word.ts';
import type { RunVerdict } from '../../engine/types.ts';
import { reportVerdicts } from '../make-report.ts';
import type { ClientReport, ReportCheck, ReportFinding, ReportVerdict } from '../report.ts';

export const verdictWords: Readonly<
  Record<ReportVerdict, { readonly name: string; readonly sign: string; readonly meaning: string }>
> = {
  fails: { name: 'fails', sign: '✗', meaning: 'the client is wrong here' },
  inconclusive: { name: 'inconclusive', sign: '?', meaning: 'nothing was shown' },
  advisory: { name: 'advisory', sign: '!', meaning: 'no failure, but worth a look' },
  known: { name: 'known', sign: '≈', meaning: 'fails as the baseline says' },
  not_met: { name: 'not met', sign: '–', meaning: 'the client does nothing of the kind' },
  passed: { name: 'passed', sign: '✓', meaning: 'the client does it right' },
  not_selected: { name: 'not selected', sign: '·', meaning: 'left out' },
};

const runWords: Readonly<Record<RunVerdict, string>> = {
  conformant: 'passes every check of what it does',
  deviates: 'fails checks',
  incomplete: 'fails no check, but not everything could be judged',
  invalid: 'could not be judged',
};

export function runLine({ verdict, summary }: ClientReport): string {
  if (verdict === 'conformant' && summary.known > 0) return 'fails as the baseline says';
  return runWords[verdict];
}

/** `2 fails, 1 advisory, 3 not met, 14 passed`. */
export function countsLine({ summary }: ClientReport): string {
  return reportVerdicts
    .filter((each) => summary[each] > 0)
    .map((each) => `${summary[each]} ${verdictWords[each].name}`)
    .join(', ');
}

/** A command as one would type it: the terminals of Windows know double quotes alone. */
export function typed(command: readonly string[], platform = process.platform): string {
  const [plain, quote] =
    platform === 'win32'
      ? [/^[\w@+=:,./\\-]+$/, (word: string) => `"${word.replaceAll('"', '\\"')}"`]
      : [/^[\w@%+=:,./-]+$/, shellWord];
  return command.map((word) => (plain.test(word) ? word : quote(word))).join(' ');
}

/** Findings of one mistake together, with the places where it shows. */
export function byKind(check: ReportCheck): readonly (readonly ReportFinding[])[] {
  const groups = new Map<string, ReportFinding[]>();
  for (const finding of check.findings) {
    const key = `${finding.verdict} ${finding.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}
