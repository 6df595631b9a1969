// Clients: how to judge an API client, a deployment or a webhook receiver.
import { Command, Panel } from './kit.tsx';
import { useInfo } from './world.ts';

export function ClientsView() {
  const forwardsTo = (useInfo()?.subscription as { forwards_to?: string } | null)?.forwards_to;
  return (
    <div class="columns">
      <p class="wide note">
        Test your own code: run one of these commands in a terminal. They leave this world as it is.
      </p>
      <Panel
        title="Is your client right?"
        note="Runs a test or an example of your API client many times, each time with another fault, and judges its requests. The report shows each finding as a timeline."
      >
        <Command
          text="npx conformance client --report html=client.html -- node my-example.js"
          of="that judges a client"
        />
      </Panel>
      <Panel
        title="Is your deployment right?"
        note="Sends the requests of every rule to an implementation of the API, and reports what deviates."
      >
        <Command text="npx conformance run --base-url URL" of="that judges a deployment" />
      </Panel>
      <Panel
        title="Is your webhook receiver right?"
        note="Sends deliveries that a receiver must accept and deliveries that it must refuse. SECRET is a variable with the signing secret."
      >
        <Command
          text={`npx conformance receiver --url ${forwardsTo ?? 'http://127.0.0.1:3000/hooks'} --secret-env SECRET`}
          of="that judges a receiver"
        />
      </Panel>
    </div>
  );
}
