// Firms: their plan, their own allowance, and which operations they may use.
import { useState } from 'preact/hooks';
import type { FirmShown } from '../api-client/answers.ts';
import { Button, Checkbox, Field, Panel, Problem, Select } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useCommand, useLive, useRead } from '../live/use-world.ts';

export const plans = ['sandbox', 'standard', 'pro'] as const;

export function Firms() {
  const { value, again } = useRead<{ firms: FirmShown[] }>('firms');
  return (
    <Panel
      title="Firms"
      note="An operation that is switched off answers 403 to every credential of the firm."
    >
      {(value?.firms ?? []).map((firm) => (
        <Firm key={firm.id} of={firm} again={again} />
      ))}
    </Panel>
  );
}

function Firm({ of, again }: { of: FirmShown; again: () => void }) {
  const live = useLive();
  const command = useCommand();
  const [rate, setRate] = useState('');
  const change = (changes: object) =>
    command
      .run(() => live.plane.send('PATCH', `firms/${encodeURIComponent(of.id)}`, changes))
      .then(again);
  const off = Object.values(of.permissions).filter((allowed) => !allowed).length;
  const setOwnRate = () => {
    void change({ rate_per_second: rate.trim() === '' ? null : Number(rate) });
    setRate('');
  };
  return (
    <details class="ledger">
      <summary>
        <strong>
          Firm {of.id}, {of.name}
        </strong>{' '}
        <span class="note">
          {of.plan}, {of.rate_per_second} a second
          {off > 0 ? `, ${plural(off, 'operation')} off` : ''}
        </span>
      </summary>
      <div class="form">
        <Select
          label={`Plan of firm ${of.id}`}
          value={of.plan}
          options={plans.map((plan) => [plan, plan])}
          onChange={(plan) => void change({ plan })}
        />
        <Field
          label="Requests a second"
          type="number"
          value={rate}
          placeholder={`${of.rate_per_second}; empty: the plan's`}
          onInput={setRate}
        />
        <Button
          onClick={setOwnRate}
          disabled={command.busy}
          label={`Set the rate of firm ${of.id}`}
        >
          Set
        </Button>
      </div>
      <Problem words={command.problem} />
      <fieldset class="ticks">
        <legend class="heard">Operations that firm {of.id} may use</legend>
        {Object.entries(of.permissions).map(([operation, allowed]) => (
          <Checkbox
            key={operation}
            label={operation}
            checked={allowed === true}
            onChange={(on) => void change({ permissions: { [operation]: on } })}
          />
        ))}
      </fieldset>
    </details>
  );
}
