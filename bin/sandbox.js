#!/usr/bin/env node
// Loads the built `sandbox` program, and says what to do where it cannot run.
const { loadProgram } = await import('./load-program.js');
await loadProgram('sandbox');
