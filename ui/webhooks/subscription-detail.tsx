// A subscription: where it stands, its secret, and what may be done with it.

import type { CredentialShown, SubscriptionShown } from '../api-client/answers.ts';
import { callApi, findCredential } from '../api-client/api.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Button, CopyButton, DescriptionList, Panel, Problem } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useHref, useLive, useRead } from '../live/use-world.ts';
import { Deliveries, SubscriptionState } from './deliveries.tsx';
import { ReceiverJudge } from './receiver-judge.tsx';

export function SubscriptionDetail({ id }: { id: number }) {
  const href = useHref();
  const { value, problem } = useRead<{ subscriptions: SubscriptionShown[] }>('subscriptions');
  const found = value?.subscriptions.find((each) => each.id === id);
  return (
    <div class="columns">
      <p class="wide">
        <a href={href('webhooks')}>All webhooks</a>
      </p>
      <Problem words={problem} />
      {found === undefined ? (
        <p class="empty">{value === null ? 'Reading…' : `There is no subscription ${id}.`}</p>
      ) : (
        <>
          <div class="wide">
            <Subscription of={found} />
          </div>
          <div class="wide">
            <ReceiverJudge of={found} />
          </div>
          <div class="wide">
            <Deliveries query={`&subscription_id=${id}`} />
          </div>
        </>
      )}
    </div>
  );
}

function Subscription({ of }: { of: SubscriptionShown }) {
  return (
    <Panel title={`Subscription ${of.id}`} side={<SubscriptionState of={of} />}>
      <DescriptionList
        of={[
          ['URL', of.url],
          ['Forwarded to', of.forwards_to],
          ['Categories', of.event_categories.join(', ')],
          ['Brand, firm', `${of.brand_id ?? 'firm-wide'}, ${of.firm_id}`],
          ['Disabled', of.disabled ? (of.disabled_reason ?? 'yes') : null],
          ['Last delivered', `number ${of.last_delivered_seq}`],
          [
            'Secret',
            <span key="secret" class="bar">
              <code>{of.secret}</code>
              <CopyButton text={of.secret} words="Copy" of="the secret" />
            </span>,
          ],
          ['Secret before', of.previous_secret],
          ['Rotated', of.rotated_at_ms === null ? null : fullTime(of.rotated_at_ms)],
          ['Created', fullTime(of.created_at)],
        ]}
      />
      <Acts of={of} />
    </Panel>
  );
}

function Acts({ of }: { of: SubscriptionShown }) {
  const live = useLive();
  const command = useCommand();
  const resume = () => command.run(() => live.plane.send('POST', `subscriptions/${of.id}/resume`));
  const call = (what: 'rotate-secret' | 'disable') =>
    command.run(async () => {
      const { credentials } = await live.plane.get<{ credentials: CredentialShown[] }>(
        'credentials',
      );
      const token = findCredential(credentials, of, ['webhooks:manage'])?.token;
      if (!token)
        throw new ControlPlaneError(403, 'No credential of its firm has webhooks:manage.');
      await callApi({ token, method: 'POST', path: `webhooks/${of.id}/${what}` });
    });
  return (
    <div class="bar">
      <Button
        onClick={() => void resume()}
        disabled={command.busy || of.disabled || !of.stopped}
        look={of.stopped ? 'main' : 'plain'}
      >
        Resume
      </Button>
      <Button onClick={() => void call('rotate-secret')} disabled={command.busy || of.disabled}>
        Rotate the secret
      </Button>
      <Button
        onClick={() => void call('disable')}
        disabled={command.busy || of.disabled}
        look="bad"
        label="Disable for good"
      >
        Disable
      </Button>
      <Problem words={command.problem} />
    </div>
  );
}
