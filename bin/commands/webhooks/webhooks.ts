// `sandbox webhooks …`: the commands for people who write or run a webhook receiver.
import { Command } from 'commander';
import published from '../../../fixtures/vectors/webhook-vectors.json' with { type: 'json' };
import { type CommandIo, systemIo, usageExit } from '../command-io.ts';
import { addHelp } from '../help-text.ts';
import { addListen } from './listen.ts';
import { addSend } from './send.ts';
import { addVerify } from './verify.ts';

/**
 * The `webhooks` command with its verbs, ready for `program.addCommand`. Wrong usage ends
 * with exit code 2, as it does everywhere in `sandbox`.
 */
export function webhooksCommand(io: CommandIo = systemIo): Command {
  const command = new Command('webhooks')
    .description('send, receive and verify signed deliveries')
    .configureOutput({
      // Help comes as one text; a line end inside a line would be spelt out.
      writeOut: (text) => {
        for (const line of text.trimEnd().split('\n')) io.out(line);
      },
      writeErr: (text) => io.err(text),
    })
    .showHelpAfterError('(add --help for the options)')
    // Commander's own code for wrong usage is 1, which here means "not verified".
    .exitOverride(({ exitCode }) => io.exit(exitCode === 1 ? usageExit : exitCode));
  // The verbs inherit the settings above, so they are added last.
  for (const add of [addSend, addListen, addVerify, addVectors]) add(command, io);
  addHelp(command, {
    examples: [
      'SECRET=whsec_… npx sandbox webhooks listen --port 3000 --secret-env SECRET',
      'SECRET=whsec_… npx sandbox webhooks send http://localhost:3000/hooks \\',
      '  --secret-env SECRET',
    ],
  });
  return command;
}

/** Deliveries with the verdict that a right receiver comes to, for tests in any language. */
function addVectors(parent: Command, io: CommandIo): void {
  const command = parent
    .command('vectors')
    .description('print signed deliveries with their verdicts, to test a receiver in any language')
    .option('--json', 'JSON, which it is in any case');
  addHelp(command, {
    words: [
      'Each has a clock (now_ms), the secrets that are accepted, the header, the bytes of the body in base64, and the verdict with its reason. In JavaScript the same file can be imported from the package: trading-platform-sandbox/webhook-vectors.json.',
    ],
    examples: ['npx sandbox webhooks vectors > vectors.json'],
  });
  command.action(() => {
    for (const line of JSON.stringify(published, null, 2).split('\n')) io.out(line);
    io.finish(0);
  });
}
