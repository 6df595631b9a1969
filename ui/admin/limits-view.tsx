// Limits and keys: how much may be sent now, and which keys a repeat would meet.

import type { BucketShown, KeyShown } from '../api-client/answers.ts';
import { Badge, Panel, Table } from '../components/components.tsx';
import { duration } from '../format.ts';
import { useHref, useRead } from '../live/use-world.ts';

export function LimitsView() {
  return (
    <div class="columns">
      <div class="wide">
        <Buckets />
      </div>
      <div class="wide">
        <Keys />
      </div>
    </div>
  );
}

function Buckets() {
  const { value } = useRead<{ buckets: BucketShown[] }>('buckets');
  return (
    <Panel
      title="Allowances"
      note="They fill by the clock of the sandbox; a frozen one fills none."
    >
      <Table caption="Allowances" head={['Of', 'Credentials', 'Level', 'Full', 'A second']}>
        {(value?.buckets ?? []).map((bucket) => (
          <tr key={bucket.name}>
            <td>{bucket.of === 'firm' ? `firm ${bucket.firm_id}` : 'credential'}</td>
            <td class="wrap">{bucket.client_ids.join(', ')}</td>
            <td>
              {Math.floor(bucket.level)} of {bucket.full}
            </td>
            <td>
              <meter
                class="meter"
                aria-label={`Level of ${bucket.name}`}
                min={0}
                max={bucket.full}
                value={bucket.level}
              />
            </td>
            <td>{bucket.rate_per_second}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Keys() {
  const href = useHref();
  const { value } = useRead<{ keys: KeyShown[] }>('keys?limit=200');
  return (
    <Panel title="Idempotency keys" note="Those that a repeat would meet now, the newest first.">
      <Table
        caption="Idempotency keys"
        head={[
          'Key',
          'Operation',
          'Credential',
          'Subject',
          'State',
          'First attempt',
          'Age',
          'Left',
        ]}
        empty="None yet."
      >
        {(value?.keys ?? []).map((key) => (
          <tr key={`${key.client_id} ${key.operation} ${key.key} ${key.subject}`}>
            <td class="wrap">
              <code>{key.key ?? 'kept as a digest'}</code>
            </td>
            <td>{key.operation}</td>
            <td>{key.client_id}</td>
            <td class="wrap">{key.subject}</td>
            <td>
              <Badge tone={key.state === 'in_flight' ? 'warn' : 'good'}>
                {key.state === 'in_flight' ? 'in flight' : `recorded ${key.status}`}
              </Badge>
            </td>
            <td>
              <a href={href('timeline', 'requests', key.first_attempt)}>
                request {key.first_attempt}
              </a>
            </td>
            <td>{duration(key.age_ms)}</td>
            <td>{leftOf(key)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function leftOf({ expires_at_ms, recorded_at_ms, age_ms }: KeyShown): string {
  if (expires_at_ms === null) return '';
  return duration(Math.max(0, expires_at_ms - recorded_at_ms - age_ms));
}
