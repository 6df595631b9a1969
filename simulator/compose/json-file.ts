// Reads a JSON file that a person wrote, and says in one line what is wrong with it.
import { readFileSync } from 'node:fs';

export type ReadJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** `shown` is the file's name as the person gave it. */
export function readJsonFile(path: string, shown: string): ReadJson {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { problem: `${shown}: cannot be read (${code})` };
  }
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: `${shown}: is not JSON: ${error.message}` };
  }
}
