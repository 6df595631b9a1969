// Runs test files one after another in this process; the test command names each and gets its result.
import { pathToFileURL } from 'node:url';

export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** uvu's output about the failed tests. */
  readonly problem: string;
}

/** What uvu queues for a suite: [errors or true, passed, skipped, total]. */
type RunSuite = () => Promise<readonly [string | true, number, number, number]>;

// uvu reads both globals: whether to wait for its own command, and the queued suites.
const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: RunSuite[][] };
uvu.UVU_DEFER = 1;

async function runFile(file: string): Promise<FileResult> {
  const suites: RunSuite[] = [];
  uvu.UVU_QUEUE = [suites];
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  let problem = '';
  try {
    await import(pathToFileURL(file).href);
    if (suites.length === 0) throw new Error('no test ran: does every suite end in .run()?');
    for (const run of suites) {
      const [errors, suitePassed, suiteSkipped, suiteTotal] = await run();
      passed += suitePassed;
      failed += suiteTotal - suitePassed;
      skipped += suiteSkipped;
      if (errors !== true) problem += errors;
    }
    if (passed + failed + skipped === 0 && !process.env.TEST_CASE) {
      throw new Error('no test ran: the suites are empty');
    }
  } catch (error) {
    failed += 1;
    problem += (error as Error)?.stack ?? String(error);
  }
  return { passed, failed, skipped, problem };
}

process.on('message', async (file: string) => {
  process.send?.(await runFile(file));
});
