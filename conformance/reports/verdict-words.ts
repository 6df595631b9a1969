// The words and signs of verdicts, the same in every format.
import type { RunVerdict, Verdict } from '../engine/types.ts';
import type { Report, ReportFinding } from './report.ts';

/** In the order in which a reader wants them: what is wrong first. */
export const VERDICTS: readonly Verdict[] = [
  'deviates',
  'harness_error',
  'blocked',
  'inconclusive',
  'advisory',
  'known',
  'not_tested',
  'passed',
  'not_selected',
];

export interface VerdictWords {
  readonly name: string;
  readonly sign: string;
  readonly meaning: string;
}

export const verdictWords: Readonly<Record<Verdict, VerdictWords>> = {
  deviates: { name: 'deviates', sign: '✗', meaning: 'the target breaks the rule' },
  harness_error: { name: 'harness error', sign: '‼', meaning: 'the scenario itself is at fault' },
  blocked: {
    name: 'blocked',
    sign: '⊘',
    meaning: 'setup or a control request failed, so nothing could be shown',
  },
  inconclusive: {
    name: 'inconclusive',
    sign: '?',
    meaning: 'the network, a gateway or a limit came in between',
  },
  advisory: {
    name: 'advisory',
    sign: '!',
    meaning: 'the specification can be read two ways; worth a look',
  },
  known: { name: 'known', sign: '≈', meaning: 'deviates as the baseline says' },
  not_tested: { name: 'not tested', sign: '–', meaning: 'the target lacks something it takes' },
  passed: { name: 'passed', sign: '✓', meaning: 'the target keeps the rule' },
  not_selected: { name: 'not selected', sign: '·', meaning: 'left out of this run' },
};

const runWords: Readonly<Record<RunVerdict, string>> = {
  conformant: 'keeps every rule that was tried',
  deviates: 'breaks rules',
  incomplete: 'breaks no rule that could be tried, but not all could be',
  invalid: 'could not be judged',
};

/** In place of the mark of a run, in a report on a webhook receiver. */
export const receiverMark = 'receiver';

const receiverRunWords: Readonly<Record<RunVerdict, string>> = {
  conformant: 'passes every check',
  deviates: 'fails checks',
  incomplete: 'fails no check that could be judged, but not all could be',
  invalid: 'could not be judged',
};

/** The words of a report, on an API or on a webhook receiver. */
export function reportWords({ mark }: Pick<Report, 'mark'>) {
  const isReceiver = mark === receiverMark;
  return {
    isReceiver,
    noun: isReceiver ? 'check' : 'rule',
    run: isReceiver ? receiverRunWords : runWords,
    inconclusive: isReceiver ? 'nothing was shown' : verdictWords.inconclusive.meaning,
  };
}

/** What a run came to, after the name of its target. */
export function headline(
  report: Pick<Report, 'mark' | 'verdict' | 'baseline' | 'summary'>,
): string {
  const { known = 0, accepted = 0 } = report.baseline ?? {};
  const { run } = reportWords(report);
  const rest = accepted === 0 ? '' : `; ${count(accepted, 'rule')} accepted as not tested`;
  if (report.verdict === 'deviates' && report.summary.deviates === 0) {
    return `${strictWords(report.summary)}${rest}`;
  }
  if (known === 0 || report.verdict === 'invalid') return run[report.verdict] + rest;
  const words = {
    conformant: `has known deviations: ${known}, and no others`,
    deviates: `breaks rules beside known deviations: ${known}`,
    incomplete: `has known deviations: ${known}, and not everything else could be tried`,
  }[report.verdict];
  return words + rest;
}

/** Nothing deviates but for --strict, which counts what is known and what is advice. */
function strictWords({ known, advisory }: Report['summary']): string {
  const parts = [
    ...(known > 0 ? [`known deviations: ${known}`] : []),
    ...(advisory > 0 ? [`advice: ${advisory}`] : []),
  ];
  return `breaks no other rule, but --strict counts ${parts.join(' and ')}`;
}

/** Why a finding matters, with a name before each. */
export function adviceOf({ advice }: ReportFinding): readonly (readonly [string, string])[] {
  if (advice === undefined) return [];
  return [
    ['why', advice.why],
    ['at stake', advice.at_stake],
    ['mend', advice.mend],
  ];
}

/** What to know besides the reason why nothing was tried, which is told with the verdict. */
export function notesOf({ notes, not_started: start }: Report): readonly string[] {
  return notes.filter((each) => each !== start);
}

/** `3 rules`, `1 rule`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** `840 ms`, `4.2 s`, `11 min 5 s`. */
/** `24 h 30 min`: of what may last for days. */
export function span(ms: number): string {
  if (ms < 3_600_000) return duration(ms);
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor((minutes % 1440) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([many, unit]) => (many === 0 ? [] : [`${many} ${unit}`])).join(' ');
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The counts in the order of VERDICTS, those of zero left out: `2 deviates, 173 passed`. */
export function countsLine(summary: Readonly<Record<Verdict, number>>): string {
  return VERDICTS.filter((each) => summary[each] > 0)
    .map((each) => `${summary[each]} ${verdictWords[each].name}`)
    .join(', ');
}
