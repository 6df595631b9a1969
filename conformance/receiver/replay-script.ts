// A check as a script for bash, openssl and curl: it sends what the judge sends, signed anew, and
// says whether the answer is right.
import { randomBytes } from 'node:crypto';
import { quoted } from '../reports/replay/curl.ts';
import { type Check, expectedOf, isTolerance, type Probe, wordsOf } from './check.ts';
import {
  answersInTime,
  doesNotRedirect,
  effectChecks,
  givesNothingAway,
  nothingWhenRefused,
} from './checks/behaviour.ts';
import { bytesOf, deliveryOf, eventOf, type SigningOptions } from './delivery.ts';
import {
  type DerivationContext,
  digestExpression,
  lineExpression,
  timeExpression,
  timesOf,
} from './script-expressions.ts';

/** Where scripts send to unless `URL` says otherwise. */
export const exampleUrl = 'http://127.0.0.1:3000/hooks';

export interface ScriptParts {
  readonly url?: string;
}

export function receiverScript(check: Check, parts: ScriptParts = {}): string {
  const signing: SigningOptions = {
    secret: `whsec_${randomBytes(16).toString('hex')}`,
    previousSecret: null,
    names: { signature: 'x-webhook-signature', subscription: 'x-webhook-subscription-id' },
    mark: randomBytes(5).toString('hex'),
  };
  const control = { delivery: deliveryOf(signing, { body: bytesOf(json(signing, 'control')) }) };
  const probes = check.probes(signing);
  const lines = [
    '#!/usr/bin/env bash',
    ...headLines(check),
    'set -euo pipefail',
    `usual=${quoted([parts.url ?? exampleUrl])}`,
    `URL="\${URL:-$usual}"`,
    `: "\${SECRET:?set SECRET to the signing secret of the receiver}"`,
    `SIGNATURE_HEADER="\${SIGNATURE_HEADER:-X-Webhook-Signature}"`,
    `SUBSCRIPTION_HEADER="\${SUBSCRIPTION_HEADER:-X-Webhook-Subscription-Id}"`,
    `SUBSCRIPTION_ID="\${SUBSCRIPTION_ID:-1}"`,
    ...preamble,
    '',
    '# A valid delivery first: if that is refused, refusals show nothing.',
    'control() {',
    ...probeLines(control, 0, signing).map((line) => `  ${line}`),
    '}',
    'control',
    'if ! accepted 0; then',
    '  echo "a valid delivery is not accepted: look at URL, SECRET and the names of the headers"; exit 3',
    'fi',
    ...(needsProbe(check) ? ['before="$(count)"'] : []),
    ...probes.flatMap((probe, at) => ['', ...probeLines(probe, at + 1, signing, check.together)]),
    ...(check.together ? ['wait', ...probes.map((_, at) => `told ${at + 1}`)] : []),
    '',
    ...verdictLines(check, probes.length),
  ];
  return `${lines.join('\n')}\n`;
}

function json(signing: SigningOptions, name: string): string {
  return JSON.stringify(eventOf(signing, name));
}

const needsProbe = (check: Check) => effectChecks.includes(check);

function headLines(check: Check): string[] {
  const probe = needsProbe(check) ? ' PROBE=http://… (answers the count of effects)' : '';
  return [
    `# ${check.id}`,
    `# ${wordsOf(check)}`,
    `#   expected  ${expectedOf(check)}`,
    `#   why       ${check.why}`,
    `#   at stake  ${check.gains}`,
    `#   mend      ${check.fix}`,
    '#',
    `# Run it: URL=${exampleUrl} SECRET=whsec_…${probe} bash this-script`,
    '# Needs bash, openssl and curl. Ends with 0 when the answer is right, 1 when it is not.',
  ];
}

