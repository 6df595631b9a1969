// `sandbox exec -- COMMAND…`: runs a sandbox for one command, and exits with the command's code.
import { constants } from 'node:os';
import type { Command } from 'commander';
import spawn from 'cross-spawn';
import { controlOf } from '../../../simulator/compose/control-methods.ts';
import { type CommandVariables, findVariables, variableNames } from '../command-variables.ts';
import { signalsBeside } from '../end-signals.ts';
import { addHelp, type HelpText } from '../help-text.ts';
import { addCommandArgument } from '../options.ts';
import { warn } from '../terminal.ts';
import {
  addCoverageOptions,
  readCoverageOptions,
  reportCoverage,
} from './coverage/write-coverage.ts';
import { printConfigNote, type Served, serveSandbox } from './start.ts';
import { addServingOptions, readStartOptions } from './start-options.ts';

/** A shell's exit code if a command does not exist or cannot be run. */
const notFound = 127;
const notRunnable = 126;

const help: HelpText = {
  words: [
    `The command finds in its environment SANDBOX_BASE_URL, SANDBOX_CONTROL_URL and, of the firm-wide credential and its first brand, ${variableNames.join(', ')}.`,
    'SANDBOX_TOKEN is valid for every brand of its firm, so a create has to name SANDBOX_BRAND_ID as its brand_id.',
  ],
  examples: [
    'npx sandbox exec -- npm test',
    'npx sandbox exec --clock frozen --plan pro -- pytest tests',
    'npx sandbox exec --coverage --coverage-min 60 -- npm test',
  ],
};

export function defineExec(command: Command): void {
  addHelp(addCommandArgument(command, 'sandbox exec'), help);
  // A named port is used; otherwise any free one.
  addCoverageOptions(addServingOptions(command, 0)).action(async (words: readonly string[]) => {
    const coverage = readCoverageOptions(command);
    const options = await readStartOptions(command);
    printConfigNote(options);
    const served = await serveSandbox(options);
    const { controlToken: token } = options.sandbox;
    // Loaded here, because `sandbox start` does not need the rows.
    const plane = await served.plane.load();
    const control = controlOf({ name: null, plane, token, isClosed: () => false });
    const code = await run(words, served, await findVariables(control), token);
    const met = coverage && (await control.getCoverage({ of: 'all' }));
    const exitCode = coverage && met ? await reportCoverage(coverage, met) : 0;
    await served.close();
    if (served.sandbox.first.stateTrouble !== null && code === 0) process.exit(1);
    process.exit(code === 0 ? exitCode : code);
  });
}

function run(
  command: readonly string[],
  { ready }: Served,
  variables: CommandVariables,
  controlToken: string | undefined,
): Promise<number> {
  // A terminal sends Ctrl-C to the command as well: once is enough, because many programs take a
  // second one as an order to stop immediately. The command decides when it ends.
  const { heardByBoth, handedOn } = signalsBeside(process.platform);
  for (const signal of heardByBoth) process.on(signal, () => undefined);
  // Variables of an outer sandbox must not be mistaken for this one's.
  const inherited = { ...process.env };
  for (const variable of variableNames) delete inherited[variable];
  const [name = '', ...words] = command;
  const child = spawn(name, words, {
    stdio: 'inherit',
    env: {
      ...inherited,
      SANDBOX_BASE_URL: ready.base_url,
      SANDBOX_CONTROL_URL: ready.control_url,
      ...variables,
      ...(controlToken === undefined ? {} : { SANDBOX_CONTROL_TOKEN: controlToken }),
    },
  });
  for (const signal of handedOn) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such command' : error.code;
      warn(`${name} cannot be run: ${why ?? error.message}`);
      resolve(error.code === 'ENOENT' ? notFound : notRunnable);
    });
    // As a shell reports a signal.
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']),
    );
  });
}
