// The public types under every compiler, in every way of finding modules, with the libraries
// checked: with Node's own types and msw's, and without either.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, run, typescripts } from './consumer.ts';

const use = `
import { createSandbox, type SandboxHandle } from 'trading-platform-sandbox';
import { signWebhook, verifyWebhook } from 'trading-platform-sandbox/webhooks';
const sandbox: SandboxHandle = await createSandbox({ clock: 'frozen' });
const token: string | null = sandbox.credential('firm').token;
const { header } = signWebhook({ secret: 's', body: '{}' });
const { ok } = verifyWebhook({ header, body: '{}', secret: 's' });
const { accounts } = await sandbox.control.listAccounts();
const reference: string | null = accounts[0]?.client_reference_id ?? null;
export { ok, reference, token };
// @ts-expect-error: there is no such option.
await createSandbox({ wurld: 'default' });
`;

const useOfMsw = `
import { createSandbox } from 'trading-platform-sandbox';
import { sandboxHandlers } from 'trading-platform-sandbox/msw';
import { setupServer } from 'msw/node';
const sandbox = await createSandbox({});
setupServer(...sandboxHandlers(sandbox, { baseUrl: 'https://api.example.com' })).close();
`;

const ways = { node16: 'node16', nodenext: 'nodenext', esnext: 'bundler' } as const;

export async function* compilers(folder: string): AsyncGenerator<Check> {
  const beside = projectIn(join(folder, 'beside'), { 'use.ts': use, 'msw.ts': useOfMsw });
  // Outside the folder that has the types of Node and of msw.
  const alone = projectIn(join(folder, 'alone'), { 'use.ts': use });
  const own = join(alone, 'node_modules/trading-platform-sandbox');
  cpSync(join(folder, 'node_modules/trading-platform-sandbox'), own, { recursive: true });
  for (const name of Object.keys(typescripts)) {
    const compiler = join(folder, 'node_modules', name, 'bin/tsc');
    for (const [module, moduleResolution] of Object.entries(ways)) {
      for (const [project, types] of [
        [beside, ['node']],
        [alone, []],
      ] as const) {
        const compilerOptions = {
          ...{ strict: true, noEmit: true, target: 'es2022', skipLibCheck: false, types },
          ...{ lib: ['es2022', 'dom', 'dom.iterable'], module, moduleResolution },
        };
        const config = { compilerOptions, include: ['*.ts'] };
        writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
        const { code, said } = await run(process.execPath, [compiler, '-p', '.'], project);
        const what = `TypeScript ${name.slice(3)}, ${moduleResolution}, ${
          types.length > 0 ? 'beside @types/node and msw' : 'alone'
        }`;
        yield { what, problem: code === 0 ? null : ownErrors(said) };
      }
    }
  }
}

function projectIn(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  return folder;
}

/** An old compiler may trip over what others declare, which is theirs to mend. */
function ownErrors(said: string): string | null {
  const errors = said.split('\n').filter((line) => /error TS\d+/.test(line));
  if (errors.length === 0) return said;
  const theirs = /node_modules\/(?!trading-platform-sandbox\/)/;
  const ours = errors.filter((line) => !theirs.test(line));
  return ours.length === 0 ? null : ours.join('\n');
}
