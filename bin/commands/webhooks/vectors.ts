// `sandbox webhooks vectors`: deliveries with the verdict that a right receiver comes to, as JSON,
// for tests in any language.
import type { Command } from 'commander';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import type { CommandIo } from '../command-io.ts';

const afterHelp = `
Each has a clock (now_ms), the secrets that are accepted, the header, the body's bytes in base64,
and the verdict with its reason. In JavaScript the same file can be imported from the package:
trading-platform-sandbox/webhook-vectors.json.

Example:
  sandbox webhooks vectors > vectors.json`;

export function addVectors(parent: Command, io: CommandIo): void {
  parent
    .command('vectors')
    .description('print signed deliveries with their verdicts, to test a receiver in any language')
    .option('--json', 'JSON, which it is in any case')
    .addHelpText('after', afterHelp)
    .action(() => {
      for (const line of JSON.stringify(published, null, 2).split('\n')) io.out(line);
      io.finish(0);
    });
}
