// The vocabulary of reports for each judge, and the format of counts and times.
import type { RunVerdict, Verdict } from '../engine/types.ts';
import type { Tone } from './parts.ts';
import type { Report, ReportRule } from './report.ts';

/** In the order of a report: problems come first. */
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
  readonly sign: string;
  readonly name: string;
  readonly meaning: string;
}

export interface Vocabulary {
  /** Title of the documents. */
  readonly title: string;
  /** The unit that is judged. */
  readonly noun: 'rule' | 'check';
  readonly verdicts: Readonly<Record<Verdict, VerdictWords>>;
  readonly run: Readonly<Record<RunVerdict, string>>;
  /** Order in which rules with findings are shown. */
  readonly findingsOf: readonly Verdict[];
}

const words = (sign: string, name: string, meaning: string): VerdictWords => {
  return { sign, name, meaning };
};

const api: Vocabulary = {
  title: 'Conformance',
  noun: 'rule',
  verdicts: {
    deviates: words('✗', 'deviates', 'the target breaks the rule'),
    harness_error: words('‼', 'harness error', 'the scenario itself has a bug'),
    blocked: words('⊘', 'blocked', 'setup, a control request or a rule that it rests on failed'),
    inconclusive: words('?', 'inconclusive', 'what was seen does not decide it'),
    advisory: words('!', 'advisory', 'the specification can be read in two ways; worth a look'),
    known: words('≈', 'known', 'deviates as recorded in the baseline'),
    not_tested: words('–', 'not tested', 'the target lacks something it needs'),
    passed: words('✓', 'passed', 'the target keeps the rule'),
    not_selected: words('·', 'not selected', 'left out of this run'),
  },
  run: {
    conformant: 'keeps every rule that was tested',
    deviates: 'breaks rules',
    incomplete: 'breaks no rule that could be tested, but not all could be',
    invalid: 'could not be judged',
  },
  findingsOf: ['deviates', 'harness_error', 'advisory'],
};

const receiver: Vocabulary = {
  ...api,
  title: 'Webhook receiver',
  noun: 'check',
  verdicts: {
    ...api.verdicts,
    deviates: words('✗', 'deviates', 'the receiver fails the check'),
    inconclusive: words('?', 'inconclusive', 'the check could not be judged'),
    advisory: words('!', 'advisory', 'not a failure, but worth a look'),
    passed: words('✓', 'passed', 'the receiver passes the check'),
  },
  run: {
    conformant: 'passes every check',
    deviates: 'fails checks',
    incomplete: 'fails no check that could be judged, but not all could be',
    invalid: 'could not be judged',
  },
  findingsOf: ['deviates', 'advisory'],
};

const client: Vocabulary = {
  ...receiver,
  title: 'API client',
  verdicts: {
    ...receiver.verdicts,
    deviates: words('✗', 'fails', 'the client does the wrong thing'),
    known: words('≈', 'known', 'fails as recorded in the baseline'),
    not_tested: words('–', 'not met', 'the client does nothing of the kind'),
    passed: words('✓', 'passed', 'the client does it right'),
  },
  run: { ...receiver.run, conformant: 'passes every check of what it does' },
  findingsOf: ['deviates', 'advisory', 'inconclusive'],
};

export function vocabularyOf({ judge }: Pick<Report, 'judge'>): Vocabulary {
  return judge === undefined ? api : { receiver, client }[judge];
}

/** `✗ deviates`. */
export function nameOf(report: Pick<Report, 'judge'>, verdict: Verdict): string {
  const { sign, name } = vocabularyOf(report).verdicts[verdict];
  return `${sign} ${name}`;
}

/** Rules that the baseline marks as known: deviations, and rules that only these leave unjudged. */
export function knownRules(rules: readonly ReportRule[]) {
  const known = rules.filter(({ verdict }) => verdict === 'known');
  const isDeviation = ({ findings }: ReportRule) =>
    findings.some(({ verdict }) => verdict === 'deviates');
  return {
    deviations: known.filter(isDeviation),
    unjudged: known.filter((rule) => !isDeviation(rule)),
  };
}

