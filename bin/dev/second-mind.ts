// `tsx bin/dev/second-mind.ts`: serves the second mind, whole or broken in ways that are named.
import { writeFileSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { defectIdOf, defects } from '../e2e/testing/second-mind/defects.ts';
import { profileOf } from '../e2e/testing/second-mind/server/profile.ts';
import { serve } from '../e2e/testing/second-mind/server/serve.ts';

const USAGE = `tsx bin/dev/second-mind.ts [options]
  --port N             0 (the default) picks a free one
  --style S            plain (the default) or other
  --defect ID          breaks it in this way; repeatable
  --list               prints the defects as JSON, and ends
  --no-control         serves no control plane
  --profile FILE       writes a profile for a judge without a control plane
  --receiver-port N    where that profile listens for deliveries (9071)`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    style: { type: 'string', default: 'plain' },
    defect: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    'no-control': { type: 'boolean', default: false },
    profile: { type: 'string' },
    'receiver-port': { type: 'string', default: '9071' },
    help: { type: 'boolean', default: false },
  },
});

function end(code: number, words: string): never {
  // All of it, also into a pipe that is read slowly.
  writeSync(code === 0 ? 1 : 2, `${words}\n`);
  process.exit(code);
}

if (values.help) end(0, USAGE);
if (values.list) end(0, JSON.stringify(defects, null, 2));
const { style } = values;
if (style !== 'plain' && style !== 'other') end(2, '--style is plain or other');
const broken = values.defect.map(
  (id) => defectIdOf(id) ?? end(2, `--defect ${id} is not known; --list shows those that are`),
);
const hasControl = !values['no-control'];
const served = await serve({ port: Number(values.port), style, defects: broken, hasControl });
if (values.profile !== undefined) {
  const profile = profileOf(served.mind, served.baseUrl, Number(values['receiver-port']));
  writeFileSync(values.profile, JSON.stringify(profile, null, 2));
}
const ready = { event: 'ready', pid: process.pid, base_url: served.baseUrl, style };
console.log(JSON.stringify({ ...ready, defects: broken }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void served.close().then(() => process.exit(0)));
}
