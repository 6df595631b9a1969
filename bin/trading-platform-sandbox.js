#!/usr/bin/env node
// Both programs under the package's own name, which nobody else has on the public registry:
// `trading-platform-sandbox start …` is `sandbox start …`, and `trading-platform-sandbox
// conformance run …` is `conformance run …`.
const { loadProgram } = await import('./load-program.js');
if (process.argv[2] === 'conformance') {
  process.argv.splice(2, 1);
  await loadProgram('conformance');
} else {
  await loadProgram('sandbox');
}
