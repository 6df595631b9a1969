// Options for a kept world: which apply, which are refused, and to which world a reset returns.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox, type SandboxHandle, type SandboxOptions } from '../../simulator/index.ts';
import { kill } from '../dev/soak/kills.ts';

const kept = suite<{ folder: string; state: string }>('options for a kept world');

const warnings: string[] = [];
const noteWarning = ({ message }: Error) => warnings.push(message);
process.on('warning', noteWarning);
kept.after(() => {
  process.off('warning', noteWarning);
});
kept.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'kept-'));
  place.state = join(place.folder, 'state.json');
  warnings.length = 0;
});
kept.after.each(({ folder }) => rmSync(folder, { recursive: true }));

async function see(sandbox: SandboxHandle) {
  const { world, credentials, clock, counts, subscription } = await sandbox.control.getInfo();
  const { forwards } = await sandbox.control.listForwards();
  const { token = '', plan } = credentials[0] ?? {};
  const { mode, speed, now_ms: nowMs } = clock;
  const { accounts } = counts;
  return { world, token, plan, mode, speed, nowMs, accounts, subscription, forwards };
}

/** The world after loading and, with `isReset`, after a reset; then it is saved again. */
async function load(options: SandboxOptions, isReset = false, advanceMs = 0) {
  const sandbox = await createSandbox(options);
  try {
    const loaded = await see(sandbox);
    if (isReset) await sandbox.reset();
    if (advanceMs > 0) await sandbox.clock.advance({ by_ms: advanceMs });
    return { loaded, reset: await see(sandbox) };
  } finally {
    await sandbox.close();
  }
}

kept('the same options work again, and a reset returns to the starting world', async (place) => {
  const { folder, state } = place;
  const own = join(folder, 'own.json');
  const world = { firms: [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }] };
  const credentials = [{ name: 'firm', firm_id: '1', scopes: ['accounts:write'] }];
  writeFileSync(own, JSON.stringify({ ...world, credentials }));
  const first = { state, world: own, seed: '5', plan: 'pro' } as const;
  const { loaded: begun } = await load({ ...first, clock: '2030-01-01' }, false, 5000);
  assert.is(begun.world, own);
  const stood = { ...begun, nowMs: Date.UTC(2030, 0, 1) + 5000 };
  assert.equal((await load({ ...first, clock: 'frozen' })).loaded, stood);
  // Also works without the options.
  assert.equal(await load({ state }, true), { loaded: stood, reset: begun });
  assert.equal(warnings, []);
  // A world file is only needed for resets.
  rmSync(own);
  assert.equal((await load({ state })).loaded, begun);
  assert.match(warnings.join(), /own\.json, which cannot be read; a reset leads to "default"/);
});

kept('a contradicting option is refused by name, and the file is not changed', async (place) => {
  const { state } = place;
  await load({ state, clock: '2030-01-01' });
  const before = readFileSync(state, 'utf8');
  for (const [options, words] of [
    [{ world: 'empty' }, /^world empty contradicts \S+, whose world began with default/],
    [{ clock: '2029-12-31' }, /^clock 2029-12-31T00:00:00.000Z is before 2030/],
  ] as const) {
    const refused = await load({ state, ...options }).catch((error: Error) => error);
    assert.instance(refused, TypeError);
    assert.match((refused as Error).message, words);
  }
  assert.is(readFileSync(state, 'utf8'), before);
});

kept('an explicit clock applies to the loaded world', async ({ state }) => {
  const clockOf = async (options: SandboxOptions) => (await load({ state, ...options })).loaded;
  const began = Date.now();
  assert.is((await clockOf({})).mode, 'real');
  const frozen = await clockOf({ clock: 'frozen' });
  assert.ok(frozen.mode === 'frozen' && frozen.nowMs >= began, 'frozen at the time of the start');
  const { mode, nowMs } = await clockOf({ clock: '2090-01-01T00:00:00Z' });
  assert.equal([mode, nowMs], ['frozen', Date.UTC(2090, 0, 1)]);
  const real = await clockOf({ clock: 'real' });
  assert.is(real.mode, 'real');
  assert.ok(real.nowMs >= Date.UTC(2090, 0, 1), 'never backwards');
  const fast = await createSandbox({ state });
  await fast.control.setClock({ mode: 'real', speed: 60 });
  await fast.close();
  assert.equal([(await clockOf({})).speed, (await clockOf({ clock: 'real' })).speed], [60, 1]);
});

kept('a file without a starting world is served under its own name', async ({ state }) => {
  await load({ state, seed: '5' });
  const document = JSON.parse(readFileSync(state, 'utf8'));
  delete document.world.options.begun_as;
  writeFileSync(state, JSON.stringify(document));
  const { loaded, reset } = await load({ state, world: 'empty' }, true);
  assert.match(warnings.join(), 'does not say as which world it began; a reset leads to "empty"');
  assert.is(loaded.world, state);
  assert.ok(loaded.accounts > 0);
  assert.is(reset.accounts, 0);
  assert.is(reset.token, loaded.token, 'the seed is that of the file');
});

kept('a receiver at another URL keeps its subscription and secret', async ({ state }) => {
  // Saved without a receiver, then with one, then with the same one at another URL.
  await load({ state });
  const { loaded: first } = await load({ state, forwardTo: 'http://127.0.0.1:9/one' });
  const to = 'http://127.0.0.1:9/two';
  const { loaded } = await load({ state, forwardTo: to });
  assert.equal(loaded.subscription, { ...first.subscription, forwards_to: to });
  assert.equal(loaded.forwards, [{ from: 'https://receiver.example', to }]);
});

kept('forwards in the options apply to the loaded world', async ({ state }) => {
  const forward = { from: 'https://hooks.example.com', to: 'http://127.0.0.1:9/in' };
  await load({ state });
  assert.equal((await load({ state, forwards: [forward] })).loaded.forwards, [forward]);
});

for (const sync of [false, true]) {
  const lost = sync ? 'no answered change' : 'no change that was answered 100 ms before';
  kept(`a kill while it writes loses ${lost}`, async () => {
    assert.equal(await kill({ count: 1, seed: sync ? 1 : 3, sync }), []);
  });
}

kept.run();
