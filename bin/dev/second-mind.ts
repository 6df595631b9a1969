// `tsx bin/dev/second-mind.ts`: serves the second mind, whole or broken in ways that are named.
import { parseArgs } from 'node:util';
import { serve } from '../e2e/testing/second-mind/serve.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    style: { type: 'string', default: 'plain' },
    defect: { type: 'string', multiple: true, default: [] },
    'no-control': { type: 'boolean', default: false },
  },
});

const { style } = values;
if (style !== 'plain' && style !== 'other') {
  console.error('--style is plain or other');
  process.exit(2);
}
const served = await serve({
  port: Number(values.port),
  style,
  hasControl: !values['no-control'],
});
const ready = { event: 'ready', pid: process.pid, base_url: served.baseUrl, style };
console.log(JSON.stringify({ ...ready, defects: values.defect }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void served.close().then(() => process.exit(0)));
}
