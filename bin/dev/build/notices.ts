// The licences of what is bundled, written beside it: each package that has a file in the bundle,
// with the text that it came with.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** `inputs` are the paths of everything in the bundle. Throws where a package has no licence. */
export function writeNotices(out: string, inputs: readonly string[]): void {
  const folders = new Set(inputs.flatMap((path) => packageFolderOf(path) ?? []));
  const bundled = [...folders].sort().map(readPackage);
  const parts = bundled.map(
    ({ name, version, license, text }) =>
      `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n\n${text.trim()}\n`,
  );
  const opening =
    'This package contains code of the packages below, each under its own licence.\n\n';
  writeFileSync(join(out, 'NOTICES.txt'), opening + parts.join('\n'));
  writeFileSync(join(out, 'LICENSE.txt'), ownLicense());
}

/** `node_modules/name` or `node_modules/@scope/name`, nested ones too; null for our own files. */
function packageFolderOf(path: string): string | null {
  const at = path.lastIndexOf('node_modules/');
  if (at < 0) return null;
  const [first = '', second = ''] = path.slice(at + 'node_modules/'.length).split('/');
  return path.slice(0, at) + join('node_modules', first, first.startsWith('@') ? second : '');
}

function readPackage(folder: string): Bundled {
  const place = join(root, folder.replace(/\/$/, ''));
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const { name, version, license } = manifest as Record<string, string | undefined>;
  if (!name || !version || !license) throw new Error(`${folder} says no name, version or licence`);
  const file = readdirSync(place).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text =
    file !== undefined && existsSync(join(place, file))
      ? readFileSync(join(place, file), 'utf8')
      : `Its package has no text of the licence; it is under the ${license} licence.`;
  return { name, version, license, text };
}

function ownLicense(): string {
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { name: string };
  return `MIT License

Copyright (c) the authors of ${name}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
}
