// `sandbox webhooks …`: the commands for people who write or run a webhook receiver.
import type { Command } from 'commander';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import { addHelp } from '../help-text.ts';
import { type CommandIo, systemIo } from '../io.ts';
import { addListen } from './listen.ts';
import { addSend } from './send.ts';
import { addVerify } from './verify.ts';

export function defineWebhooks(command: Command, io: CommandIo = systemIo()): void {
  for (const add of [addSend, addListen, addVerify, addVectors]) add(command, io);
  addHelp(command, {
    examples: [
      'SECRET=whsec_… npx sandbox webhooks listen --port 3000 --secret-env SECRET',
      'SECRET=whsec_… npx sandbox webhooks send http://localhost:3000/hooks \\',
      '  --secret-env SECRET',
    ],
  });
}

/** Deliveries with the verdict of a correct receiver, for tests in any language. */
function addVectors(parent: Command, io: CommandIo): void {
  const command = parent
    .command('vectors')
    .description('print signed deliveries with their verdicts, to test a receiver in any language')
    .option('--json', 'print JSON (the default)');
  addHelp(command, {
    words: [
      'Each has a clock (now_ms), the secrets that are accepted, the header, the bytes of the body in base64, and the verdict with its reason. In JavaScript the same file can be imported from the package: trading-platform-sandbox/webhook-vectors.json.',
    ],
    examples: ['npx sandbox webhooks vectors > vectors.json'],
  });
  command.action(() => {
    io.out(`${jsonText(published, 2)}\n`);
  });
}
