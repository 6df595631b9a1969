// The script of a recorded scenario: it sends the requests again with new names, and no text of a
// report can run.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleReport } from '../../../conformance/reports/testing/sample-report.ts';
import { replay } from '../../commands/conformance/replay.ts';
import { runJudge, withFolder } from '../../commands/conformance/testing/run-judge.ts';
import { sandboxed } from '../testing/sandboxed.ts';

const test = suite('replay');

test('a scenario is sent again with new names and with ids from the responses', () =>
  withFolder((cwd) =>
    sandboxed({ clock: 'frozen', plan: 'pro' }, async (baseUrl, sandbox) => {
      const given = {
        baseUrl,
        only: ['upd-status', 'bulk-row-without-reference'],
        report: ['json=r.json'],
      };
      const { report } = await runJudge({ ...given, json: true }, { cwd });
      const played = report.scenarios.filter(({ exchanges }) => exchanges.length > 0);
      assert.ok(played.length > 0);
      for (const { id } of played) {
        const script = replay('r.json', id, { cwd });
        const tokens = Object.fromEntries(
          [...script.matchAll(/\$\{(\w+_TOKEN):-\}/g)].map(([, name]) => {
            return [name!, sandbox.credential('firm').token];
          }),
        );
        const env = { ...process.env, ...tokens, BASE_URL: baseUrl, PAUSE: '0' };
        const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
          const child = execFile('bash', ['-s'], { env, timeout: 60_000 }, (error, out, err) =>
            resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: out + err }),
          );
          child.stdin!.end(script);
        });
        assert.is(code, 0, out);
        assert.match(out, /\d\. -> 2\d\d after/, out);
        assert.not.match(out, '-> 401 after');
      }
    }),
  ));

const [scenario] = sampleReport.scenarios;
const [exchange] = scenario!.exchanges;
const EVIL = [
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '\n touch pwned',
  '\u001b[31m\u202e',
];

/** A curl that does nothing, so that only the shell could do something. */
function runOffline(script: string, cwd: string) {
  writeFileSync(join(cwd, 'curl'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const env = { ...process.env, PATH: `${cwd}:${process.env.PATH}`, FIRM_TOKEN: 't' };
  return spawnSync('bash', ['-s'], { cwd, env, input: script });
}

test('nothing of a report runs, and no control character reaches the terminal', () =>
  withFolder(async (cwd) => {
    const exchanges = EVIL.flatMap((evil) => [
      { as: evil },
      { kind: 'operator' as const, request: { ...exchange!.request, method: evil, body: evil } },
      { request: { ...exchange!.request, method: evil, url: evil, body: evil } },
      { request: { ...exchange!.request, headers: [[evil, evil] as const, ['x', evil] as const] } },
      { response: { status: 201, headers: [['etag', evil] as const], body: '{"id":"777777777"}' } },
    ]).map((place, n) => ({ ...exchange!, n: n + 1, ...place }));
    const all = EVIL.join(' ');
    const target = { base_url: `http://x/${all}`, control_url: all, headers: EVIL };
    const scenarios = [{ ...scenario!, id: 's', title: all, exchanges }];
    const report = { ...sampleReport, target, mark: all, started_at: all, scenarios };
    writeFileSync(join(cwd, 'report.json'), JSON.stringify(report));
    const script = replay('report.json', 's', { cwd });
    for (const char of ['\u001b', '\u202e']) assert.not.ok(script.includes(char));
    assert.match(script, '\\x1b');
    const { stderr } = runOffline(script, cwd);
    assert.not.ok(existsSync(join(cwd, 'pwned')), script);
    assert.not.match(String(stderr), /command not found|syntax error/);
  }));

test.run();
