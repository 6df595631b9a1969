// Faults: what is to go wrong, how often it did, and ready-made ones to switch on.

import type { FaultShown } from '../api-client/answers.ts';
import { Badge, Button, Panel, Problem, Table } from '../components/components.tsx';
import { useCommand, useLive, useRead } from '../live/use-world.ts';
import { CustomFault } from './custom-fault.tsx';
import { callPresets, deliveryPresets, type FaultPreset } from './fault-presets.ts';

export function FaultsView() {
  return (
    <div class="columns">
      <div class="wide">
        <FaultsOn />
      </div>
      <Presets title="For calls" of={callPresets} />
      <Presets title="For deliveries" of={deliveryPresets} />
      <div class="wide">
        <CustomFault />
      </div>
    </div>
  );
}

function FaultsOn() {
  const live = useLive();
  const command = useCommand();
  const { value } = useRead<{ faults: FaultShown[] }>('faults');
  const faults = value?.faults ?? [];
  const off = (id: string) => command.run(() => live.plane.send('DELETE', `faults/${id}`));
  return (
    <Panel title="Faults ordered">
      <Table
        caption="Faults"
        head={['Id', 'Strikes', 'When', 'Effect', 'Hits', 'State', 'Switch']}
        empty="None: everything goes as it should."
      >
        {faults.map((fault) => (
          <tr key={fault.id}>
            <td>{fault.id}</td>
            <td class="wrap">{matchWords(fault)}</td>
            <td>{fault.phase} it runs</td>
            <td>
              <Badge tone={fault.spent ? 'quiet' : 'warn'}>{effectWords(fault)}</Badge>
            </td>
            <td>
              {fault.hits}
              {fault.times === null ? '' : ` of ${fault.times}`}
            </td>
            <td>{fault.spent ? 'spent' : 'on'}</td>
            <td>
              <Button onClick={() => void off(fault.id)} label={offWords(fault)}>
                {fault.spent ? 'Remove' : 'Off'}
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      <Problem words={command.problem} />
    </Panel>
  );
}

function offWords({ id, spent }: FaultShown): string {
  return spent ? `Remove fault ${id}` : `Switch fault ${id} off`;
}

function matchWords({ match, nth, probability }: FaultShown): string {
  const parts = Object.entries(match).map(([name, value]) => `${name} ${String(value)}`);
  const which = [parts.length === 0 ? 'every call' : parts.join(', ')];
  if (nth !== null) which.push(`from number ${nth} on`);
  if (probability !== null) which.push(`with probability ${probability}`);
  return which.join(', ');
}

function effectWords({ effect: { kind, status, code, ms, bytes } }: FaultShown): string {
  const measure =
    ms !== undefined ? `${ms} ms` : bytes !== undefined ? `after ${bytes} bytes` : undefined;
  return [kind.replace('_', ' '), status, code, measure]
    .filter((part) => part !== undefined)
    .join(' ');
}

function Presets({ title, of }: { title: string; of: readonly FaultPreset[] }) {
  const live = useLive();
  const command = useCommand();
  const order = ({ body }: FaultPreset) =>
    command.run(() => live.plane.send('POST', 'faults', body));
  return (
    <Panel title={title}>
      <ul class="presets">
        {of.map((preset) => (
          <li key={preset.words}>
            <Button onClick={() => void order(preset)} disabled={command.busy}>
              {preset.words}
            </Button>
            <span class="note">{preset.why}</span>
          </li>
        ))}
      </ul>
      <Problem words={command.problem} />
    </Panel>
  );
}
