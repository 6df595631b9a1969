// `conformance run`: what it offers on the command line.
import { type Command, Option } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';
import { FORMAT_NAMES, type Given, readRunOptions } from './run-options.ts';

const help = `
A target with a control plane, such as the sandbox, needs nothing else: the runner makes all it
needs in a world of its own. For any other give --profile (see: conformance init) or, to begin
with, one token:
  TOKEN=… conformance run --base-url https://api.example.com --token-env TOKEN

GLOB is matched against the ids of rules and scenarios: --only 'IDEM-*' 'bulk-*'
Secrets never stand on the command line, where others can read them.`;

export function defineRun(command: Command): void {
  command
    .option('--base-url <url>', 'where the API is served, without /api/v1')
    .option('--control-url <url|none>', 'its control plane; BASE_URL/_sandbox if that answers')
    .option('--control-token-env <name>', 'variable with the bearer token of the control plane')
    .option('--profile <file>', 'credentials, seeds, plan and receiver of the target')
    .option('--token-env <name>', 'variable with the one token to begin with')
    .addOption(new Option('--token <env:name>').hideHelp())
    .option('--brand-id <id>', 'a brand of that token’s firm; found by itself if bound to one')
    .option('--only <glob...>', 'rules or scenarios to try')
    .option('--skip <glob...>', 'rules or scenarios to leave out')
    .option('--seed <n>', 'decides the order of the scenarios', '1')
    .option('--max-rate <n>', 'at most so many requests a second, whatever the plan allows')
    .option('--timeout-s <n>', 'how long to wait for one answer', '30')
    .option('--report <format=file>', `write a report: ${FORMAT_NAMES.join(', ')}; repeatable`, add)
    .option('--json', 'the JSON report on standard output in place of the text')
    .option('--baseline <file>', 'deviations that are known, with reason and expiry')
    .option('--update-baseline', 'write the deviations of this run into the baseline')
    .option('--allow-incomplete', 'exit with 0 although not everything could be tried')
    .option('--strict', 'advice and known deviations count as deviations')
    .option('--observed <file>', 'write what is open as a sandbox.config.json like the target')
    .addHelpText('after', help)
    .action(async () => {
      const io = systemJudgeIo(manifest.version);
      process.exitCode = await runFromArguments(command, io);
    });
}

const add = (value: string, all: readonly string[] = []) => [...all, value];

async function runFromArguments(command: Command, io: JudgeIo): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => {
    // A second one does not wait for the target to be left tidy.
    if (stop.signal.aborted) process.exit(130);
    io.err('\nInterrupted: leaving the target tidy; once more to end at once.\n');
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    const options = readRunOptions(command.opts<Given>(), io.env);
    const { judgeTarget } = await import('./judge-target.ts');
    return await judgeTarget(options, io, stop.signal);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`error: ${error.message}\n`);
      return 2;
    }
    // Node's own code for what nobody catches is 1, which here means that a target deviates.
    io.err(`the judge failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    return 5;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
