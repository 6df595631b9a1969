// Clients: how to judge an API client, a deployment or a webhook receiver.
import { Command, Panel } from './kit.tsx';
import { useInfo } from './world.ts';

export function ClientsView() {
  const info = useInfo();
  const { forwards_to: receiver } = (info?.subscription ?? {}) as { forwards_to?: string };
  const judges = [
    [
      'client',
      'Runs a test or an example of your API client many times, each time with another fault, and judges its requests. The report shows each finding as a timeline.',
      'npx conformance client --report html=client.html -- node my-example.js',
    ],
    [
      'deployment',
      'Sends the requests of every rule to an implementation of the API, and reports what deviates. Replace the address, which is that of this sandbox.',
      `npx conformance run --base-url ${info?.base_url ?? location.origin}`,
    ],
    [
      'webhook receiver',
      'Sends deliveries that a receiver must accept and deliveries that it must refuse. SECRET is a variable with the signing secret.',
      `npx conformance receiver --url ${receiver ?? 'http://127.0.0.1:3000/hooks'} --secret-env SECRET`,
    ],
  ] as const;
  return (
    <div class="columns">
      <p class="wide note">
        Test your own code: run one of these commands in a terminal. They leave this world as it is.
      </p>
      {judges.map(([what, note, command]) => (
        <Panel key={what} title={`Is your ${what} right?`} note={note}>
          <Command text={command} of={`that judges a ${what}`} />
        </Panel>
      ))}
    </div>
  );
}
