// The options that say what the target is, how it is reached and how fast: those of `run` and of
// `explore`.
import type { Command } from 'commander';

/** An option that may be given several times. */
export const repeatable = (value: string, all: readonly string[] = []) => [...all, value];

export function addTargetOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'where the API is served, without /api/v1')
    .option('--control-url <url|none>', 'its control plane; BASE_URL/_sandbox if that answers')
    .option('--control-token-env <name>', 'variable with the bearer token of the control plane')
    .option('--profile <file>', 'credentials, seeds, plan and receiver of the target')
    .option('--token-env <name>', 'variable with the one token to begin with')
    .option('--brand-id <id>', 'a brand of that token’s firm; found by itself if bound to one')
    .option('--max-rate <n>', 'at most so many requests a second, whatever the plan allows')
    .option('--timeout-s <n>', 'how long to wait for one answer', '30')
    .option(
      '--header <name: value>',
      'add to each request; value or env:NAME; repeatable',
      repeatable,
    )
    .option('--ca <file>', 'trust the certificates in it too, in PEM form');
}
