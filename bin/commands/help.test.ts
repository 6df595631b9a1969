// The help of every command: it fits a terminal of 80 columns, and shows an example that is made of
// options that there are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../dev/root.ts';
import { defineClient } from './conformance/client.ts';
import { defineCompare } from './conformance/compare.ts';
import { defineExplain } from './conformance/explain.ts';
import { defineExplore } from './conformance/explore.ts';
import { defineInit } from './conformance/init.ts';
import { defineList } from './conformance/list.ts';
import { defineReceiver } from './conformance/receiver.ts';
import { defineReplay } from './conformance/replay.ts';
import { defineRun } from './conformance/run.ts';
import { execCommand } from './sandbox/exec.ts';
import { infoCommand } from './sandbox/info.ts';
import {
  asyncapiCommand,
  deviationsCommand,
  openapiCommand,
  questionsCommand,
} from './sandbox/listings.ts';
import { startCommand } from './sandbox/start.ts';
import { webhooksCommand } from './webhooks/webhooks.ts';

const help = suite('help');

const judges = {
  run: defineRun,
  compare: defineCompare,
  list: defineList,
  explain: defineExplain,
  init: defineInit,
  replay: defineReplay,
  explore: defineExplore,
  receiver: defineReceiver,
  client: defineClient,
};

function programs(): Record<'sandbox' | 'conformance', Command> {
  const sandbox = new Command('sandbox');
  const made = [startCommand(), infoCommand(), execCommand(), questionsCommand()];
  made.push(deviationsCommand());
  const documents = [openapiCommand(), asyncapiCommand()];
  for (const each of [...made, ...documents, webhooksCommand()]) sandbox.addCommand(each);
  const conformance = new Command('conformance');
  for (const [name, define] of Object.entries(judges)) define(conformance.command(name));
  return { sandbox, conformance };
}

/** A command with all that stand below it. */
function* withBelow(command: Command): Generator<Command> {
  yield command;
  for (const each of command.commands) yield* withBelow(each);
}

function helpOf(command: Command, columns: number): string {
  let said = '';
  command.configureOutput({
    getOutHelpWidth: () => columns,
    writeOut: (text) => {
      said += text;
    },
  });
  command.outputHelp();
  return said;
}

for (const [name, program] of Object.entries(programs())) {
  const all = program.commands.flatMap((command) => [...withBelow(command)]);

  help(`${name}: every verb of the program is looked at`, () => {
    const main = readFileSync(join(root, `bin/${name}.main.ts`), 'utf8');
    const named = [...main.matchAll(/^ +\{? ?name: '(\w+)',/gm)].map(([, verb = '']) => verb);
    assert.equal(named.toSorted(), program.commands.map((each) => each.name()).toSorted());
  });

  for (const command of all) {
    help(`${name} ${command.name()}: fits 80 columns and shows an example`, () => {
      const text = helpOf(command, 80);
      for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
      const examples = text.split(/^Examples?:$/m)[1] ?? '';
      assert.match(examples, new RegExp(`^  (?:\\w+=\\S+ )?npx ${name} `, 'm'));
      assert.not.match(text, '\\n');
    });
  }

  help(`${name}: its examples name commands and options that there are`, () => {
    const known = new Map(all.map((command) => [command.name(), command]));
    const lines = all.flatMap((command) => exampleLines(helpOf(command, 80)));
    for (const line of lines.filter((each) => each.includes(`npx ${name} `))) {
      const words = line.split(' -- ')[0]?.split(/\s+/) ?? [];
      const verbs = words.filter((word) => known.has(word));
      const command = known.get(verbs.at(-1) ?? '');
      assert.ok(command, line);
      const options = command.options.map(({ long }) => long);
      for (const word of words.filter((each) => each.startsWith('--'))) {
        assert.ok([...options, '--help'].includes(word), line);
      }
    }
  });
}

/** Each example in one line. */
function exampleLines(text: string): string[] {
  const after = text.split(/^Examples?:$/m)[1]?.split(/^\S/m)[0] ?? '';
  return after
    .replaceAll(/ \\\n\s+/g, ' ')
    .split('\n')
    .filter(Boolean);
}

help('every verb of sandbox answers wrong usage with exit code 2', async () => {
  const { exit } = process;
  const codes: Record<string, unknown> = {};
  for (const command of programs().sandbox.commands) {
    process.exit = (code) => {
      codes[command.name()] = code;
      throw new Error('ended');
    };
    command.configureOutput({ writeErr: () => undefined });
    await command.parseAsync(['--no-such-option'], { from: 'user' }).catch(() => undefined);
    process.exit = exit;
  }
  for (const [name, code] of Object.entries(codes)) assert.is(code, 2, name);
  assert.is(Object.keys(codes).length, programs().sandbox.commands.length);
});

help('a wide terminal is used, and paragraphs stay readable', () => {
  const { conformance } = programs();
  const [run] = conformance.commands;
  const lines = helpOf(run as Command, 200).split('\n');
  const words = lines.find((line) => line.startsWith('A target with a control plane')) ?? '';
  assert.ok(words.length > 80 && words.length <= 100, words);
});

help.run();
