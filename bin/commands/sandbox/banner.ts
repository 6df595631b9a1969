// The banner of `sandbox start`: the addresses, the credentials, and a first call to try.
import type { CredentialShown } from '../../../simulator/control/records.ts';
import { terminalLine } from '../terminal.ts';
import type { ReadyEvent } from './ready.ts';

/** The banner as lines; `notes` are the deviations from the conforming service that are on. */
export function bannerLines(ready: ReadyEvent, notes: readonly string[] = []): string[] {
  // Names and tokens of a world file may come from an untrusted source.
  return linesOf(ready, notes).map((line) => terminalLine(line));
}

function linesOf(ready: ReadyEvent, notes: readonly string[]): string[] {
  return [
    `Trading platform sandbox ${ready.version}, world "${ready.world}"`,
    '',
    ...table([
      ['API', `${ready.base_url}/api/v1`],
      ['Control plane', ready.control_url],
      ['OpenAPI', ready.openapi_url],
      ['Dashboard', ready.dashboard_url],
    ]),
    '',
    'Credentials (send one as Authorization: Bearer TOKEN)',
    ...table(ready.credentials.map((one) => [one.name, one.token ?? '-', describe(one)])),
    ...receiver(ready),
    ...notes.flatMap((note) => ['', `Note: ${note}`]),
    ...firstCall(ready),
  ];
}

function receiver({ subscription }: ReadyEvent): string[] {
  if (subscription === null) return [];
  const { id, forwards_to: to, secret } = subscription;
  return [
    '',
    `Webhooks (subscription ${id}, every event of the first firm)`,
    ...table([
      ['Delivered to', to],
      ['Secret', secret],
    ]),
  ];
}

function describe(credential: CredentialShown): string {
  const { firm_id, brand_id, account_id, scopes, read_only } = credential;
  const reach = account_id
    ? `account ${account_id}`
    : `firm ${firm_id}${brand_id ? `, brand ${brand_id}` : ', all brands'}`;
  const scopeWords =
    scopes.length > 4 ? `${scopes.length} scopes` : scopes.join(' ') || 'no scopes';
  return [reach, scopeWords, ...(read_only ? ['read-only'] : [])].join('; ');
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((n) => Math.max(0, ...rows.map((row) => row[n]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** RFC 6750 §2.1: the characters of a bearer token. An untrusted saved state may contain others. */
const PLAIN_TOKEN = /^[\w.~+/-]+=*$/;

// One line that works as printed, in a POSIX shell and in PowerShell. The two escape a quote within
// quotes differently, so a token that contains one is never printed.
function firstCall({ base_url, credentials }: ReadyEvent): string[] {
  const caller = credentials.find(
    ({ kind, token, scopes, brand_id }) =>
      kind === 'server' &&
      PLAIN_TOKEN.test(token ?? '') &&
      brand_id !== null &&
      scopes.includes('accounts:write'),
  );
  if (!caller) return [];
  const headers = [
    `Authorization: Bearer ${caller.token}`,
    'Idempotency-Key: first-try',
    'Content-Type: application/json',
  ];
  const body = '{"client_reference_id":"first-try","email":"first-try@example.com"}';
  const curl = [
    `curl -i ${base_url}/api/v1/accounts`,
    ...headers.map((header) => `-H '${header}'`),
    `-d '${body}'`,
  ].join(' ');
  return ['', 'Create an account; run it twice to see the replay:', `  ${curl}`, ''];
}
