// Runs the commands that only print: questions, deviations and the description, as lines and as
// JSON.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { questions } from '../../../fixtures/questions.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { deviations } from '../../../simulator/deviations/register.ts';
import { runCommand } from '../conformance/testing/run-judge.ts';
import { defineDeviations, defineOpenapi, defineQuestions } from './listings.ts';

const listings = suite('listing commands');

const printed = async (define: typeof defineOpenapi, ...words: string[]) =>
  (await runCommand(define, {}, {}, words)).out;

listings('questions: each with its choice and settings', async () => {
  const json = JSON.parse(await printed(defineQuestions, '--json')) as {
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
  const lines = await printed(defineQuestions);
  for (const { id } of questions) assert.match(lines, new RegExp(`^${id} `, 'm'));
  const only = JSON.parse(await printed(defineQuestions, 'ns-9', '--json')) as typeof json;
  assert.equal(
    only.questions,
    json.questions.filter(({ id }) => id === 'NS-9'),
  );
});

listings('deviations: all of them, and --rule narrows', async () => {
  const json = JSON.parse(await printed(defineDeviations, '--json')) as {
    deviations: { id: string; breaks: string[] }[];
  };
  assert.equal(
    json.deviations.map(({ id }) => id),
    deviations.map(({ id }) => id),
  );
  const narrowed = await printed(defineDeviations, '--rule', 'IDEM-4b', '--json');
  for (const { breaks } of (JSON.parse(narrowed) as typeof json).deviations) {
    assert.ok(breaks.includes('IDEM-4b'));
  }
  assert.match(await printed(defineDeviations), /\d+ deviations\. Use: sandbox start --deviate ID/);
});

listings('openapi: the document for the server in --base-url', async () => {
  const text = await printed(defineOpenapi, '--base-url', 'https://api.example.com/');
  const { openapi, servers } = JSON.parse(text);
  assert.match(openapi, /^3\.1/);
  assert.match(servers[0].url, /^https:\/\/api\.example\.com.*(?<!\/)$/);
});

listings.run();
