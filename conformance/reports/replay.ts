// A recorded scenario as a bash script of curl commands: names are new each time, ids and tags come
// from the responses. All text from a report is quoted, so that none of it can run.
import { type HeaderLine, Headers } from '../engine/send/headers.ts';
import { pathOf } from './exchanges.ts';
import { printable } from './plain-text.ts';
import { REDACTED } from './redact.ts';
import type { Report, ReportExchange, ReportScenario } from './report.ts';

type RecordedRun = Pick<Report, 'target' | 'started_at' | 'mark'>;
type RecordedScenario = Pick<ReportScenario, 'id' | 'title' | 'exchanges'>;

/** A recorded value that the script keeps in a variable. */
interface Variable {
  readonly value: string;
  readonly name: string;
  /** The shell command that prints it, for a value that a response contains. */
  readonly from?: { readonly exchange: number; readonly command: string };
}

export function curlScript(run: RecordedRun, { id, title, exchanges }: RecordedScenario): string {
  const numbered = exchanges.map((each, at) => ({ ...each, n: at + 1 }));
  const calls = numbered.filter(({ kind }) => kind === 'call');
  const answered = variablesIn(calls);
  const phones = phonesIn(calls);
  const variables = [{ value: run.mark, name: 'MARK' }, ...phones, ...answered];
  const roles = [...new Set(calls.flatMap(({ as }) => as ?? []))];
  const headers = (run.target.headers ?? []).filter(isHeaderName);
  const lines = [
    '#!/usr/bin/env bash',
    comment(`${id}: ${title}`),
    comment(`Recorded ${run.started_at} on ${run.target.base_url}.`),
    '# Needs curl; node reads ids from the responses. Names are new each time.',
    'set -euo pipefail',
    `usual=${bashWord(run.target.base_url)}; BASE_URL="\${BASE_URL:-$usual}"`,
    ...roles.map((role) => required(tokenOf(role), `the token of the role ${role}`)),
    ...headers.map((name) => required(headerVariable(name), `the value of the header ${name}`)),
    'work="$(mktemp -d)"; trap \'rm -rf "$work"\' EXIT',
    'MARK="$(od -An -N5 -tx1 /dev/urandom | tr -d " \\n")"',
    ...phones.map(({ value, name }) => `${name}="${value.slice(0, -3)}$((RANDOM % 900 + 100))"`),
    '# call N [curl option]...: sends a request, keeps and prints the response',
    'call() {',
    `  local n="$1"; shift; sleep "\${PAUSE:-0.25}"   # the slowest plan allows 5 requests a second`,
    '  curl -sS -g --proto \'=http,https\' --max-time 40 -D "$work/$n.headers" -o "$work/$n.body" \\',
    ...headers.map((name) => `    -H ${bashWord(`${name}: `)}"$${headerVariable(name)}" \\`),
    '    -w "\\n$n. -> %{http_code} after %{time_total} s\\n" "$@" || true',
    '  [ ! -s "$work/$n.body" ] || { head -c 2000 "$work/$n.body"; echo; }',
    '}',
    '# member N PATH: a member of a JSON response; header N NAME: one of its headers',
    'member() { node -p "JSON.parse(require(\'fs\').readFileSync(process.argv[1]))$2" "$work/$1.body" || true; }',
    'header() { tr -d "\\r" <"$work/$1.headers" | sed -n "s/^$2: //Ip" | tail -n 1; }',
    ...stepLines(numbered, variables, answered),
  ];
  return `${lines.join('\n')}\n`;
}

function required(variable: string, what: string): string {
  const words = bashWord(`set ${variable} to ${what}`);
  return `[ -n "\${${variable}:-}" ] || { echo ${words} >&2; exit 2; }`;
}

/** One request after the other; concurrent requests are marked. */
function stepLines(
  exchanges: readonly ReportExchange[],
  variables: readonly Variable[],
  answered: readonly Variable[],
): string[] {
  return exchanges.flatMap((exchange, at) => {
    const { n, kind, request } = exchange;
    if (kind !== 'call') {
      return ['', comment(`${n}. ${kind}: ${request.method} ${request.body ?? request.url}`)];
    }
    const next = exchanges[at + 1];
    const endMs = exchange.at_ms + exchange.duration_ms;
    const isConcurrent = next?.kind === 'call' && next.at_ms < endMs - CLOCK_STEP_MS;
    const own = answered.filter(({ from }) => from?.exchange === n);
    return [
      '',
      ...(isConcurrent ? [comment(`${n} and ${next.n} were sent at the same time`)] : []),
      curlCommand(exchange, variables),
      ...own.map(({ name, from }) => `${name}="$(${from!.command})"`),
    ];
  });
}

/** Times are rounded to a tenth of a millisecond. */
const CLOCK_STEP_MS = 0.2;

/** Some systems do not accept a longer argument; it is piped to curl. */
const LONGEST_WORD = 60_000;

function curlCommand({ n, as, request }: ReportExchange, variables: readonly Variable[]): string {
  // `"1"` may be a tag in a header and the id of a firm in a body.
  const ids = variables.filter(({ name }) => !name.startsWith('TAG'));
  const method = /^[A-Za-z-]{1,40}$/.test(request.method) ? request.method : 'GET';
  const words = [
    `call ${n} -X ${bashWord(method)} --url "$BASE_URL"${filled(pathOf(request.url), ids)}`,
    ...request.headers
      .filter(([name]) => isHeaderName(name))
      .map((line) => headerOption(line, as, variables)),
  ];
  if (request.body === null) return words.join(' \\\n  ');
  const body = filled(request.body, ids);
  if (body.length <= LONGEST_WORD) return [...words, `--data-raw ${body}`].join(' \\\n  ');
  return `printf %s ${body} | ${[...words, '--data-binary @-'].join(' \\\n  ')}`;
}

