// `tsx bin/dev/witness.ts`: serves the witness, honest or with traits and defects that are named.
//   --port N             0 (the default) picks a free one
//   --style S            plain (the default) or other
//   --trait ID           gives it this trait; repeatable
//   --defect ID          breaks it in this way; repeatable
//   --list               prints traits and defects as JSON, and ends
//   --no-control         serves no control plane
//   --profile FILE       writes a profile for a judge without a control plane
//   --receiver-port N    where that profile listens for deliveries (9071)
import { writeFileSync } from 'node:fs';
import { defects } from '../e2e/testing/witness/defects.ts';
import { startWitness } from '../e2e/testing/witness/start.ts';
import { traits } from '../e2e/testing/witness/traits.ts';
import { readArgs, refuse } from './read-args.ts';

const { values } = readArgs(import.meta.url, {
  options: {
    port: { type: 'string', default: '0' },
    style: { type: 'string', default: 'plain' },
    trait: { type: 'string', multiple: true, default: [] },
    defect: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    'no-control': { type: 'boolean', default: false },
    profile: { type: 'string' },
    'receiver-port': { type: 'string', default: '9071' },
  },
});

function named<T extends { readonly id: string }>(all: readonly T[], ids: readonly string[]): T[] {
  return ids.map(
    (id) =>
      all.find((each) => each.id === id) ??
      refuse(import.meta.url, `${id} is not known, --list shows which are`),
  );
}

if (values.list) {
  const members = ['traits', 'defects', 'id', 'breaks', 'sentence'];
  console.log(JSON.stringify({ traits, defects }, members, 2));
} else {
  const { style } = values;
  if (style !== 'plain' && style !== 'other') refuse(import.meta.url, '--style is plain or other');
  const witness = await startWitness({
    style,
    port: Number(values.port),
    control: !values['no-control'],
    traits: named(traits, values.trait),
    defects: named(defects, values.defect),
  });
  if (values.profile !== undefined) {
    const profile = witness.profile(Number(values['receiver-port']));
    writeFileSync(values.profile, JSON.stringify(profile, null, 2));
  }
  const { base_url, control_url } = witness;
  console.log(JSON.stringify({ event: 'ready', pid: process.pid, base_url, control_url, style }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void witness.close().then(() => process.exit(0)));
  }
}
