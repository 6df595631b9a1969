// A scenario of a report as a script: curl for every call, with names that are new each time and
// ids taken from the answers.
import { pathOf } from '../exchange-lines.ts';
import type { Report, ReportExchange, ReportFinding, ReportScenario } from '../report.ts';
import {
  clientLines,
  clientVariable,
  credentialLines,
  type RecordedClient,
  required,
  tokenVariable,
} from './credentials.ts';
import { besidesTags, curlLines, insertVariables, quoted } from './curl.ts';
import { controlCall, evidenceVerb, pathInAnswer } from './operator-calls.ts';
import { PROOF_PROGRAM } from './proof-program.ts';
import { recordedJson } from './recorded.ts';
import { keysIn, namedByAnswers, parsed, phonesIn, type ReplayVariable } from './variables.ts';

/** What a script needs to know of the run that it repeats a part of. */
export interface Recorded extends Pick<Report, 'target' | 'started_at' | 'mark'> {
  readonly rules: readonly {
    readonly id: string;
    readonly words: string;
    readonly findings: readonly Pick<
      ReportFinding,
      'scenario' | 'verdict' | 'expected' | 'actual' | 'exchanges'
    >[];
  }[];
}

export interface RecordedScenario extends Pick<ReportScenario, 'id' | 'title' | 'exchanges'> {
  /** Whom the run asked for tokens as. */
  readonly clients?: readonly RecordedClient[];
  /** Tokens that later calls show: each stands in a variable of the step that gave it. */
  readonly tokens?: readonly { readonly step: number; readonly path: string }[];
  /** Of calls at once: how often it is tried until it shows, as how they meet is chance. */
  readonly tries?: number;
}

/** Who calls with the token that a step was answered with. */
export const callerByToken = (step: number): string => `step ${step}`;

export function replayScript(report: Recorded, scenario: RecordedScenario): string {
  const { exchanges, clients = [] } = scenario;
  const phones = phonesIn(exchanges);
  const keys = keysIn(exchanges);
  const answers = namedByAnswers(exchanges);
  const names: ReplayVariable[] = [
    { value: report.mark, variable: 'MARK' },
    { value: report.mark.toUpperCase(), variable: 'UPPER_MARK' },
    ...phones,
    ...keys,
    ...answers,
    ...clients.flatMap(namesOfClient),
  ];
  const tokens = (scenario.tokens ?? []).map(variableOfToken);
  const lines = [
    'set -euo pipefail',
    // What a report names is a word to the shell, never a command.
    `usual=${quoted([report.target.base_url])}`,
    `BASE_URL="\${BASE_URL:-$usual}"`,
    ...PREAMBLE,
    'UPPER_MARK="$(tr a-f A-F <<<"$MARK")"',
    ...phones.map(({ value, variable }) => `${variable}="${value.slice(0, -6)}$(digits 6)"`),
    ...keys.map(({ variable }, at) => `${variable}="key-$MARK-${at + 1}"`),
    'export MARK',
    ...gatewayLines(report),
    ...proofLines(report, scenario),
    ...credentialLines(
      report,
      exchanges,
      clients,
      tokens.map(({ variable }) => variable),
    ),
    ...steps(report, exchanges, names, [...answers, ...tokens]),
    '',
    `printf '\\nDone: ${exchanges.length} steps.\\n'`,
    'node "$work/prove.js" "$work"',
  ];
  const { tries = 1 } = scenario;
  const head = ['#!/usr/bin/env bash', ...headLines(report, scenario)];
  return `${[...head, ...(tries === 1 ? lines : untilSeen(lines, tries))].join('\n')}\n`;
}

/** Each try has names of its own; whatever it ends with but "not seen" ends them all. */
function untilSeen(lines: readonly string[], tries: number): string[] {
  return [
    `# Whether calls at once meet is chance: all of it is tried up to ${tries} times, until it shows.`,
    'once() (',
    ...lines,
    ')',
    `for try in {1..${tries}}; do`,
    '  once',
    '  code=$?',
    '  [ "$code" = 0 ] || exit "$code"',
    `  printf '\nNot seen in try %s of ${tries}.\n' "$try"`,
    'done',
  ];
}

function namesOfClient({ as, id, secret }: RecordedClient): ReplayVariable[] {
  return [
    { value: id, variable: clientVariable(as, 'id') },
    { value: secret, variable: clientVariable(as, 'secret') },
  ];
}