const preamble = [
  'work="$(mktemp -d)"; trap \'rm -rf "$work"\' EXIT',
  'MARK="$(od -An -N5 -tx1 /dev/urandom | tr -d " \\n")"   # so that no event was ever seen before',
  'now="$(($(date +%s) * 1000))"',
  'message() { printf "%s." "$1"; cat "$2"; }              # what is signed: t, a dot, the body',
  'undotted() { printf "%s" "$1"; cat "$2"; }             # the same with the dot left out',
  'hmac() { openssl dgst "-$1" -hmac "$2" -r | cut -d " " -f 1; }',
  'digest() { openssl dgst -sha256 -r | cut -d " " -f 1; }',
  'unlike() { tr 0-9a-f 1-9a-f0; }                         # a wrong digit in the place of each',
  '# altered FROM COUNT: changes so many digits from there on',
  `altered() { local hex; read -r hex; printf '%s%s%s' "\${hex:0:$1}" "$(printf %s "\${hex:$1:$2}" | unlike)" "\${hex:$(($1 + $2))}"; }`,
  `count() { curl -sS --max-time 5 "\${PROBE:?set PROBE to a URL that answers the count}" | grep -oE '[0-9]+' | head -n 1; }`,
  '# deliver N FILE [curl option]…: sends it, and keeps the status, the seconds and the answer',
  'deliver() {',
  '  local n="$1" file="$2"; shift 2',
  '  curl -sS -X POST --max-time 16 -D "$work/headers-$n" -o "$work/answer-$n" \\',
  `    -w "%{http_code} %{time_total}" \${file:+--data-binary "@$work/$file"} "$@" "$URL" >"$work/status-$n" || true`,
  '}',
  '# pieces FILE OFFSET…: prints it with a pause at each of those places',
  'pieces() {',
  '  local file="$1" from=0 to; shift',
  '  for to in "$@" ""; do',
  '    tail -c "+$((from + 1))" "$file" | if [ -n "$to" ]; then head -c "$((to - from))"; else cat; fi',
  `    from="\${to:-0}"; sleep 0.1`,
  '  done',
  '}',
  'told() { echo "delivery $1: status $(cut -d " " -f 1 "$work/status-$1") after $(cut -d " " -f 2 "$work/status-$1") s"; }',
  'accepted() { grep -q "^2" "$work/status-$1"; }',
  'broke() { grep -qE "^(000|5)" "$work/status-$1"; }',
  'gone() { grep -qE "^(000|502|504)" "$work/status-$1"; }',
  'redirected() { grep -q "^3" "$work/status-$1"; }',
  'late() { [ "$(cut -d " " -f 2 "$work/status-$1" | cut -d . -f 1)" -ge 15 ]; }',
  'leaks() { grep -qiF "$2" "$work/headers-$1" "$work/answer-$1" 2>/dev/null; }',
  'right=""                                                # the signature that no answer may give away',
];

function probeLines(probe: Probe, n: number, signing: SigningOptions, together = false): string[] {
  const { headers, body, chunked, cutsAt } = probe.delivery;
  const { signature, subscription } = signing.names;
  const isNamed = (wanted: string) => (name: string) => name.toLowerCase() === wanted;
  const [isSignature, isSubscription] = [isNamed(signature), isNamed(subscription)];
  const signatures = headers.filter(([name]) => isSignature(name)).map(([, value]) => value);
  const nowMs = Date.now();
  const times = new Map(
    timesOf(signatures, probe).map((t, at) => [t, n === 0 ? 't' : `t${at + 1}`] as const),
  );
  const sent = { name: `body-${n}`, bytes: body };
  const signed = probe.signed?.body ?? body;
  const differs = !Buffer.from(signed).equals(Buffer.from(body));
  const files = differs ? [{ name: `signed-${n}`, bytes: signed }, sent] : [sent];
  const ground: DerivationContext = { times, files };
  const options = headers.map(([name, value]) => {
    const spell = (variable: string) =>
      name === name.toLowerCase() ? `$${variable}` : `$(tr a-z A-Z <<<"$${variable}")`;
    if (isSubscription(name)) return `-H "${spell('SUBSCRIPTION_HEADER')}: $SUBSCRIPTION_ID"`;
    if (!isSignature(name)) return `-H '${name}: ${value}'`;
    // curl leaves a header with an empty value out unless it ends in a semicolon.
    if (value === '') return '-H "$SIGNATURE_HEADER;"';
    return `-H "${spell('SIGNATURE_HEADER')}: ${lineExpression(value, ground, signing)}"`;
  });
  const chunks = chunked ? ["-H 'Transfer-Encoding: chunked'"] : [];
  const parts = cutsAt === undefined ? [] : ["-H 'Expect:' -T -"];
  const trickled = cutsAt === undefined ? '' : `pieces "$work/${sent.name}" ${cutsAt.join(' ')} | `;
  const deliver = `${trickled}deliver ${n} ${cutsAt === undefined ? sent.name : "''"}`;
  const send = [deliver, ...options, ...chunks, ...parts].join(' \\\n  ');
  const leak =
    probe.expectedMac === undefined
      ? []
      : [`right="${digestExpression(probe.expectedMac, ground, signing)}"`];
  return [
    ...files.flatMap(({ name, bytes }) => fileLines(name, bytes, signing.mark)),
    ...[...times].map(([t, variable]) => `${variable}="$((${timeExpression(t, nowMs)}))"`),
    ...leak,
    `${send}${together ? ' &' : ''}`,
    ...(together ? [] : [`told ${n}`]),
  ];
}

