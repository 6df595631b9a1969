// Coverage as the control plane shows it: how often each item was covered, and for uncovered items
// a line that covers them, the most valuable first.

import { type OperationName, operationNames, operationTable } from '../../fixtures/operations.ts';
import { type Rule, type RuleId, rules } from '../../fixtures/rules.ts';
import {
  fillIn,
  type SampleCall,
  type SampleCalls,
  sampleCalls,
  unreachable,
} from '../../fixtures/sample-calls.ts';
import { anyText, listOf, mapOf, object, type ValueOf, whole } from '../../fixtures/schemas/kit.ts';
import { shellWord } from '../../fixtures/shell-word.ts';
import type { Coverage } from '../core/explain/coverage.ts';
import { describeHints } from '../core/explain/hints.ts';
import type { WorldHost } from '../host/world/world-host.ts';

const count = (description: string) => whole(description, 0, 1e15);
const counts = (description: string) => mapOf(description, { type: 'integer' });

export const coverageSchema = object('What calls have met so far.', {
  rules: object('The rules.', {
    met: count('Rules that were met.'),
    of: count('Rules that there are.'),
    ids: counts('How often each was met.'),
  }),
  operations: counts('Calls by operation.'),
  refusals: counts('Refusals by status and code.'),
  transitions: counts('Transitions of transactions and subscriptions.'),
  events: counts('Events by kind.'),
  hints: listOf(
    object('A hint that was told.', {
      code: anyText(`What it is about:\n${describeHints()}`),
      count: count('How often.'),
      words: anyText('What was told the last time.'),
      request: anyText('The call of the last time.'),
    }),
    'Hints on calls.',
  ),
  not_met: listOf(
    object('A rule that nothing has met.', {
      id: anyText('Rule.'),
      words: anyText('What it says.'),
      line: anyText('A line for a shell that meets it, with the variables of `sandbox exec`.'),
    }),
    'The most worth trying first.',
  ),
  not_reachable: listOf(
    object('A rule that no call can meet.', {
      id: anyText('Rule.'),
      why: anyText('What is in the way.'),
    }),
    'Rules that no call can meet from outside.',
  ),
});
export type CoverageShown = ValueOf<typeof coverageSchema>;

export function viewCoverage(host: WorldHost, coverage: Coverage): CoverageShown {
  const ids = Object.fromEntries(coverage.rules);
  return {
    rules: { met: Object.keys(ids).length, of: rules.length, ids },
    operations: Object.fromEntries(coverage.operations),
    refusals: Object.fromEntries(coverage.refusals),
    transitions: Object.fromEntries(coverage.transitions),
    events: Object.fromEntries(coverage.events),
    hints: [...coverage.hints].map(([code, { count, words, n }]) => ({
      code,
      count,
      words,
      request: String(n),
    })),
    not_met: viewNotMet(host, coverage),
    not_reachable: [...unreachable].map(([id, why]) => ({ id, why })),
  };
}

/** The costliest mistakes in production first: lost responses, limits, state, order. */
const worst = (
  'IDEM-4b IDEM-14a IDEM-6b LIM-7 UPD-7 TXS-4 TXS-3 IDEM-8 IDEM-11 AUTH-1 ERR-2 EVT-2b EVT-6 ' +
  'EVT-7 TXN-2 ACC-5 BULK-5 BULK-11 IDEM-10 IDEM-6a IDEM-6c IDEM-7b AUTH-3b TXS-12 UPD-12 AUTH-8 EVT-9b'
).split(' ');

function viewNotMet(host: WorldHost, coverage: Coverage): CoverageShown['not_met'] {
  const met = coverage.rules;
  const missing = rules.flatMap((rule) => {
    const sample = sampleCalls.get(rule.id);
    return sample === undefined || met.has(rule.id) ? [] : [{ rule, sample }];
  });
  return inOrder(missing, coverage).map(({ rule: { id, words }, sample }) => ({
    id,
    words,
    line: shellLine(host, id, sample),
  }));
}

interface Missing {
  readonly rule: Rule;
  readonly sample: SampleCalls;
}

