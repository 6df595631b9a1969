// What has to be seen before anything else: nobody answers, a token is asked for, faults are on,
// the platform deviates.
import { useState } from 'preact/hooks';
import { keepToken } from '../api-client/control-plane.ts';
import { Button, Field } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useCommand, useHref, useLive, useVersion } from '../live/use-world.ts';

export function Notices() {
  const live = useLive();
  useVersion(live);
  const { connection, info, faultsOn } = live;
  const href = useHref();
  const deviations = info?.deviations ?? [];
  return (
    <div class="notices">
      {connection.state === 'lost' ? (
        <p class="notice bad" role="alert">
          The sandbox does not answer. What you see is what was last heard; this page goes on by
          itself when it is back.
        </p>
      ) : null}
      {connection.state === 'refused' ? <Refused connection={connection} /> : null}
      {faultsOn > 0 ? <FaultsOn count={faultsOn} /> : null}
      {deviations.length > 0 ? (
        <p class="notice warn">
          Deviates on purpose: {deviations.join(', ')}.{' '}
          <a href={href('questions')}>What is in force</a>
        </p>
      ) : null}
    </div>
  );
}

function FaultsOn({ count }: { count: number }) {
  const live = useLive();
  const href = useHref();
  const command = useCommand();
  const clear = () => command.run(() => live.plane.send('DELETE', 'faults'));
  return (
    <div class="notice warn">
      <p>
        {plural(count, 'fault is', 'faults are')} on. <a href={href('faults')}>Look</a>
      </p>
      <Button onClick={() => void clear()} disabled={command.busy}>
        All off
      </Button>
    </div>
  );
}

function Refused({
  connection,
}: {
  connection: { readonly status: number; readonly why: string };
}) {
  const live = useLive();
  const [token, setToken] = useState('');
  if (connection.status === 404) {
    return (
      <p class="notice bad" role="alert">
        {connection.why} <a href="#/worlds">The worlds there are</a>
      </p>
    );
  }
  if (connection.status !== 401) {
    return (
      <p class="notice bad" role="alert">
        {connection.why}
      </p>
    );
  }
  const give = (event: Event) => {
    event.preventDefault();
    keepToken(token);
    live.start();
  };
  return (
    <form class="notice bad" onSubmit={give}>
      <Field
        label="This sandbox asks for the token given with --control-token"
        type="password"
        value={token}
        onInput={setToken}
      />
      <button type="submit" class="button main">
        Go on
      </button>
    </form>
  );
}
