// `tsx bin/dev/second-mind.ts`: serves the second mind, whole or broken in ways that are named.
//   --port N             0 (the default) picks a free one
//   --style S            plain (the default) or other
//   --defect ID          breaks it in this way; repeatable
//   --list               prints the defects as JSON, and ends
//   --no-control         serves no control plane
//   --profile FILE       writes a profile for a judge without a control plane
//   --receiver-port N    where that profile listens for deliveries (9071)
import { writeFileSync } from 'node:fs';
import { defectIdOf, defects } from '../e2e/testing/second-mind/defects.ts';
import { profileOf } from '../e2e/testing/second-mind/server/profile.ts';
import { serve } from '../e2e/testing/second-mind/server/serve.ts';
import { readArgs, refuse } from './read-args.ts';

const { values } = readArgs(import.meta.url, {
  options: {
    port: { type: 'string', default: '0' },
    style: { type: 'string', default: 'plain' },
    defect: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    'no-control': { type: 'boolean', default: false },
    profile: { type: 'string' },
    'receiver-port': { type: 'string', default: '9071' },
  },
});

async function serveMind(): Promise<void> {
  const { style } = values;
  if (style !== 'plain' && style !== 'other') refuse(import.meta.url, '--style is plain or other');
  const broken = values.defect.map(
    (id) =>
      defectIdOf(id) ??
      refuse(import.meta.url, `--defect ${id} is not known, --list shows which are`),
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
}

// Printed by the console, a long list comes whole through a pipe as well.
if (values.list) console.log(JSON.stringify(defects, null, 2));
else await serveMind();