/** Rules of operations that are already called come first, the costliest of them at the top. */
function inOrder(missing: readonly Missing[], coverage: Coverage): readonly Missing[] {
  const called = new Set([...coverage.operations].flatMap(([name, n]) => (n > 0 ? [name] : [])));
  const rankOf = ({ rule, sample }: Missing) => {
    const isCalled = called.size === 0 || callsOf(sample).some((name) => called.has(name));
    const place = worst.indexOf(rule.id);
    return (isCalled ? 0 : worst.length + 1) + (place < 0 ? worst.length : place);
  };
  return missing.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The operations that samples call; deliveries are the result of a subscription. */
function callsOf({ steps }: SampleCalls): readonly OperationName[] {
  const lines = steps.filter(({ isControl }) => isControl !== true).map(({ line }) => line);
  return operationNames.filter((name) => {
    const { method, path } = operationTable[name];
    const form = new RegExp(`^${method} ${path.replace(':id', '[^/?]+')}(\\?|$)`);
    return lines.some((line) => form.test(line));
  });
}

/** The calls as one line of curl commands, which works unchanged if the variables of `sandbox exec` are set. */
export function shellLine(host: WorldHost, id: RuleId, { steps, needs }: SampleCalls): string {
  const parts = steps.map((step, index) => stepLine(host, id, step, index));
  const line = parts.join(' ').replace(/;$/, '');
  return needs === undefined ? line : `${line}  # needs ${needs}`;
}

function stepLine(host: WorldHost, id: RuleId, step: SampleCall, index: number): string {
  const curl = step.isControl === true ? controlCurl(id, step) : apiCurl(host, id, step, index);
  const { times = 1, keepsId, isBackground } = step;
  if (isBackground === true) return `${curl} -m 2 & sleep 0.5;`;
  if (keepsId === true) return `ID=$(${curl} | node -pe 'JSON.parse(fs.readFileSync(0)).id');`;
  return times > 1 && !step.line.startsWith('GET ')
    ? `for i in $(seq ${times}); do ${curl}; done;`
    : `${curl};`;
}

function controlCurl(id: RuleId, { line, body }: SampleCall): string {
  const [method = '', path = ''] = line.split(' ');
  const sent = body === undefined ? [] : [json, dataOf(id, body)];
  return ['curl -s', ...verb(method, body), `"$SANDBOX_CONTROL_URL/${path}"`, ...sent].join(' ');
}

function apiCurl(host: WorldHost, id: RuleId, step: SampleCall, index: number): string {
  const { line, body, shellBody, key, headers = {}, tagOf, times = 1 } = step;
  const [method = '', path = ''] = line.split(' ');
  const caller = callerHeader(host, step.as ?? 'firm');
  const isKeyed = key !== null && method !== 'GET';
  const pages = method === 'GET' && times > 1 ? `?limit=[1-${times}]` : '';
  const url = `"$SANDBOX_BASE_URL/api/v1/${path.replace('{id}', '$ID')}${pages}"`;
  const named = key ?? String(index + 1);
  return [
    'curl -s',
    ...verb(method, body),
    url,
    ...caller,
    ...(isKeyed ? [`-H 'Idempotency-Key: ${fillIn('{ref}', id)}-${named}'`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(tagOf === undefined ? [] : [tagHeader(tagOf, caller)]),
    ...(body === undefined ? [] : [json, shellBody ? `-d ${shellBody}` : dataOf(id, body, host)]),
  ].join(' ');
}

const json = `-H 'Content-Type: application/json'`;

function verb(method: string, body: unknown): string[] {
  const usual = body === undefined ? 'GET' : 'POST';
  return method === usual ? [] : [`-X ${method}`];
}

function callerHeader({ world }: WorldHost, name: string): string[] {
  if (name === '') return [];
  if (name === 'firm') return ['-H "Authorization: Bearer $SANDBOX_TOKEN"'];
  for (const { token, client_id: clientId } of world.tokens.values()) {
    if (world.credentials.get(clientId)?.name === name)
      return [`-H ${shellWord(`Authorization: Bearer ${token}`)}`];
  }
  return [`-H 'Authorization: Bearer TOKEN-OF-${name}'`];
}

/** The tag that the account has when the line runs. */
function tagHeader(account: string, caller: readonly string[]): string {
  const status = `"$SANDBOX_BASE_URL/api/v1/accounts/${account}/status"`;
  const tag = `curl -si ${status} ${caller.join(' ')} | tr -d '\\r' | sed -n 's/^etag: //ip'`;
  return `-H "If-Match: $(${tag})"`;
}

function dataOf(id: RuleId, body: unknown, host?: WorldHost): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const secrets: Record<string, string> = {};
  for (const { name, client_secret: clientSecret } of host?.world.credentials.values() ?? []) {
    secrets[`secret:${name}`] = clientSecret;
  }
  const word = shellWord(fillIn(text, id, secrets));
  return `-d ${word.replaceAll('{base}', `'"$SANDBOX_BASE_URL"'`)}`;
}
