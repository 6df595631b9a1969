// Runs the commands that only print: questions, deviations and the description, as lines and as
// JSON.
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { questions } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import {
  asyncapiCommand,
  deviationsCommand,
  openapiCommand,
  questionsCommand,
} from './listings.ts';

const listings = suite('listing commands');

async function printed(make: (print: (text: string) => void) => Command, ...words: string[]) {
  let text = '';
  const command = make((more) => {
    text += more;
  });
  await command.parseAsync(words, { from: 'user' });
  return text;
}

listings('questions: each with its choice and settings', async () => {
  const json = JSON.parse(await printed(questionsCommand, '--json')) as {
    questions: { id: string; settings: { name: string; default: unknown }[] }[];
  };
  assert.equal(
    json.questions.map(({ id }) => id),
    questions.map(({ id }) => id),
  );
  const named = json.questions.flatMap(({ settings }) => settings);
  for (const { name, default: value } of named) {
    assert.equal(value, defaultSettings[name as keyof typeof defaultSettings], name);
  }
  const lines = await printed(questionsCommand);
  for (const { id } of questions) assert.match(lines, new RegExp(`^${id} `, 'm'));
});

listings('deviations: each breaks rules that exist, and --rule narrows', async () => {
  const json = JSON.parse(await printed(deviationsCommand, '--json')) as {
    deviations: { id: string; breaks: string[]; story: string }[];
  };
  assert.ok(json.deviations.length > 100);
  for (const { id, breaks, story } of json.deviations) {
    assert.ok(story.length > 10, id);
    for (const rule of breaks) assert.ok(findRule(rule), `${id} breaks ${rule}`);
  }
  const narrowed = await printed(deviationsCommand, '--rule', 'IDEM-4b', '--json');
  for (const { breaks } of (JSON.parse(narrowed) as typeof json).deviations) {
    assert.ok(breaks.includes('IDEM-4b'));
  }
  assert.match(
    await printed(deviationsCommand),
    /\d+ deviations\. Use: sandbox start --deviate ID/,
  );
});

listings('openapi and asyncapi: the document for the server that is named', async () => {
  const shown = async (command: typeof openapiCommand) =>
    JSON.parse(await printed(command, '--base-url', 'https://api.example.com/'));
  const { openapi, servers } = await shown(openapiCommand);
  assert.match(openapi, /^3\.1/);
  assert.match(servers[0].url, /^https:\/\/api\.example\.com.*(?<!\/)$/);
  const { asyncapi, servers: all } = await shown(asyncapiCommand);
  assert.match(asyncapi, /^3\.0/);
  assert.equal([all.platform.host, all.platform.protocol], ['api.example.com', 'wss']);
});

listings.run();
