// An interleaving as one shell line: curl for each of its calls.

import type { RuleId } from '../../fixtures/rules.ts';
import { fillIn, type SampleCall, type SampleCalls } from '../../fixtures/sample-calls.ts';
import { shellWord } from '../../fixtures/shell-word.ts';
import type { WorldHost } from '../host/world/world-host.ts';

/** Works unchanged if the variables of `sandbox exec` are set. */
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