function headerOption(
  [name, value]: HeaderLine,
  as: string | null,
  variables: readonly Variable[],
): string {
  if (name.toLowerCase() === 'authorization' && value.includes(REDACTED)) {
    if (as !== null && value === `Bearer ${REDACTED}`) {
      return `-H "Authorization: Bearer $${tokenOf(as)}"`;
    }
    // AUTH-1: a value that was deliberately sent instead of a token need not be the same again.
    const scheme = /^(Bearer|Basic|Digest)\b/i.exec(value)?.[1] ?? '';
    return `-H ${bashWord(`Authorization: ${scheme} not-a-token`)}`;
  }
  // curl leaves out a header with an empty value unless it ends in a semicolon.
  return `-H ${filled(value === '' ? `${name};` : `${name}: ${value}`, variables)}`;
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** `FIRM_TOKEN`, `OTHER_BRAND_TOKEN`. */
function tokenOf(role: string): string {
  return `${role
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')}_TOKEN`;
}

function headerVariable(name: string): string {
  return `HEADER_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

function comment(text: string): string {
  return `# ${printable(text).replaceAll('\n', ' ')}`;
}

/** One word for bash, with variables instead of the recorded values. */
function filled(text: string, variables: readonly Variable[]): string {
  let parts: (string | Variable)[] = [text];
  for (const variable of variables) {
    // The mark is a part of longer names; all other values only match as a whole.
    const pattern =
      variable.name === 'MARK' ? new RegExp(literal(variable.value), 'g') : whole(variable.value);
    parts = parts.flatMap((part) =>
      typeof part !== 'string'
        ? [part]
        : part.split(pattern).flatMap((each, at) => (at === 0 ? [each] : [variable, each])),
    );
  }
  const words = parts
    .filter((part) => part !== '')
    .map((part) => (typeof part === 'string' ? bashWord(part) : `"$${part.name}"`));
  return words.length === 0 ? "''" : words.join('');
}

/** Single quotes keep everything verbatim; terminal control characters are written as escapes. */
function bashWord(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (printable(line) === line) return `'${line.replaceAll("'", "'\\''")}'`;
      const escaped = [...line].map((char) =>
        printable(char) === char && !/['\\]/.test(char)
          ? char
          : [...Buffer.from(char)]
              .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
              .join(''),
      );
      return `$'${escaped.join('')}'`;
    })
    .join("$'\\n'");
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** `12` is not in `123`, nor in `1.12`. */
function whole(value: string): RegExp {
  return new RegExp(`(?<![\\w.-])${literal(value)}(?![\\w-]|\\.\\d)`, 'g');
}

/** An account with the same phone may exist already, so each run of the script uses another. */
function phonesIn(calls: readonly ReportExchange[]): Variable[] {
  const found = calls.flatMap(({ request }) =>
    [...(request.body ?? '').matchAll(/"phone"\s*:\s*"(\+\d{8,15})"/g)].map(([, phone]) => phone!),
  );
  return [...new Set(found)].map((value, at) => ({ value, name: `PHONE_${at + 1}` }));
}

/** Firms and brands exist before a scenario begins, and stay the same. */
const ID_MEMBER = /^(id|(?!firm_|brand_|request_)[a-z_]+_id)$/;
/** Rows of a batch whose ids are read. */
const ROWS_READ = 20;

/** Values from responses that later requests contain and earlier requests do not. */
function variablesIn(calls: readonly ReportExchange[]): Variable[] {
  const variables: Variable[] = [];
  const sentBy = ({ request }: ReportExchange) =>
    [request.url, request.body ?? '', ...request.headers.map(([, value]) => value)].join('\n');
  calls.forEach((call, at) => {
    for (const { value, command } of valuesIn(call)) {
      const isNamed = (each: ReportExchange) => whole(value).test(sentBy(each));
      if (variables.some((each) => each.value === value)) continue;
      if (calls.slice(0, at + 1).some(isNamed) || !calls.slice(at + 1).some(isNamed)) continue;
      const kind = command.startsWith('header') ? 'TAG' : 'ID';
      const name = `${kind}_${call.n}_${variables.length + 1}`;
      variables.push({ value, name, from: { exchange: call.n, command } });
    }
  });
  return variables;
}

function valuesIn({ n, response }: ReportExchange): { value: string; command: string }[] {
  if (response === null) return [];
  const tag = new Headers(response.headers).get('etag');
  const tags = tag === undefined || tag === '' ? [] : [{ value: tag, command: `header ${n} etag` }];
  const ids = idsIn(parsed(response.body), '').map(({ path, value }) => ({
    value,
    command: `member ${n} '${path}'`,
  }));
  return [...tags, ...ids];
}

function idsIn(value: unknown, path: string): { path: string; value: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.slice(0, ROWS_READ).flatMap((each, at) => idsIn(each, `${path}[${at}]`));
  }
  return Object.entries(value).flatMap(([name, member]) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) return [];
    if (typeof member === 'object') return idsIn(member, `${path}.${name}`);
    const isId = typeof member === 'string' ? member !== '' : typeof member === 'number';
    return isId && ID_MEMBER.test(name) ? [{ path: `${path}.${name}`, value: `${member}` }] : [];
  });
}

/** Undefined for a body that is not JSON. */
function parsed(body: string | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
