// The licences of the bundled packages, written next to the bundle: each package that has a file in it,
// with its own licence text.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** `inputs` are the paths of all files in the bundle. Throws if a package has no licence. */
export function writeNotices(out: string, inputs: readonly string[]): void {
  // Matches nested packages too, with or without a scope; none of our own files.
  const inPackage = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  const folders = new Set(inputs.flatMap((path) => inPackage.exec(path)?.[1] ?? []));
  const notices = [...folders].sort().map(noticeOf);
  const opening =
    'This package contains code of the packages below, each under its own licence.\n\n';
  writeFileSync(join(out, 'NOTICES.txt'), opening + notices.join('\n'));
  const ownLicense = readFileSync(join(import.meta.dirname, 'LICENSE.txt'), 'utf8');
  const { name = '' } = manifestIn(root);
  writeFileSync(join(out, 'LICENSE.txt'), ownLicense.replace('NAME', name));
}

function noticeOf(folder: string): string {
  const place = join(root, folder);
  const { name, version, license } = manifestIn(place);
  if (!name || !version || !license) throw new Error(`${folder} says no name, version or licence`);
  const file = readdirSync(place).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text =
    file === undefined
      ? `Its package has no text of the licence; it is under the ${license} licence.`
      : readFileSync(join(place, file), 'utf8').trim();
  const line = '='.repeat(80);
  return `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`;
}

function manifestIn(folder: string): Readonly<Record<string, string | undefined>> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
