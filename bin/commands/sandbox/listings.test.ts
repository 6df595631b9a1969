// Runs the commands that only print: questions, deviations and the description, as lines and as
// JSON.
import type { Command } from 'commander';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { questions } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { deviationsCommand } from './deviations.ts';
import { asyncapiCommand, openapiCommand } from './openapi.ts';
import { questionsCommand } from './questions.ts';

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

listings('asyncapi: the document for the server that is named', async () => {
  const text = await printed(asyncapiCommand, '--base-url', 'https://api.example.com/');
  const document = JSON.parse(text) as { asyncapi: string; servers: { platform: object } };
  assert.match(document.asyncapi, /^3\.0/);
  const { host, protocol } = document.servers.platform as Record<string, unknown>;
  assert.equal([host, protocol], ['api.example.com', 'wss']);
});

listings('openapi: the document for the server that is named', async () => {
  const text = await printed(openapiCommand, '--base-url', 'https://api.example.com/');
  const document = JSON.parse(text) as { openapi: string; servers: { url: string }[] };
  assert.match(document.openapi, /^3\.1/);
  assert.ok(document.servers[0]?.url.startsWith('https://api.example.com'));
  assert.not.ok(document.servers[0]?.url.endsWith('/'));
});

listings.run();
