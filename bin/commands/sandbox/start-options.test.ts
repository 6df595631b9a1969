// Every option of `sandbox start` is read as the contract says, and refused with a suggestion.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { exitCodeOf } from '../program.ts';
import { readConfigFile } from './config-file.ts';
import { addStartOptions, readStartOptions, type StartOptions } from './start-options.ts';

async function read(...args: string[]) {
  let output = '';
  const print = (text: string) => {
    output += text;
  };
  const command = addStartOptions(new Command('start'))
    .configureOutput({ writeErr: print })
    .exitOverride();
  try {
    return { options: await readStartOptions(command.parse(args, { from: 'user' })), said: output };
  } catch (error) {
    return { exitCode: exitCodeOf(error, print), said: output };
  }
}

const options = suite('options of start');

options('options that are not given stay undefined, so that a saved world decides', async () => {
  const { sandbox, listen, ...rest } = (await read()).options as StartOptions;
  const nothing = { allowHosts: [], allowOrigins: [] };
  assert.equal(listen, { host: '127.0.0.1', port: 7420, ...nothing });
  const { json, quiet, ui, open, readyFile, configNote } = rest;
  assert.equal([json, quiet, ui, open], [undefined, undefined, true, undefined]);
  assert.equal([readyFile, configNote], [undefined, null]);
  const { settings, forwards, deviations, ...named } = sandbox;
  assert.equal([forwards, deviations], [[], []]);
  assert.equal(settings, defaultSettings);
  for (const [name, value] of Object.entries(named)) {
    const isFlag = ['allowLocalWebhooks', 'allowPublicDeliveries', 'stateSync'].includes(name);
    assert.is(value, isFlag ? false : undefined, name);
  }
});

const taken = [
  [['--port', '0'], { port: 0 }],
  [['--json', '--quiet'], { json: true, quiet: true }],
  [['--seed', '0'], { seed: '0' }],
  [['--clock', 'frozen'], { clock: { mode: 'frozen', nowMs: null } }],
  [['--clock', '2026-01-31T12:00:00Z'], { clock: { mode: 'frozen', nowMs: 1769860800000 } }],
  [['--clock', '2026-01-31'], { clock: { mode: 'frozen', nowMs: 1769817600000 } }],
  [['--plan', 'pro'], { plan: 'pro' }],
  [['--no-ui'], { ui: false }],
  [['--open'], { open: true }],
  [['--host', '::1'], { host: '::1' }],
  [['--allow-local-webhooks'], { allowLocalWebhooks: true }],
  [
    [
      '--forward',
      'https://A.example.com/=http://localhost:1/a=b',
      '--forward',
      'https://b.io:8443=http://[::1]:2',
    ],
    {
      forwards: [
        { from: 'https://a.example.com', to: 'http://localhost:1/a=b' },
        { from: 'https://b.io:8443', to: 'http://[::1]:2' },
      ],
    },
  ],
  [['--forward-to', 'http://localhost:3000/hooks'], { forwardTo: 'http://localhost:3000/hooks' }],
  [
    ['--forward-to', 'http://example.com/hooks', '--i-own-this-host'],
    { forwardTo: 'http://example.com/hooks' },
  ],
  [['--host', '0.0.0.0', '--control-token', 's3cret'], { host: '0.0.0.0' }],
  [['--allow-host', 'sandbox', '--allow-host', 'a.b'], { allowHosts: ['sandbox', 'a.b'] }],
  [
    ['--allow-origin', 'HTTP://Localhost:3000/', '--allow-origin', 'https://a.example'],
    { allowOrigins: ['http://localhost:3000', 'https://a.example'] },
  ],
] as const;

for (const [args, expected] of taken) {
  options(args.join(' '), async () => {
    const { options: taken_, said: printed } = await read(...args);
    assert.is(printed, '');
    const every: Record<string, unknown> = { ...taken_, ...taken_?.sandbox, ...taken_?.listen };
    for (const [name, value] of Object.entries(expected)) assert.equal(every[name], value);
  });
}