/** Its value stands in no report; the step that is answered with it is known. */
function variableOfToken({ step, path }: { readonly step: number; readonly path: string }) {
  const variable = tokenVariable(callerByToken(step));
  return { value: '', variable, from: { exchange: step, path } };
}

function headLines(report: Recorded, scenario: RecordedScenario): string[] {
  const found = report.rules.flatMap((rule) =>
    rule.findings
      .filter((each) => each.scenario === scenario.id && each.verdict === 'deviates')
      .map((each) => ({ ...each, rule })),
  );
  const lines = [
    `${scenario.id}: ${scenario.title}`,
    `Recorded ${report.started_at} on ${report.target.base_url}.`,
    ...found.flatMap(({ rule, expected, actual, exchanges }) => [
      '',
      `${rule.id}: ${rule.words}`,
      `  expected  ${expected}`,
      `  actual    ${actual}`,
      `  in        ${exchanges.map((n) => `step ${n}`).join(', ')}`,
    ]),
    '',
    'Names are new each time, ids are taken from the answers. Needs curl and node.',
    'Exit code 0: what deviated is not seen again (or all is as recorded); 1: it is seen again (or',
    'something differs from a recording in which nothing deviated); 2: something is not set;',
    '3: it cannot be compared.',
  ];
  return lines.flatMap((each) => each.split('\n')).map((each) => `# ${each}`.trimEnd());
}

