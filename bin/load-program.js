// Loads a built program, or says in one sentence why it cannot run: Node too old, or not built.
import { existsSync } from 'node:fs';

/** The first Node that can run it. */
const needed = [20, 19];

/** @param {string} name */
export async function loadProgram(name) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
    console.error(`${name}: needs Node ${needed.join('.')} or newer; this is ${process.version}.`);
    process.exitCode = 2;
    return;
  }
  const program = new URL(`../dist/${name}.js`, import.meta.url);
  if (existsSync(program)) {
    await import(program.href);
    return;
  }
  console.error(`${name}: not built yet. Run "npm ci" (or "npm run build") in the project first.`);
  process.exitCode = 1;
}
