// The `sandbox` program.
import { runProgram } from './commands/program.ts';

await runProgram({
  name: 'sandbox',
  words: 'A local simulator of the trading platform API.',
  verbs: [
    {
      name: 'start',
      words: 'serve the API, its control plane and its documents',
      load: async () => (await import('./commands/sandbox/start.ts')).defineStart,
    },
    {
      name: 'info',
      words: 'print the addresses and credentials of a running sandbox',
      load: async () => (await import('./commands/sandbox/info.ts')).defineInfo,
    },
    {
      name: 'exec',
      words: 'start on a free port, run a command against it, end with its exit code',
      load: async () => (await import('./commands/sandbox/exec.ts')).defineExec,
    },
    {
      name: 'questions',
      words: 'list what the specification leaves open, with the setting for each',
      load: async () => (await import('./commands/sandbox/listings.ts')).defineQuestions,
    },
    {
      name: 'deviations',
      words: 'list the wrong behaviours for --deviate, which make your own checks fail',
      load: async () => (await import('./commands/sandbox/listings.ts')).defineDeviations,
    },
    {
      name: 'openapi',
      words: 'print the OpenAPI 3.1 document of the API and its events',
      load: async () => (await import('./commands/sandbox/listings.ts')).defineOpenapi,
    },
    {
      name: 'webhooks',
      words: 'send, receive and verify signed deliveries',
      load: async () => (await import('./commands/webhooks/webhooks.ts')).defineWebhooks,
    },
  ],
  examples: ['npx sandbox start --open', 'npx sandbox exec -- npm test'],
});
