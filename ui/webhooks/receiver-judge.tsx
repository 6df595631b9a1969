// Has the receiver of a subscription judged, and shows the report.
import { useState } from 'preact/hooks';
import type { ReceiverReport, SubscriptionShown } from '../api-client/answers.ts';
import { Button, Field, Panel, Problem } from '../components/components.tsx';
import { useCommand, useLive } from '../live/use-world.ts';
import { ReportBadge, ReportBody } from './receiver-report.tsx';

const whatItDoes =
  'Sends what a receiver must accept, and what an attacker would try, straight to where ' +
  'deliveries are forwarded on this machine: some eighty requests, which are no deliveries of ' +
  'this world.';

export function ReceiverJudge({ of }: { of: SubscriptionShown }) {
  const live = useLive();
  const command = useCommand();
  const [probe, setProbe] = useState('');
  const [report, setReport] = useState<ReceiverReport | null>(null);
  const judge = () =>
    command.run(async () => {
      const body = probe === '' ? {} : { effect_probe: probe };
      setReport(null);
      const path = `subscriptions/${of.id}/judge`;
      setReport(await live.plane.send<ReceiverReport>('POST', path, body));
    });
  return (
    <Panel
      title="Is the receiver right?"
      side={report === null ? undefined : <ReportBadge of={report} />}
      note={whatItDoes}
    >
      <div class="form">
        <Field
          label="Count of side effects (optional)"
          value={probe}
          placeholder="http://127.0.0.1:3000/count"
          onInput={setProbe}
        />
        <Button onClick={() => void judge()} disabled={command.busy} look="main">
          {command.busy ? 'Judging…' : 'Judge the receiver'}
        </Button>
      </div>
      <Problem words={command.problem} />
      {report === null ? null : <ReportBody of={report} />}
    </Panel>
  );
}