/** Writes a file; long runs of one letter are made, not printed. */
function fileLines(name: string, bytes: Uint8Array, mark: string): string[] {
  const text = Buffer.from(bytes).toString();
  const bom = '\ufeff';
  const words = text
    .replace(bom, '')
    .split(/((?<!x)x{1000,})/)
    .map((part, at) => {
      if (at % 2 === 1) return `"$(head -c ${part.length} /dev/zero | tr '\\0' x)"`;
      return part === '' ? '' : `'${part.replaceAll("'", "'\\''").replaceAll(mark, `'"$MARK"'`)}'`;
    })
    .join('');
  const print = `printf '%s' ${words === '' ? "''" : words}`;
  return text.startsWith(bom)
    ? [`{ printf '\\357\\273\\277'; ${print}; } >"$work/${name}"`]
    : [`${print} >"$work/${name}"`];
}

function verdictLines(check: Check, probes: number): string[] {
  const numbers = Array.from({ length: probes }, (_, at) => at + 1);
  const every = (test: string) => numbers.map((n) => `${test} ${n}`).join(' && ');
  const good = 'echo "as it should be"';
  const bad = 'echo "deviates: see the head of this script"; exit 1';
  const say = (test: string) => [`if ${test}; then ${good}; else ${bad}; fi`];
  const end = 'echo "the receiver went away at this: see the head of this script"; exit 1';
  const goesOn = ['control', `if gone 0; then ${end}; fi`];
  if (check.group === 'advice') {
    const test = isTolerance(check) ? every('accepted') : every('! accepted');
    return [
      ...goesOn,
      `if ${test}; then ${good}; else echo "worth mending: see the head of this script"; fi`,
    ];
  }
  if (check === answersInTime) return say(every('! late'));
  if (check === givesNothingAway) {
    return [
      'if leaks 1 "$right"; then echo "the answer holds the right signature"; fi',
      ...say('! leaks 1 "$right"'),
    ];
  }
  if (check === doesNotRedirect) return say(every('! redirected'));
  if (needsProbe(check)) {
    const wanted = check === nothingWhenRefused ? 0 : 1;
    const test = `[ "$((after - before))" -eq ${wanted} ]`;
    const answers = wanted === 1 ? ` && ${every('accepted')}` : '';
    const print = `echo "side effects: $((after - before)), expected ${wanted}"`;
    return ['sleep 1; after="$(count)"', print, ...say(`${test}${answers}`)];
  }
  if (check.group === 'accept') return say(every('accepted'));
  return [
    ...goesOn,
    `if ${numbers.map((n) => `broke ${n}`).join(' || ')}; then echo "worth mending: hostile input should not break the receiver"; exit 0; fi`,
    ...say(every('! accepted')),
  ];
}
