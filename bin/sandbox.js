#!/usr/bin/env node
// Loads the built `sandbox` program, and says what to do where it has not been built.
import { existsSync } from 'node:fs';

const program = new URL('../dist/sandbox.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('sandbox: not built yet. Run "npm ci" (or "npm run build") in the project first.');
  process.exitCode = 1;
}
