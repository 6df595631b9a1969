// What others say of the package's doors, and how CommonJS comes in by them: by require() where
// Node can load a module so, and under Jest as Jest's own guide has it.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, nodeIn, nodes, run } from './consumer.ts';

const required = `
const { createSandbox } = require('trading-platform-sandbox');
const { verifyWebhook } = require('trading-platform-sandbox/webhooks');
createSandbox({ clock: 'frozen' }).then(async (sandbox) => {
  console.log(typeof verifyWebhook, sandbox.credential('firm').name);
  await sandbox.close();
});
`;

const jestTest = `
import { createSandbox } from 'trading-platform-sandbox';
test('a sandbox in a test', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  expect(sandbox.credential('firm').name).toBe('firm');
  await sandbox.close();
});
`;
const jestCommonJs = jestTest.replace(/import (.*) from (.*);/, 'const $1 = require($2);');

export async function* closeDoors(folder: string): AsyncGenerator<Check> {
  const program = (path: string) => join(folder, 'node_modules', path);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const lint = await run(process.execPath, [program('publint/src/cli.js'), archive], folder);
  yield check('publint', lint.code === 0 && lint.said.includes('All good'), lint.said);
  const attw = [program('@arethetypeswrong/cli/dist/index.js'), archive, '--profile', 'esm-only'];
  const types = await run(process.execPath, attw, folder);
  yield check('are the types wrong', types.code === 0, types.said);

  writeFileSync(join(folder, 'required.cjs'), required);
  for (const name of Object.keys(nodes).filter((each) => each !== 'node-18')) {
    const { code, said } = await run(nodeIn(folder, name), ['required.cjs'], folder);
    // Node 20 and 22 add a warning that this is an experiment of theirs.
    yield check(`require() on ${name}`, code === 0 && said.includes('function firm\n'), said);
  }
  yield* underJest(folder, program('jest/bin/jest.js'));
}

async function* underJest(folder: string, jest: string): AsyncGenerator<Check> {
  const project = join(folder, 'jest');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  writeFileSync(join(project, 'jest.config.json'), '{"testMatch":["**/*.test.*js"]}');
  writeFileSync(join(project, 'module.test.mjs'), jestTest);
  writeFileSync(join(project, 'common.test.cjs'), jestCommonJs);
  const modules = ['--experimental-vm-modules', jest];
  const asModule = await run(process.execPath, [...modules, 'module.test'], project);
  yield check('Jest, a test that is a module', asModule.code === 0, asModule.said);
  const asCommonJs = await run(process.execPath, [jest, 'common.test'], project);
  // Where its require() cannot load a module, Jest says so and names the ways out.
  const told =
    asCommonJs.code === 0 || /Must use import|ES Module|ESM syntax/.test(asCommonJs.said);
  yield check('Jest, CommonJS: it works, or says what to do', told, asCommonJs.said);
}

function check(what: string, holds: boolean, said: string): Check {
  return { what, problem: holds ? null : said };
}
