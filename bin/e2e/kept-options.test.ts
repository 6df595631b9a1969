// A world that was kept, and options beside it: what is applied, what is refused, where a reset
// leads.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';

const kept = suite<{ folder: string }>('options beside a kept world');

kept.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'kept-'));
});
kept.after.each(({ folder }) => rmSync(folder, { recursive: true }));

interface Told {
  readonly code: number | null;
  readonly err: string;
  /** Of the sandbox as it was loaded, and after a reset. */
  readonly seen: readonly Seen[];
}

interface Seen {
  readonly world: string;
  readonly token: string;
  readonly plan: string;
  readonly mode: string;
  readonly nowMs: number;
  readonly accounts: number;
}

const look = `
  const control = process.env.SANDBOX_CONTROL_URL;
  const see = async () => {
    const { world, credentials: [{ token, plan }], clock, counts } =
      await (await fetch(control + '/info')).json();
    return { world, token, plan, mode: clock.mode, nowMs: clock.now_ms, accounts: counts.accounts };
  };
  const post = (path, body) => fetch(control + path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body,
  });
`;

function exec(folder: string, args: readonly string[], then: string): Told {
  const program = ['--', process.execPath, '--input-type=module', '-e', `${look}${then}`];
  const words = [join(root, 'bin/sandbox.js'), 'exec', ...args, ...program];
  const ran = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  const seen = ran.stdout.split('\n').filter((line) => line !== '');
  return { code: ran.status, err: ran.stderr, seen: seen.map((line) => JSON.parse(line) as Seen) };
}

const seeOnce = 'console.log(JSON.stringify(await see()));';
const seeReset = `${seeOnce} await post('/reset', '{}'); ${seeOnce}`;

kept('the same command works again, and a reset leads where the world began', ({ folder }) => {
  const world = { firms: [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }] };
  const credentials = [{ name: 'firm', firm_id: '1', scopes: ['accounts:write'] }];
  writeFileSync(join(folder, 'own.json'), JSON.stringify({ ...world, credentials }));
  const state = ['--state', 'state.json'];
  const first = ['--world', 'own.json', '--seed', '5', '--plan', 'pro', '--clock', '2030-01-01'];
  const begun = exec(
    folder,
    [...state, ...first],
    `${seeOnce} await post('/clock/advance', '{"by_ms":5000}');`,
  );
  assert.is(begun.err, '');
  assert.is(begun.seen[0]?.world, 'own.json');
  const stood = { ...begun.seen[0], nowMs: Date.UTC(2030, 0, 1) + 5000 };
  const same = ['--world', './own.json', '--seed', '5', '--plan', 'pro', '--clock', 'frozen'];
  assert.equal(exec(folder, [...state, ...same], seeOnce), { code: 0, err: '', seen: [stood] });
  // And so does one that names nothing of it.
  assert.equal(exec(folder, state, seeReset), { code: 0, err: '', seen: [stood, begun.seen[0]] });
  // A world file that has gone is needed for nothing but resets.
  rmSync(join(folder, 'own.json'));
  const gone = exec(folder, state, seeOnce);
  assert.equal([gone.code, gone.seen], [0, begun.seen]);
  assert.match(gone.err, /began as own\.json, which cannot be read; a reset leads to "default"/);
});

kept('what contradicts the world is refused by name, and the file left as it was', ({ folder }) => {
  exec(folder, ['--state', 'state.json', '--clock', '2030-01-01'], seeOnce);
  const before = readFileSync(join(folder, 'state.json'), 'utf8');
  for (const [args, words] of [
    [['--world', 'empty'], '--world empty contradicts state.json, whose world began with default'],
    [['--clock', '2029-12-31'], '--clock 2029-12-31T00:00:00.000Z is before 2030'],
  ] as const) {
    const { code, err, seen } = exec(folder, ['--state', 'state.json', ...args], seeOnce);
    assert.equal([code, seen], [2, []], err);
    assert.ok(err.startsWith(`sandbox: ${words}`), err);
  }
  assert.is(readFileSync(join(folder, 'state.json'), 'utf8'), before);
});

kept('a clock that is named is set on the loaded world', ({ folder }) => {
  const state = ['--state', 'state.json'];
  const clockOf = (...args: string[]) => {
    const { err, seen } = exec(folder, [...state, ...args], seeOnce);
    assert.is(err, '');
    return seen[0] ?? assert.unreachable() ?? { mode: '', nowMs: 0 };
  };
  const began = Date.now();
  assert.is(clockOf().mode, 'real');
  const frozen = clockOf('--clock', 'frozen');
  assert.is(frozen.mode, 'frozen');
  assert.ok(frozen.nowMs >= began, 'it stands at the time of the start');
  const { mode, nowMs } = clockOf('--clock', '2090-01-01T00:00:00Z');
  assert.equal([mode, nowMs], ['frozen', Date.UTC(2090, 0, 1)]);
  const real = clockOf('--clock', 'real');
  assert.is(real.mode, 'real');
  assert.ok(real.nowMs >= Date.UTC(2090, 0, 1), 'never backwards');
});

kept('a file that does not say where it began is served under its own name', ({ folder }) => {
  exec(folder, ['--state', 'state.json', '--seed', '5'], seeOnce);
  const path = join(folder, 'state.json');
  const document = JSON.parse(readFileSync(path, 'utf8'));
  const token = document.world.tokens[0].token;
  delete document.world.options.begun_as;
  writeFileSync(path, JSON.stringify(document));
  const { code, err, seen } = exec(folder, ['--state', 'state.json', '--world', 'empty'], seeReset);
  assert.is(code, 0, err);
  assert.match(err, 'state.json does not say as which world it began; a reset leads to "empty"');
  const [loaded, reset] = seen;
  assert.is(loaded?.world, 'state.json');
  assert.ok((loaded?.accounts ?? 0) > 0);
  assert.is(reset?.accounts, 0);
  assert.is(reset?.token, loaded?.token, `the seed is the one of the file (${token.length})`);
});

kept.run();