const refused = [
  [['--open', '--no-ui'], '--no-ui'],
  [['--port', '65536'], '0 to 65535'],
  [['--seed', '1.5'], '--seed'],
  [['--clock', 'yesterday'], '2026-01-31T12:00:00Z'],
  [['--clock', '2026-01-31T12:00:00'], 'zone'],
  [['--plan', 'gold'], 'sandbox, standard, pro'],
  [
    ['--host', '0.0.0.0'],
    '--host 0.0.0.0 needs a control token, because other machines can reach it: give --control-token-file FILE or set SANDBOX_CONTROL_TOKEN',
  ],
  [['--host', ''], '--host'],
  [['--control-token', 'a b'], '--control-token'],
  [['--state-sync'], '--state-sync needs a state file'],
  [['--control-token', 'a\n'], 'ends with a line break'],
  [['--control-token', 'a', '--control-token-file', 'b'], 'leave one of them out'],
  [['--control-token-file', 'no/such'], '--control-token-file no/such: there is no such file'],
  [['--allow-host', 'http://sandbox'], 'It is a name without scheme and port'],
  [['--allow-origin', 'localhost:3000'], 'It is an origin'],
  [['--prot', '1'], '--port'],
  [['--deviate', 'no-such'], '--deviate "no-such": there is no such deviation'],
  [
    ['--world', 'nowhere'],
    '--world nowhere: there is no built-in world and no file of this name; built in are default,',
  ],
  [['--forward-to', 'localhost:3000'], 'http://localhost:3000/hooks'],
  [['--forward-to', 'http://a:b@localhost/'], 'user name'],
  [['--forward-to', 'http://example.com/hooks'], 'example.com is not this machine; if you run'],
  [['--forward', 'https://hooks.example.com=http://10.0.0.1/'], '--i-own-this-host'],
  [['--forward', 'https://hooks.example.com'], 'ORIGIN=URL'],
  [['--forward', 'http://hooks.example.com=http://localhost'], 'https origin'],
  [['--forward', 'https://hooks.example.com/in=http://localhost'], 'https origin'],
] as const;

for (const [args, word] of refused) {
  options(`${args.join(' ')} is refused`, async () => {
    const { exitCode, said: printed } = await read(...args);
    assert.ok(exitCode !== undefined, 'it was accepted');
    assert.match(printed, word);
  });
}

options('a control token that does not appear in process lists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'options-'));
  const file = join(folder, 'token');
  const tokenOf = async (...args: string[]) => (await read(...args)).options?.sandbox.controlToken;
  try {
    writeFileSync(file, 'from-file\nand more\n');
    process.env.SANDBOX_CONTROL_TOKEN = 'from-environment';
    assert.is(await tokenOf(), 'from-environment');
    assert.is(await tokenOf('--control-token', 'given'), 'given');
    assert.is(await tokenOf('--control-token-file', file), 'from-file');
    assert.is(await tokenOf('--host', '0.0.0.0'), 'from-environment');
    process.env.SANDBOX_CONTROL_TOKEN = 'two words';
    const { said: printed } = await read();
    assert.match(printed, 'without spaces');
    assert.not.match(printed, 'two words');
    process.env.SANDBOX_CONTROL_TOKEN = '';
    assert.is(await tokenOf(), undefined);
    writeFileSync(file, '\n');
    assert.match((await read('--control-token-file', file)).said, '--control-token must be');
  } finally {
    delete process.env.SANDBOX_CONTROL_TOKEN;
    rmSync(folder, { recursive: true });
  }
});

options('a loopback host needs no token, all others do', async () => {
  for (const host of ['127.9.9.9', 'localhost', '[::1]']) {
    assert.is((await read('--host', host)).options?.listen.host, host);
  }
  for (const host of ['::', '10.0.0.1', 'localhost.com', '127.0.0.1.example.com']) {
    assert.match((await read('--host', host)).said, '--control-token');
  }
});

const BROKEN = [
  ['{"setings": {}}', /^--config mine\.json: setings /],
  ['{"settings": {"no_such": 1}}', /^--config mine\.json: settings\.no_such /],
  ['{"a": }', /^--config mine\.json: is not JSON/],
] as const;

options('a config file is found in the folder, or named, and refused by its field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  const found = join(folder, 'sandbox.config.json');
  const named = join(folder, 'mine.json');
  writeFileSync(found, '\uFEFF{"allow_local_webhooks": true}');
  const { config, note } = readConfigFile(undefined, folder);
  assert.is(config.allow_local_webhooks, true);
  assert.is(note, 'sandbox.config.json in this folder was read, and sets allow_local_webhooks');
  writeFileSync(found, '{broken');
  writeFileSync(named, '{"settings": {}}');
  assert.is(readConfigFile('mine.json', folder).note, null);
  for (const [text, words] of BROKEN) {
    writeFileSync(named, text);
    assert.throws(() => readConfigFile('mine.json', folder), words);
  }
  rmSync(folder, { recursive: true });
});

options.run();
