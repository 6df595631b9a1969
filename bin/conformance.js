#!/usr/bin/env node
// Loads the built `conformance` program, and says what to do where it cannot run.
const { loadProgram } = await import('./load-program.js');
await loadProgram('conformance');