/** What a gateway wanted of the recorded run: its values are in no report. */
function gatewayLines({ target }: Recorded): string[] {
  return (target.headers ?? []).flatMap((name) => {
    const variable = `HEADER_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    return [
      required(variable, `the value of the header ${name}`),
      `printf 'header = "%s: %s"\\n' ${quoted([name])} "$${variable}" >>"$work/gateway"`,
    ];
  });
}

function proofLines(report: Recorded, scenario: RecordedScenario): string[] {
  return [
    'command -v node >/dev/null || { echo "node is needed to compare" >&2; exit 2; }',
    // Quoted, so that nothing in it is a word to the shell.
    `cat >"$work/prove.js" <<'END_OF_PROGRAM'${PROOF_PROGRAM}END_OF_PROGRAM`,
    `printf '%s' ${quoted([recordedJson(report, scenario)])} >"$work/recorded.json"`,
  ];
}

const PREAMBLE = [
  'work="$(mktemp -d)"; trap \'rm -rf "$work"\' EXIT; : >"$work/gateway"',
  'digits() { od -An -N8 -tu4 /dev/urandom | tr -dc 0-9 | head -c "$1"; }',
  'MARK="$(od -An -N5 -tx1 /dev/urandom | tr -d " \\n")"',
  '# call STEP METHOD URL [curl option]…: sends, keeps the answer, and prints it',
  'call() {',
  '  local step="$1" method="$2" url="$3"; shift 3',
  '  local status',
  '  status="$(curl -sS --max-time 40 -X "$method" -D "$work/$step.headers" -o "$work/$step.body" \\',
  '    -w "%{http_code} after %{time_total} s" -K "$work/gateway" "$@" "$url" 2>&1)" \\',
  '    || true',
  '  printf "%s" "$status" >"$work/$step.status"',
  '  printf "\\n%s. %s %s\\n   -> %s\\n" "$step" "$method" "$url" "$status"',
  '  [ ! -s "$work/$step.body" ] || { head -c 2000 "$work/$step.body"; echo; }',
  '}',
  '# member STEP PATH: a member of the JSON that a step was answered with',
  'member() {',
  '  if command -v jq >/dev/null; then jq -r "$2" "$work/$1.body"; else',
  '    node -e \'const b=JSON.parse(require("fs").readFileSync(process.argv[1]));' +
    'console.log(new Function("b","return b"+process.argv[2])(b))\' "$work/$1.body" "$2"; fi',
  '}',
  '# header STEP NAME: a header that a step was answered with',
  'header() { tr -d "\\r" <"$work/$1.headers" | sed -n "s/^$2: //Ip" | tail -n 1; }',
];

/**
 * Calls that were under way at the same time go to the background, and are waited for where the
 * recording shows that they had been answered.
 */
function steps(
  report: Recorded,
  exchanges: readonly ReportExchange[],
  names: readonly ReplayVariable[],
  answers: readonly ReplayVariable[],
): string[] {
  const keep = (exchange: ReportExchange) =>
    answers
      .filter(({ from }) => from?.exchange === exchange.n)
      .map((each) => keepLine(each, exchange));
  let away: readonly ReportExchange[] = [];
  const lines: string[] = [];
  const fetchBack = (beforeMs: number) => {
    const back = away.filter((each) => endOf(each) <= beforeMs);
    away = away.filter((each) => !back.includes(each));
    for (const each of back) lines.push(`wait "$CALL_${each.n}"`, ...keep(each));
  };
  exchanges.forEach((exchange, at) => {
    fetchBack(exchange.at_ms);
    lines.push('', ...stepLines(report, exchange, names));
    const next = exchanges[at + 1];
    if (exchange.kind === 'call' && next !== undefined && next.at_ms < endOf(exchange)) {
      lines[lines.length - 1] += ` & CALL_${exchange.n}=$!`;
      // What is done to a call that is held must find it there.
      if (next.kind !== 'call') lines.push('sleep 0.3');
      // The one that the others overtook had come first.
      else if (endOf(next) < endOf(exchange)) lines.push('sleep 0.05');
      away = [...away, exchange];
    } else {
      lines.push(...keep(exchange));
    }
  });
  fetchBack(Number.POSITIVE_INFINITY);
  return lines;
}

/** Times are rounded to a tenth of a millisecond. */
function endOf(exchange: ReportExchange): number {
  return exchange.at_ms + exchange.duration_ms - 0.2;
}

function stepLines(
  report: Recorded,
  exchange: ReportExchange,
  names: readonly ReplayVariable[],
): string[] {
  if (exchange.kind === 'delivery') {
    const { request, response } = exchange;
    const answered = response === null ? 'not answered' : `answered ${response.status}`;
    const said = `a delivery arrived: ${request.method} ${request.url}, ${answered}`;
    return [`# ${exchange.n}. ${said.split('\n').join(' ')}`];
  }
  if (exchange.kind === 'operator') return operatorLines(report, exchange, besidesTags(names));
  return curlLines(exchange, names, `$BASE_URL${pathOf(exchange.request.url)}`);
}

function operatorLines(
  report: Recorded,
  exchange: ReportExchange,
  names: readonly ReplayVariable[],
): string[] {
  const { n, request } = exchange;
  const said = `# ${n}. operator: ${request.method} ${request.body ?? ''}`.split('\n').join(' ');
  const given = JSON.parse(request.body ?? '[]') as unknown[];
  const control = controlCall(request.method, given);
  if (control === undefined || report.target.control_url === null) return [said];
  const url = quoted([{ variable: 'CONTROL' }, ...insertVariables(`/${control.path}`, names)]);
  if (control.body === undefined) {
    const asked = `control ${n} ${control.method} ${url}`;
    return [said, asked, ...evidenceLines(exchange, given, names)];
  }
  const body = quoted(insertVariables(JSON.stringify(control.body), names));
  const lines = [said, `control ${n} ${control.method} ${url} --data-binary ${body}`];
  const made = request.method === 'mint' ? nameOf(exchange) : undefined;
  if (made === undefined) return lines;
  const token = `${tokenVariable(made)}="$(member ${n} .token)"`;
  return [...lines, token, ...clientLines(made, String(n))];
}

/** What the operator is shown is what a finding rests on: it is printed and compared. */
function evidenceLines(
  { n, request }: ReportExchange,
  [named]: readonly unknown[],
  names: readonly ReplayVariable[],
): string[] {
  if (evidenceVerb(request.method) === undefined) return [];
  const title = `\\n${n}. the operator looks: ${request.method}\\n`;
  return [
    `export NAMED_${n}=${quoted(insertVariables(String(named ?? ''), names))}`,
    `printf '${title}'; head -c 2000 "$work/${n}.body"; echo`,
  ];
}

function nameOf({ response }: ReportExchange): string | undefined {
  const made = parsed(response?.body ?? null) as { readonly name?: unknown } | null | undefined;
  return typeof made?.name === 'string' ? made.name : undefined;
}

function keepLine({ variable, from }: ReplayVariable, { kind, request }: ReportExchange): string {
  const { exchange, header, path = '' } = from!;
  if (header !== undefined) return `${variable}="$(header ${exchange} ${header} || true)"`;
  const found = kind === 'operator' ? pathInAnswer(request.method, path) : path;
  return `${variable}="$(member ${exchange} '${found}' || true)"`;
}
