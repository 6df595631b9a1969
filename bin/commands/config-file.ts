// Finds and reads the configuration file of a start, and says what is wrong with it by field.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, parseConfig } from '../../fixtures/config.ts';

const foundByItself = 'sandbox.config.json';

export type ReadConfig =
  | { readonly config: Config; readonly path: string | null; readonly problems?: undefined }
  /** Lines for a person, the file named in each. */
  | { readonly config?: undefined; readonly problems: readonly string[] };

/** The named file, else `sandbox.config.json` in `folder`, else the defaults. */
export function readConfigFile(named: string | undefined, folder: string): ReadConfig {
  const path = resolve(folder, named ?? foundByItself);
  if (named === undefined && !existsSync(path)) return { ...defaults(), path: null };
  const shown = named ?? foundByItself;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { problems: [`${shown}: cannot be read (${code})`] };
  }
  let given: unknown;
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problems: [`${shown}: is not JSON: ${error.message}`] };
  }
  const { config, problems = [] } = parseConfig(given);
  if (config) return { config, path };
  return { problems: problems.map(({ field, message }) => `${shown}: ${field} ${message}`) };
}

function defaults(): { readonly config: Config } {
  const { config } = parseConfig({});
  if (!config) throw new Error('the default configuration is not valid');
  return { config };
}
