// Reads a JSON file written by a user, and describes in one line what is wrong with it.
import { readFileSync, statSync } from 'node:fs';
import { readJson } from '../host/bodies/json.ts';
import { unreadableWords } from '../host/storage/private-file.ts';

export type ReadJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** `shown` is the file's name as the user gave it. */
export function readJsonFile(path: string, shown: string): ReadJson {
  let text: string;
  try {
    if (isDevice(path)) return { problem: `${shown}: is a device, and no file` };
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { problem: `${shown}: ${unreadableWords(error)}` };
  }
  const read = readJson(text.replace(/^\uFEFF/, ''));
  return 'problem' in read ? { problem: `${shown}: ${read.problem}` } : read;
}

/** A device such as /dev/zero has no end; a pipe is read, because shells pass pipes. */
function isDevice(path: string): boolean {
  const found = statSync(path);
  return found.isCharacterDevice() || found.isBlockDevice();
}
