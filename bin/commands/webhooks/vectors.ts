// `sandbox webhooks vectors`: deliveries with the verdict that a right receiver comes to, as JSON,
// for tests in any language.
import type { Command } from 'commander';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import type { CommandIo } from '../command-io.ts';
import { addHelp, type HelpText } from '../help-text.ts';

const help: HelpText = {
  words: [
    'Each has a clock (now_ms), the secrets that are accepted, the header, the bytes of the body in base64, and the verdict with its reason. In JavaScript the same file can be imported from the package: trading-platform-sandbox/webhook-vectors.json.',
  ],
  examples: ['npx sandbox webhooks vectors > vectors.json'],
};

export function addVectors(parent: Command, io: CommandIo): void {
  const command = parent
    .command('vectors')
    .description('print signed deliveries with their verdicts, to test a receiver in any language')
    .option('--json', 'JSON, which it is in any case');
  addHelp(command, help).action(() => {
    for (const line of JSON.stringify(published, null, 2).split('\n')) io.out(line);
    io.finish(0);
  });
}
