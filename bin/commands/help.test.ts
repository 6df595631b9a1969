// The help of every command fits a terminal of 80 columns and shows an example with existing
// options.
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
import { defineExec } from './sandbox/exec.ts';
import { defineInfo } from './sandbox/info.ts';
import { defineDeviations, defineOpenapi, defineQuestions } from './sandbox/listings.ts';
import { defineStart } from './sandbox/start.ts';
import { defineWebhooks } from './webhooks/webhooks.ts';

const help = suite('help');

const verbs: Readonly<Record<string, Readonly<Record<string, (command: Command) => void>>>> = {
  conformance: {
    run: defineRun,
    compare: defineCompare,
    list: defineList,
    explain: defineExplain,
    init: defineInit,
    replay: defineReplay,
    explore: defineExplore,
    receiver: defineReceiver,
    client: defineClient,
  },
  sandbox: {
    start: defineStart,
    info: defineInfo,
    exec: defineExec,
    questions: defineQuestions,
    deviations: defineDeviations,
    openapi: defineOpenapi,
    webhooks: defineWebhooks,
  },
};

const programs = Object.entries(verbs).map(([program, own]) => {
  const command = new Command(program);
  for (const [name, define] of Object.entries(own)) define(command.command(name));
  return command;
});

/** A command with all of its subcommands. */
function* withBelow(command: Command): Generator<Command> {
  yield command;
  for (const each of command.commands) yield* withBelow(each);
}

function helpOf(command: Command): string {
  let output = '';
  command.configureOutput({
    getOutHelpWidth: () => 80,
    writeOut: (text) => {
      output += text;
    },
  });
  command.outputHelp();
  return output;
}

for (const program of programs) {
  const name = program.name();
  const all = program.commands.flatMap((command) => [...withBelow(command)]);

  help(`${name}: every verb of the program is checked`, () => {
    const main = readFileSync(join(root, `bin/${name}.main.ts`), 'utf8');
    const named = [...main.matchAll(/^ {6}name: '(\w+)',/gm)].map(([, verb = '']) => verb);
    assert.equal(named.toSorted(), program.commands.map((each) => each.name()).toSorted());
  });

  for (const command of all) {
    help(`${name} ${command.name()}: fits 80 columns and shows an example`, () => {
      const text = helpOf(command);
      for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
      const examples = text.split(/^Examples?:$/m)[1] ?? '';
      assert.match(examples, new RegExp(`^  (?:\\w+=\\S+ )?npx ${name} `, 'm'));
      assert.not.match(text, '\\n');
    });
  }

  help(`${name}: its examples name existing commands and options`, () => {
    const known = new Map(all.map((command) => [command.name(), command]));
    const lines = all.flatMap((command) => exampleLines(helpOf(command)));
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

/** Each example as one line. */
function exampleLines(text: string): string[] {
  const after = text.split(/^Examples?:$/m)[1]?.split(/^\S/m)[0] ?? '';
  return after
    .replaceAll(/ \\\n\s+/g, ' ')
    .split('\n')
    .filter(Boolean);
}

help.run();
