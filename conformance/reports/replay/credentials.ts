// The credentials that a script acts as: made in a world of its own where the target has a control
// plane, else taken from variables.
import { shellWord } from '../../../fixtures/shell-word.ts';
import { EVERY_SCOPE, ROLE_CREDENTIALS } from '../../providers/control-target.ts';
import type { Report, ReportExchange } from '../report.ts';
import { BRANDS, FIRMS } from './operator-calls.ts';

/** `FIRM_TOKEN`, `OTHER_BRAND_TOKEN`, `MINTED_3_TOKEN`. */
export function tokenVariable(as: string): string {
  return `${as.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_TOKEN`;
}

/** A credential that the recorded run asked for tokens with: a script has another in its place. */
export interface RecordedClient {
  readonly as: string;
  readonly id: string;
  readonly secret: string;
}

/** `FIRM_CLIENT_ID`, `FIRM_CLIENT_SECRET`. */
export function clientVariable(as: string, what: 'id' | 'secret'): string {
  return tokenVariable(as).replace(/TOKEN$/, `CLIENT_${what.toUpperCase()}`);
}

/** What a step has made is the client of this name from then on. */
export function clientLines(as: string, step: string): string[] {
  return (['id', 'secret'] as const).map(
    (what) => `${clientVariable(as, what)}="$(member ${step} .client_${what})"`,
  );
}

/** Ends the script with the code of a mistake in how it was called. */
export function required(variable: string, what: string): string {
  const said = shellWord(`set ${variable} to ${what}`);
  return `[ -n "\${${variable}:-}" ] || { echo ${said} >&2; exit 2; }`;
}

export function credentialLines(
  report: Pick<Report, 'target'>,
  exchanges: readonly ReportExchange[],
  clients: readonly RecordedClient[] = [],
  tokens: readonly string[] = [],
): string[] {
  const callers = exchanges.flatMap(({ kind, as }) => (kind === 'call' && as) || []);
  const roles = [...new Set(callers)].filter((role) => !tokens.includes(tokenVariable(role)));
  const { base_url: baseUrl, control_url: controlUrl } = report.target;
  if (controlUrl === null) {
    return [
      ...roles.map((role) => required(tokenVariable(role), `the token of credentials.${role}`)),
      ...clients.flatMap(({ as }) =>
        (['id', 'secret'] as const).map((what) =>
          required(clientVariable(as, what), `the client_${what} of credentials.${as}`),
        ),
      ),
    ];
  }
  return [
    // Who names another target means the control plane of that one.
    controlUrl.startsWith(`${baseUrl}/`)
      ? `usual_control="$BASE_URL"${shellWord(controlUrl.slice(baseUrl.length))}`
      : `usual_control=${shellWord(controlUrl)}`,
    `CONTROL_URL="\${CONTROL_URL:-$usual_control}"`,
    `CONTROL_TOKEN="\${CONTROL_TOKEN:-none}"`,
    ...WORLD,
    ...hostLines(exchanges),
    ...[...new Set([...roles, ...clients.map(({ as }) => as)])]
      .filter((role) => Object.hasOwn(ROLE_CREDENTIALS, role))
      .flatMap((role) => [
        serverLine(role),
        ...(clients.some(({ as }) => as === role) ? clientLines(role, 'credential') : []),
      ]),
    ...roles.filter((role) => role === 'delegated' || role === 'read_only').flatMap(delegatedLines),
  ];
}

/** Webhook urls are of hosts that only the recorded world knew. */
function hostLines(exchanges: readonly ReportExchange[]): string[] {
  const hosts = new Set<string>();
  for (const { kind, request, response } of exchanges) {
    if (kind !== 'call' || response === null || response.status >= 300) continue;
    for (const [, host] of (request.body ?? '').matchAll(/"url"\s*:\s*"https:\/\/([^/"?:]+)/g)) {
      if (/[a-z]/i.test(host!) && /^[\w.-]+$/.test(host!)) hosts.add(host!);
    }
  }
  const address = '{"addresses":["93.184.216.34"]}';
  return [...hosts].map(
    (host) => `control name PUT "$CONTROL/dns/${host}" --data-binary '${address}'`,
  );
}

const WORLD = [
  '# control STEP METHOD URL [curl option]…: asks the control plane, in a world of our own',
  'control() {',
  '  local step="$1" method="$2" url="$3"; shift 3',
  '  curl -sS -X "$method" -H "Content-Type: application/json" \\',
  '    -H "Authorization: Bearer $CONTROL_TOKEN" -o "$work/$step.body" "$@" "$url"',
  '}',
  'control world POST "$CONTROL_URL/worlds" --data-binary \'{"clock":"frozen"}\'',
  'CONTROL="$CONTROL_URL/worlds/$(member world .name)"',
  'trap \'curl -sS -o /dev/null -X DELETE "$CONTROL"; rm -rf "$work"\' EXIT',
  'for firm in 1 2; do',
  '  control firm PATCH "$CONTROL/firms/$firm" --data-binary \'{"rate_per_second":100000}\'',
  'done',
];

function serverLine(role: string): string {
  const options = ROLE_CREDENTIALS[role as keyof typeof ROLE_CREDENTIALS]!;
  return mintLines(role, {
    name: role,
    firm_id: FIRMS[options.firm ?? 'firm'],
    brand_id: options.brand === undefined ? undefined : BRANDS[options.brand],
    scopes: options.scopes,
    rate_per_second: 100_000,
  }).join('\n');
}

function mintLines(as: string, body: object): string[] {
  return [
    `control credential POST "$CONTROL/credentials" --data-binary ${shellWord(JSON.stringify(body))}`,
    `${tokenVariable(as)}="$(member credential .token)"`,
  ];
}

/** A delegated token needs a credential that mints it and an account to be bound to. */
function delegatedLines(role: string): string[] {
  const minter = `${role}_minter`;
  const token = tokenVariable(minter);
  const scopes = JSON.stringify(['trader:trade', 'trader:funds']);
  return [
    ...mintLines(minter, { name: minter, firm_id: '1', scopes: EVERY_SCOPE }),
    'minter="$(member credential .client_id)"',
    'curl -sS -o "$work/owner.body" -H "Content-Type: application/json" \\',
    `  -H "Authorization: Bearer $${token}" -H "Idempotency-Key: ${role}-$MARK" \\`,
    `  --data-binary '{"client_reference_id":"${role}-'"$MARK"'","email":"${role}-'"$MARK"'@example.com","brand_id":"10"}' \\`,
    '  "$BASE_URL/api/v1/accounts"',
    'owner="$(member owner .id)"',
    'control opened POST "$CONTROL/accounts/$owner/trading-accounts" --data-binary \'{}\'',
    `control credential POST "$CONTROL/credentials" --data-binary '{"name":"${role}",` +
      `"kind":"delegated","firm_id":"1","scopes":${scopes},"read_only":${role === 'read_only'},` +
      `"account_id":"'"$owner"'","minted_by":"'"$minter"'"}'`,
    `${tokenVariable(role)}="$(member credential .token)"`,
  ];
}
