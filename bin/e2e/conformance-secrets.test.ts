// Every kind of secret is planted in a profile, and the target repeats them in every spelling: none
// of them appears in any report, on the console, in a script or in another file.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { curlScript } from '../../conformance/reports/replay.ts';
import type { Report } from '../../conformance/reports/report.ts';
import { runJudge, withFolder, withServer } from '../commands/conformance/testing/run-judge.ts';

/** Part of every secret, and of nothing else. */
const MARK = 'Pl4ntedSecret';

const SECRETS = {
  firm: `${MARK}-firm/tok+1==`,
  noScopes: `${MARK}-none.tok~2`,
  client: `${MARK}-client/+=~"q"&'%/ü`,
  access: `${MARK}-access-1`,
  refresh: `${MARK}-refresh/2+`,
  webhook: `whsec_${MARK}+/3==`,
  password: `${MARK}pass`,
};

function unicode(text: string): string {
  const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(4, '0');
  return text.replace(/[^A-Za-z0-9_.~-]/g, (char) => `\\u${hex(char)}`);
}

/** A secret as careless servers spell it: in urls, forms, JSON, HTML and base64. */
function spellings(secret: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (each) => each.toLowerCase()),
    new URLSearchParams({ x: secret }).toString(),
    JSON.stringify({ nested: JSON.stringify({ x: secret }) }),
    unicode(secret),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    base64(secret),
    base64(`cl_plant:${secret}`),
    base64(`c1:${secret}`),
    Buffer.from(`abc:${secret}`).toString('base64url'),
  ];
}

function echoSecrets(incoming: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const { url = '/', headers } = incoming;
    const all = [SECRETS.firm, SECRETS.noScopes, SECRETS.client].flatMap(spellings);
    const body: Record<string, unknown> = { id: '1', revision: 1, status: 'New', brand_id: '10' };
    body.detail = `you sent ${headers.authorization} and ${Buffer.concat(chunks).toString()}`;
    body.errors = all;
    if (url.includes('/webhooks')) Object.assign(body, { id: 7, secret: SECRETS.webhook });
    if (url.includes('/oauth/')) {
      Object.assign(body, { access_token: SECRETS.access, refresh_token: SECRETS.refresh });
      Object.assign(body, { token_type: 'Bearer', expires_in: 60 });
    }
    // An issued secret is repeated in other places.
    if (url.includes('/accounts')) body.last_name = `${SECRETS.webhook} ${SECRETS.access}`;
    response.writeHead(201, {
      'content-type': 'application/json',
      etag: '"1"',
      'set-cookie': `session=${SECRETS.password}`,
      location: `https://x.example/?access_token=${encodeURIComponent(SECRETS.access)}`,
      'x-debug': `Basic ${Buffer.from(`cl_plant:${SECRETS.password}`).toString('base64')}`,
    });
    response.end(JSON.stringify(body).replaceAll('/', Math.random() < 0.5 ? '/' : '\\/'));
  });
}

/** The parts of the mark that remain in any spelling, including base64 at its three offsets. */
function traces(): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), Buffer.from(MARK)])
      .toString('base64')
      .slice([0, 2, 3][shift], -4),
  );
  return [MARK, ...shifted, ...shifted.map((each) => each.replace(/\+/g, '-'))];
}

function expectClean(name: string, text: string): void {
  for (const trace of traces()) {
    const at = text.indexOf(trace);
    assert.is(at, -1, `${name}: …${text.slice(Math.max(0, at - 120), at + 60)}…`);
  }
}

const ONLY = [
  'ACC-1',
  'ACC-4',
  'HOOK-1',
  'HOOK-3',
  'HOOK-4',
  'AUTH-1',
  'AUTH-3*',
  'AUTH-5',
  'ERR-2',
];

const secrets = suite('secrets');

secrets('are in nothing that a run leaves behind', () =>
  withServer(echoSecrets, (own) =>
    withFolder(async (cwd) => {
      const baseUrl = own.replace('//', `//user:${SECRETS.password}@`);
      const credentials = {
        firm: { token: SECRETS.firm, brand_id: '10' },
        no_scopes: { token: 'env:NONE' },
        client: { client_id: 'cl_plant', client_secret: SECRETS.client },
      };
      const place = { account_id: '1', trading_account_id: '2', currency: 'USD' };
      const profile = {
        credentials,
        seeds: { trading_account: place },
        plan: { per_second: 500 },
        receiver: {
          listen: '127.0.0.1:0',
          public_url: `https://nowhere.invalid/hooks?token=${SECRETS.access}`,
        },
      };
      writeFileSync(join(cwd, 'p.json'), JSON.stringify(profile));
      const report = ['json=r.json', 'junit=r.xml', 'html=r.html', 'markdown=r.md'];
      const given = { baseUrl, profile: 'p.json', report, only: ONLY, timeoutS: '5' };
      const more = { observed: 'o.json', baseline: 'b.json', updateBaseline: true };
      const env = { NONE: SECRETS.noScopes, GITHUB_ACTIONS: 'true' };
      const { out, err } = await runJudge({ ...given, ...more }, { cwd, env });
      expectClean('standard output', out);
      expectClean('standard error', err);
      for (const file of readdirSync(cwd).filter((each) => each !== 'p.json')) {
        expectClean(file, readFileSync(join(cwd, file), 'utf8'));
      }
      const json = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as Report;
      const played = json.scenarios.filter((each) => each.exchanges.length > 0);
      assert.ok(played.length >= 8, `${played.length} scenarios were played`);
      for (const each of played) expectClean(`the script of ${each.id}`, curlScript(json, each));
      assert.match(readFileSync(join(cwd, 'r.json'), 'utf8'), '[redacted]');
    }),
  ),
);

secrets.run();
