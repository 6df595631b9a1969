// Every reader of a file from an untrusted source: if the file is broken in any way that a generator
// can produce, it is used or refused with a message that names the file, never with an internal error.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isExploreReport, sequenceIn } from '../../conformance/explore/report/again.ts';
import { callsOf } from '../../conformance/explore/sequence.ts';
import { printBaseline } from '../../conformance/reports/baseline.ts';
import { sampleReport } from '../../conformance/reports/testing/sample-report.ts';
import { defaultSettings } from '../../fixtures/settings.ts';
import { sample } from '../../fixtures/testing/sample.ts';
import { findNamedWorld } from '../../simulator/compose/options.ts';
import { conformingBehaviour } from '../../simulator/core/behaviour.ts';
import { dumpWorld, StateError } from '../../simulator/core/state/snapshot.ts';
import { playRecording, readRecording } from '../../simulator/host/storage/input-log.ts';
import { readStateFile } from '../../simulator/host/storage/state-file.ts';
import { loadState } from '../../simulator/host/storage/world-document.ts';
import { createTestSandbox } from '../../simulator/host/testing/sandbox.ts';
import { compareFiles } from './conformance/compare.ts';
import { readBaselineFile, readJson, readProfileFile } from './conformance/input-files.ts';
import { replay } from './conformance/replay.ts';
import { testIo } from './conformance/testing/run-judge.ts';
import { UsageError } from './io.ts';
import { readConfigFile } from './sandbox/config-file.ts';

const foreign = suite('untrusted files');
const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
const file = join(folder, 'given.json');
const good = join(folder, 'good.json');

const io = testIo({ env: {}, cwd: folder });

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const outsiders: readonly Json[] = [null, true, 1e308, '\u001b[31m\u202e', [null], {}];

