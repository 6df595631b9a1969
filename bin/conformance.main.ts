// The `conformance` program.
import { runProgram } from './commands/program.ts';

await runProgram({
  name: 'conformance',
  words: 'Judges any implementation of the trading platform API, rule by rule.',
  verbs: [
    {
      name: 'run',
      words: 'try every rule on a target and report',
      load: async () => (await import('./commands/conformance/run.ts')).defineRun,
    },
    {
      name: 'list',
      words: 'list rules, scenarios and what they need',
      load: async () => (await import('./commands/conformance/list.ts')).defineList,
    },
    {
      name: 'explain',
      words: 'explain a rule, scenario, open question or profile field, and what is sent',
      load: async () => (await import('./commands/conformance/explain.ts')).defineExplain,
    },
    {
      name: 'init',
      words: 'write a profile to fill in for a target without a control plane',
      load: async () => (await import('./commands/conformance/init.ts')).defineInit,
    },
    {
      name: 'replay',
      words: 'print the requests of a scenario in a JSON report as a runnable script',
      load: async () => (await import('./commands/conformance/replay.ts')).defineReplay,
    },
    {
      name: 'compare',
      words: 'compare two JSON reports: what is new, gone and changed',
      load: async () => (await import('./commands/conformance/compare.ts')).defineCompare,
    },
    {
      name: 'explore',
      words: 'draw calls that no scenario names, and compare the target with a model',
      load: async () => (await import('./commands/conformance/explore.ts')).defineExplore,
    },
    {
      name: 'receiver',
      words: 'test the signature check of a webhook receiver',
      load: async () => (await import('./commands/conformance/receiver.ts')).defineReceiver,
    },
    {
      name: 'client',
      words: 'judge an API client by its own test or example',
      load: async () => (await import('./commands/conformance/client.ts')).defineClient,
    },
  ],
  examples: [
    'npx sandbox start                            # in another terminal',
    'npx conformance run --base-url http://127.0.0.1:7420',
    'npx conformance run --profile staging.json --report html=report.html',
    'npx conformance explain IDEM-4b',
    'npx conformance client -- node my-example.js',
  ],
});
