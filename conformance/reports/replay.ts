// A scenario of a report as a script: curl for every call, with names that are new each time and ids
// taken from the answers.
import { pathOf } from './exchange-lines.ts';
import { curlLines, fillIn, quoted } from './replay-curl.ts';
import { type Named, namedByAnswers, phonesIn } from './replay-names.ts';
import { controlCall } from './replay-operator.ts';
import { credentialLines, tokenVariable } from './replay-setup.ts';
import type { Report, ReportExchange, ReportScenario } from './report.ts';

export function replayScript(report: Report, scenario: ReportScenario): string {
  const { exchanges } = scenario;
  const phones = phonesIn(exchanges);
  const answers = namedByAnswers(exchanges);
  const names: Named[] = [{ value: report.mark, variable: 'MARK' }, ...phones, ...answers];
  const lines = [
    '#!/usr/bin/env bash',
    ...headLines(report, scenario),
    'set -euo pipefail',
    `BASE_URL="\${BASE_URL:-${report.target.base_url}}"`,
    ...PREAMBLE,
    ...phones.map(({ value, variable }) => `${variable}="${value.slice(0, -6)}$(digits 6)"`),
    ...credentialLines(report, exchanges),
    ...steps(report, exchanges, names, answers),
    '',
    `printf '\\nDone: ${exchanges.length} steps.\\n'`,
  ];
  return `${lines.join('\n')}\n`;
}

function headLines(report: Report, scenario: ReportScenario): string[] {
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
    'Names are new each time, ids are taken from the answers. Needs curl, and jq or node.',
  ];
  return lines.flatMap((each) => each.split('\n')).map((each) => `# ${each}`.trimEnd());
}

const PREAMBLE = [
  'work="$(mktemp -d)"; trap \'rm -rf "$work"\' EXIT',
  'digits() { od -An -N8 -tu4 /dev/urandom | tr -dc 0-9 | head -c "$1"; }',
  'MARK="$(od -An -N5 -tx1 /dev/urandom | tr -d " \\n")"',
  '# call STEP METHOD URL [curl option]…: sends, keeps the answer, and prints it',
  'call() {',
  '  local step="$1" method="$2" url="$3"; shift 3',
  '  local status',
  '  status="$(curl -sS --max-time 40 -X "$method" -D "$work/$step.headers" -o "$work/$step.body" \\',
  '    -w "%{http_code} after %{time_total} s" "$@" "$url" 2>&1)" || true',
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

function steps(
  report: Report,
  exchanges: readonly ReportExchange[],
  names: readonly Named[],
  answers: readonly Named[],
): string[] {
  return exchanges.flatMap((exchange, at) => {
    const together = isWithNext(exchanges, at) || isWithNext(exchanges, at - 1);
    const last = !isWithNext(exchanges, at);
    const own = answers.filter(({ from }) => from?.exchange === exchange.n);
    return [
      '',
      ...stepLines(report, exchange, names, together),
      ...(together && last ? ['wait'] : []),
      ...own.map((each) => keepLine(each, exchange)),
    ];
  });
}

/** Whether the next call left before this one was answered: a crowd, sent together again. */
function isWithNext(exchanges: readonly ReportExchange[], at: number): boolean {
  const [one, next] = [exchanges[at], exchanges[at + 1]];
  if (one?.kind !== 'call' || next?.kind !== 'call') return false;
  return next.at_ms < one.at_ms + Math.floor(one.duration_ms);
}

function stepLines(
  report: Report,
  exchange: ReportExchange,
  names: readonly Named[],
  together: boolean,
): string[] {
  if (exchange.kind === 'delivery') {
    const { request, response } = exchange;
    const answered = response === null ? 'not answered' : `answered ${response.status}`;
    return [`# ${exchange.n}. a delivery arrived: ${request.method} ${request.url}, ${answered}`];
  }
  if (exchange.kind === 'operator') return operatorLines(report, exchange, names);
  const lines = curlLines(exchange, names, `$BASE_URL${pathOf(exchange.request.url)}`);
  if (!together) return lines;
  return [...lines.slice(0, -1), `${lines.at(-1)} &`];
}

function operatorLines(
  report: Report,
  exchange: ReportExchange,
  names: readonly Named[],
): string[] {
  const { n, request } = exchange;
  const said = `# ${n}. operator: ${request.method} ${request.body ?? ''}`.split('\n').join(' ');
  const control = controlCall(request.method, JSON.parse(request.body ?? '[]') as unknown[]);
  if (control === undefined || report.target.control_url === null) return [said];
  const url = quoted([{ variable: 'CONTROL' }, ...fillIn(`/${control.path}`, names)]);
  if (control.body === undefined) return [said, `control ${n} ${control.method} ${url}`];
  const body = quoted(fillIn(JSON.stringify(control.body), names));
  const lines = [said, `control ${n} ${control.method} ${url} --data-binary ${body}`];
  const made = request.method === 'mint' ? nameOf(exchange) : undefined;
  return made === undefined ? lines : [...lines, `${tokenVariable(made)}="$(member ${n} .token)"`];
}

function nameOf({ response }: ReportExchange): string | undefined {
  const name: unknown = Reflect.get(JSON.parse(response?.body ?? '{}') as object, 'name');
  return typeof name === 'string' ? name : undefined;
}

function keepLine({ variable, from }: Named, { kind, request }: ReportExchange): string {
  const { exchange, header, path = '' } = from!;
  if (header !== undefined) return `${variable}="$(header ${exchange} ${header})"`;
  const control = kind === 'operator' ? controlCall(request.method, []) : undefined;
  return `${variable}="$(member ${exchange} '${control?.renames?.[path] ?? path}')"`;
}
