// `sandbox webhooks …`: the commands for people who write or run a webhook receiver.
import { Command } from 'commander';
import { type CommandIo, systemIo, usageExit } from '../command-io.ts';
import { addListen } from './listen.ts';
import { addSend } from './send.ts';
import { addVerify } from './verify.ts';

/**
 * The `webhooks` command with its three verbs, ready for `program.addCommand`. Wrong usage ends
 * with exit code 2, as it does everywhere in `sandbox`.
 */
export function webhooksCommand(io: CommandIo = systemIo): Command {
  const command = new Command('webhooks')
    .description('send, receive and verify signed deliveries')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text),
    })
    .showHelpAfterError('(add --help for the options)')
    // Commander's own code for wrong usage is 1, which here means "not verified".
    .exitOverride(({ exitCode }) => io.exit(exitCode === 1 ? usageExit : exitCode));
  // The verbs inherit the settings above, so they are added last.
  for (const add of [addSend, addListen, addVerify]) add(command, io);
  return command;
}
