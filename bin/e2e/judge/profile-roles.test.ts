// A credential in a profile under the wrong role is an error in the profile: it is reported and not
// used, and no rule is blamed for it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Profile } from '../../../conformance/providers/profile.ts';
import type { SandboxHandle } from '../../../simulator/index.ts';
import { runJudge } from '../../commands/conformance/testing/run-judge.ts';
import { onLiveTarget } from '../testing/live-profile.ts';
import { blamedIn } from '../testing/sandboxed.ts';

type Credentials = Record<string, Record<string, string>>;

const EVERY_SCOPE = [
  ...['accounts:write', 'trades:write', 'trader:trade', 'transactions:write'],
  ...['trader:funds', 'transactions:amend', 'webhooks:manage'],
];

async function mint(sandbox: SandboxHandle, options: object): Promise<string> {
  const body = { scopes: EVERY_SCOPE, firm_id: '1', rate_per_second: 500, ...options };
  return ((await sandbox.control('POST', 'credentials', body)) as { token: string }).token;
}

/** The replacement for a credential, and rules that must not be blamed for it. */
const SWAPS: [role: string, words: RegExp, only: string[], swap: (s: SandboxHandle) => object][] = [
  ['other_firm', /is of firm 1/, ['AUTH-7', 'UPD-5'], (s) => mint(s, {})],
  ['brand', /is bound to no brand/, ['ACC-16', 'ACC-17', 'BULK-10'], (s) => mint(s, {})],
  ['other_brand', /is bound to brand 10/, ['ACC-10'], (s) => mint(s, { brand_id: '10' })],
  ['no_scopes', /creates accounts/, ['ACC-21', 'HOOK-6'], (s) => mint(s, {})],
  ['amend_only', /creates accounts/, ['TXS-17', 'TXN-12'], (s) => mint(s, {})],
  ['no_amend', /lacks accounts:write/, ['IDEM-2b'], (s) => mint(s, { scopes: [] })],
];

const roles = suite('the roles of a profile');

const judged = (swap: (s: SandboxHandle, credentials: Credentials) => Promise<string[]>) => {
  let only: string[] = [];
  const change = async (profile: Profile, sandbox: SandboxHandle) => {
    only = await swap(sandbox, profile.credentials as Credentials);
    return profile;
  };
  return onLiveTarget({ rates: { per_second: 500 }, change }, async ({ given, cwd }) => {
    const { report } = await runJudge({ ...given, only }, { cwd });
    return { notes: report.notes.join('\n'), bad: blamedIn(report), report };
  });
};

for (const [role, words, only, swap] of SWAPS) {
  roles(`a wrong ${role} is named and not used`, async () => {
    const { notes, bad } = await judged(async (sandbox, credentials) => {
      credentials[role] = { ...credentials[role], token: String(await swap(sandbox)) };
      if (role === 'other_brand') credentials[role] = { token: credentials[role]!.token! };
      return only;
    });
    assert.match(notes, new RegExp(`credentials.${role}: it ${words.source}`));
    assert.equal(bad, []);
  });
}

const TRADERS = [
  [{ token: 'read-only' }, 'it is read-only'],
  [{ account_id: '1002' }, 'it does not reach account 1002'],
] as const;
for (const [swap, words] of TRADERS) {
  roles(`a trader token of which ${words} is named and not used`, async () => {
    const { notes, bad } = await judged(async (sandbox, credentials) => {
      const token = String(sandbox.credential('delegated-read-only').token);
      const given: Record<string, string> = 'token' in swap ? { token } : { ...swap };
      credentials.delegated = { ...credentials.delegated, ...given };
      if ('token' in swap) delete credentials.read_only;
      return ['AUTH-5'];
    });
    assert.match(notes, `credentials.delegated: ${words}`);
    assert.equal(bad, []);
  });
}

roles('right ones are all used, and leave no word', async () => {
  const { notes, bad, report } = await judged(async () => ['ACC-16', 'ACC-21', 'AUTH-2', 'UPD-5']);
  assert.not.match(notes, 'credentials.');
  assert.equal(bad, []);
  const passed = report.rules.filter(({ verdict }) => verdict === 'passed');
  assert.is(passed.length, 4);
});

roles.run();