/** If more deviations are known, only their number is shown. */
const KNOWN_NAMED = 5;

/** The result of the run, to be written after the name of its target. */
export function headline(report: Report): string {
  const { noun, run } = vocabularyOf(report);
  const { verdict, summary, baseline, rules } = report;
  const { deviations, unjudged } = knownRules(rules);
  const verb = noun === 'check' ? 'fails' : 'breaks';
  const isPart = noun === 'check' && verdict === 'conformant' && summary.not_selected > 0;
  const others = `${verb} no other ${noun}`;
  const result = () => {
    if (summary.deviates > 0) return `${verb} ${count(summary.deviates, noun)}`;
    if (verdict === 'deviates') return `${others}, but --strict counts what is known and advice`;
    if (deviations.length === 0 || verdict === 'invalid') {
      return `${run[verdict]}${isPart ? ', of those that were chosen' : ''}`;
    }
    return verdict === 'conformant' ? others : `${others}, but not everything could be tested`;
  };
  const ids = deviations.length > KNOWN_NAMED ? [] : deviations.map(({ id }) => id);
  const named = ids.length === 0 ? '' : ` (${ids.join(', ')})`;
  const rest: readonly (readonly [number: number, words: string])[] = [
    [deviations.length, `${count(deviations.length, 'known deviation')}${named}`],
    [unjudged.length, `${count(unjudged.length, noun)} that these keep from being judged`],
    [baseline?.accepted ?? 0, `${count(baseline?.accepted ?? 0, noun)} accepted as not tested`],
  ];
  return [result(), ...rest.flatMap(([number, words]) => (number === 0 ? [] : [words]))].join('; ');
}

/** `3 rules`, `1 rule`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `840 ms`, `4.2 s`, `11 min 5 s`, `2 h 30 min`: the two largest units that are not zero. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1).replace('.0', '')} s`;
  let seconds = Math.round(ms / 1000);
  const first = UNITS.findIndex(([size]) => seconds >= size);
  const parts = UNITS.slice(first, first + 2).map(([size, unit]) => {
    const many = Math.floor(seconds / size);
    seconds -= many * size;
    return many === 0 ? [] : `${many} ${unit}`;
  });
  return parts.flat().join(' ');
}

export const TONES: Readonly<Record<RunVerdict, Tone>> = {
  conformant: 'good',
  deviates: 'bad',
  incomplete: 'warn',
  invalid: 'warn',
};

export function countVerdicts(
  rules: readonly { readonly verdict: Verdict }[],
): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((each) => [each, 0])) as Record<Verdict, number>;
  for (const { verdict } of rules) counts[verdict] += 1;
  return counts;
}

/** The counts that are not zero, in the order of VERDICTS: `2 deviates, 173 passed`. */
export function countsOf(report: Pick<Report, 'judge'>, summary: Report['summary']): string {
  const { verdicts } = vocabularyOf(report);
  return VERDICTS.filter((each) => summary[each] > 0)
    .map((each) => `${summary[each]} ${verdicts[each].name}`)
    .join(', ');
}

/** `1 request in 4.2 s, seed 1`, with the runs of a client. */
export function effortLine(report: Report): string {
  const { client: run, requests, duration_ms: ms, judge, seed } = report;
  const runs = run === undefined ? '' : `${count(run.runs, 'run')}, `;
  const seeded = judge === 'receiver' ? '' : `, seed ${seed}`;
  return `${runs}${count(requests, 'request')} in ${duration(ms)}${seeded}`;
}

/** `2026-01-31 12:00:00 UTC, conformance 0.1.0`. */
export function versionLine({ started_at: at, tool }: Pick<Report, 'started_at' | 'tool'>): string {
  return `${at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}, ${tool.name} ${tool.version}`;
}