/** The document with itself, or one of its members, replaced by another value. */
function* breakages(of: Json, depth: number): Generator<Json> {
  for (const outsider of outsiders) yield outsider;
  if (depth === 0 || typeof of !== 'object' || of === null) return;
  if (Array.isArray(of)) {
    yield [...of, ...of];
    for (const [at, item] of of.entries()) {
      for (const broken of breakages(item, depth - 1)) yield of.with(at, broken);
    }
    return;
  }
  for (const [name, member] of Object.entries(of)) {
    const { [name]: _, ...rest } = of as Readonly<Record<string, Json>>;
    yield rest;
    for (const broken of breakages(member, depth - 1)) yield { ...rest, [name]: broken };
  }
  yield { ...of, unheard_of: 1 };
  if (Object.keys(of).length === 0) return;
  // As a parser creates it: a member with that name, not a prototype.
  yield JSON.parse(
    JSON.stringify(of).replace(/^\{/, '{"__proto__":{"polluted":1},"constructor":1,'),
  );
}

interface Reader {
  readonly document: Json;
  /** The depth to which members are broken. */
  readonly depth: number;
  /** Reads the file and uses its content; returns or throws the message of a refusal. */
  readonly use: () => unknown;
}

const sequence = {
  steps: [
    { do: 'call', n: 1, operation: 'createAccount', as: 'firm', body: { email: { $fresh: 'a' } } },
    { do: 'advance', n: 2, byMs: 1000 },
    { do: 'burst', n: 3, calls: [{ do: 'call', n: 4, operation: 'listAccounts', as: 'firm' }] },
  ],
};

const exploreReport = {
  schema: 'explore/1',
  target: { base_url: 'http://x' },
  started_at: 'now',
  differences: [
    {
      ...{ id: 'd1', title: 't', mark: 'm', sequence },
    },
  ],
  unexplained: [],
  coverage: { settings_learned: {} },
};

const plainSample = JSON.parse(JSON.stringify(sampleReport)) as {
  readonly scenarios: readonly Json[];
};

const readers: Readonly<Record<string, Reader>> = {
  'a report, repeated': {
    document: plainSample as Json,
    depth: 3,
    use: () => replay(file, 'sample-one', io),
  },
  'an exchange of a report, repeated': {
    document: (plainSample.scenarios[0] as { readonly exchanges: Json }).exchanges,
    depth: 4,
    use: () => {
      const exchanges = readJson('X', file, folder, '');
      const scenario = { ...(plainSample.scenarios[0] as object), exchanges };
      writeFileSync(file, JSON.stringify({ ...plainSample, scenarios: [scenario] }));
      return replay(file, 'sample-one', io);
    },
  },
  'a report, compared': {
    document: plainSample as Json,
    depth: 3,
    use: () => [compareFiles(good, file, {}, io), compareFiles(file, good, { json: true }, io)],
  },
  'a report of the explorer': {
    document: exploreReport as Json,
    depth: 6,
    use: () => {
      const given = readJson('REPORT', file, folder, '');
      if (!isExploreReport(given)) return;
      callsOf(sequenceIn(given, 'd1')?.steps ?? []);
    },
  },
  'a baseline': {
    document: {
      schema: 1,
      known: [
        { rule: 'ACC-1', scenario: 'x', fingerprint: '0a1b2c3d4e5f', reason: 'r', expires: null },
      ],
      not_tested: [{ rules: ['EVT-1'], lacks: ['receiver'], reason: 'r', expires: '2027-01-31' }],
    },
    depth: 4,
    use: () => printBaseline(readBaselineFile(file, folder, false)),
  },
  'a profile': {
    document: {
      base_url: 'https://api.example.com',
      credentials: {
        firm: { token: 'a', brand_id: '10' },
        delegated: { token: 'b', account_id: '1', trading_account_id: '2' },
      },
      seeds: { settled_transactions: [{ id: '9', account_id: '1' }] },
      plan: { per_second: 5 },
      receiver: { listen: '127.0.0.1:9000', public_url: 'https://t.example.com/h' },
    },
    depth: 4,
    use: () => readProfileFile(file, io),
  },
  'a configuration': {
    document: {
      settings: { batch_refusal_status: 400 },
      forwards: [{ from: 'https://h.example.com', to: 'http://127.0.0.1:9000' }],
      allow_local_webhooks: true,
    },
    depth: 3,
    use: () => readConfigFile(file, folder),
  },
  'a world': {
    document: {
      firms: [{ id: '1', name: 'A', brands: [{ id: '10', name: 'B' }] }],
      credentials: [{ name: 'firm', firm_id: '1', scopes: ['accounts:write'] }],
    },
    depth: 5,
    use: () => findNamedWorld(file, folder),
  },
};

for (const [name, { document, depth, use }] of Object.entries(readers)) {
  foreign(`${name}: a broken file is used or refused with a message`, () => {
    writeFileSync(good, JSON.stringify(plainSample));
    writeFileSync(file, JSON.stringify(document));
    use();
    for (const broken of sample([...breakages(document, depth)], 150)) {
      writeFileSync(file, JSON.stringify(broken));
      refusalOf(use, JSON.stringify(broken));
    }
    assert.is(({} as { polluted?: unknown }).polluted, undefined);
  });
}

/** Any error without a user-facing message fails the test. */
function refusalOf(use: () => unknown, name: string): string | null {
  try {
    use();
    return null;
  } catch (error) {
    const isWords =
      error instanceof UsageError || error instanceof StateError || isFieldError(error as Error);
    if (!isWords) throw new Error(`${(error as Error).stack}\nfrom ${name.slice(0, 2000)}`);
    // Other errors are escaped where they are printed.
    if (error instanceof UsageError) assert.not.match(error.message, /[^\P{C}\n]/u);
    return (error as Error).message;
  }
}

/** Its reader throws a TypeError that names the field. */
const isFieldError = (error: Error) =>
  error instanceof TypeError && /^(\S+ must be|\S+ is missing|it is no)/.test(error.message);

const unreadable: readonly (readonly [string, string, RegExp])[] = [
  ['deep', '['.repeat(1_000_000), /nested too deeply/],
  ['deep and whole', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, /nested too deeply/],
  ['torn', '{"schema":1,"tool', /is not JSON/],
  ['a long text without an end', `"${'x'.repeat(5_000_000)}`, /is not JSON/],
  ['a long text in JSON that is none', `["${'x'.repeat(5_000_000)}",]`, /is not JSON/],
];

for (const [name, text, words] of unreadable) {
  foreign(`${name}: every reader says so`, () => {
    writeFileSync(file, text);
    const refusal = [
      refusalOf(() => replay(file, 'x', io), name),
      refusalOf(() => readProfileFile(file, io), name),
      refusalOf(() => readBaselineFile(file, folder, false), name),
      refusalOf(() => readConfigFile(file, folder), name),
      findNamedWorld(file, folder).problems?.join() ?? null,
    ];
    for (const each of refusal) assert.match(each ?? 'taken', words);
  });
}

if (process.platform !== 'win32') {
  foreign('a device without an end is not read to its end', () => {
    const refusal = refusalOf(() => replay('/dev/zero', 'x', io), 'a device');
    assert.match(refusal ?? '', 'REPORT: /dev/zero: is a device, and no file');
  });
}

foreign(
  'a state, the head of its write-ahead log and a recording: however they are broken, a sentence',
  async () => {
    const sandbox = await createTestSandbox();
    const behaviour = conformingBehaviour(defaultSettings);
    const document = dumpWorld(sandbox.first.world) as {
      readonly world: Readonly<Record<string, Json>>;
    };
    await sandbox.close();
    const { world, ...head } = document;
    const small = Object.fromEntries(
      Object.entries(world).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.slice(0, 1) : value,
      ]),
    );
    for (const broken of sample([...breakages({ ...head, world: small } as Json, 3)], 150)) {
      refusalOf(() => loadState(broken, behaviour), JSON.stringify(broken));
    }
    const state = join(folder, 'state.json');
    const log = join(folder, '.state.json.wal');
    const recording = { id: 'j', settings: defaultSettings, deviations: [], offset: 0 };
    writeFileSync(state, JSON.stringify({ ...document, log: { id: 'j', offset: 0 } }));
    const line = {
      kind: 'command',
      atMs: world.nowMs,
      name: 'makeEvent',
      args: { category: 'account' },
    };
    for (const text of [
      ...logsOf(recording),
      ...logsOf(line).map((each) => `${JSON.stringify(recording)}\n${each}`),
    ]) {
      writeFileSync(log, `${text}\n`);
      const failed = await failureOf(readStateFile(state));
      refusalOf(() => failed && raise(failed), text);
    }
    for (const text of logsOf(line)) {
      writeFileSync(file, `${JSON.stringify(document)}\n${text}\n`);
      const played = readRecording(file).then(({ lines }) => playRecording(lines, behaviour));
      const failed = await failureOf(played);
      refusalOf(() => failed && raise(failed), text);
    }
  },
);

const failureOf = (work: Promise<unknown>): Promise<Error | null> =>
  work.then(
    () => null,
    (error: Error) => error,
  );

const logsOf = (of: object) =>
  sample([...breakages(of as Json, 2)], 40).map((each) => JSON.stringify(each));

function raise(error: Error): never {
  throw error;
}

foreign.after(() => rmSync(folder, { recursive: true }));
foreign.run();
