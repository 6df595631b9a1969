// The judgement of an API client, read from its report: each check with the run that shows it as a
// line of time, beside what a right client does.
import { useState } from 'preact/hooks';
import {
  Badge,
  CodeBlock,
  CopyButton,
  FileButton,
  Panel,
  Problem,
} from '../components/components.tsx';
import { duration, plural } from '../format.ts';
import type { Tone } from '../live/timeline-rows.ts';
import {
  type ClientCall,
  type ClientCheck,
  type ClientFinding,
  type ClientReport,
  readClientReport,
} from './client-report.ts';

const verdicts: ReadonlyMap<string, readonly [Tone, string]> = new Map([
  ['fails', ['bad', 'fails']],
  ['inconclusive', ['warn', 'not shown']],
  ['advisory', ['warn', 'advice']],
  ['known', ['warn', 'known']],
  ['not_met', ['quiet', 'not met']],
  ['passed', ['good', 'passed']],
]);

const runTones: ReadonlyMap<string, Tone> = new Map([
  ['conformant', 'good'],
  ['deviates', 'bad'],
  ['incomplete', 'warn'],
  ['invalid', 'bad'],
]);

const runWords: ReadonlyMap<string, string> = new Map([
  ['incomplete', 'not all could be judged'],
  ['invalid', 'could not be judged'],
]);

const howTo =
  'Judge a test or an example of your API client in a terminal, then choose the report here. Nothing leaves this page.';

// What was chosen stays while other views are looked at.
let chosen: ClientReport | null = null;

export function ClientsView() {
  const [report, setReport] = useState(chosen);
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (file: File) => {
    const found = readClientReport(await file.text());
    setProblem(typeof found === 'string' ? found : null);
    if (typeof found === 'string') return;
    chosen = found;
    setReport(found);
  };
  return (
    <div class="columns clients">
      <Panel title="Is your client right?" note={howTo}>
        <CodeBlock
          label="How a client is judged"
          text="npx conformance client --report json=client.json -- node my-example.js"
        />
        <div class="bar">
          <FileButton onChoose={(file) => void read(file)} look="main">
            Choose a report
          </FileButton>
        </div>
        <Problem words={problem} />
      </Panel>
      {report === null ? null : <Judgement of={report} />}
    </div>
  );
}

function Judgement({ of }: { of: ClientReport }) {
  const tried = of.checks.filter(({ verdict }) => verdict !== 'not_selected');
  const failed = tried.filter(({ verdict }) => verdict === 'fails').length;
  const took = `${plural(of.runs, 'run')}, ${plural(of.requests, 'request')}`;
  return (
    <Panel
      title={of.command.join(' ')}
      note={`${took} in ${duration(of.duration_ms)}. The first run: ${of.does}.`}
      side={
        <Badge tone={failed > 0 ? 'bad' : (runTones.get(of.verdict) ?? 'quiet')}>
          {failed > 0
            ? `fails ${plural(failed, 'check')}`
            : (runWords.get(of.verdict) ?? of.verdict)}
        </Badge>
      }
    >
      {[...(of.unusable === null ? [] : [of.unusable]), ...of.notes].map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {tried.map((check) => (
        <Check key={check.id} of={check} report={of} />
      ))}
    </Panel>
  );
}

function Check({ of, report }: { of: ClientCheck; report: ClientReport }) {
  const [tone, words] = verdicts.get(of.verdict) ?? (['quiet', of.verdict] as const);
  const findings = of.findings.length > 0 ? of.findings : of.shown === null ? [] : [of.shown];
  return (
    <details class="ledger" open={of.verdict === 'fails'}>
      <summary>
        <Badge tone={tone}>{words}</Badge> <code>{of.id}</code> {of.title}
      </summary>
      <p class="note">{of.why ?? of.orders}</p>
      <p>
        <strong>At stake:</strong> {of.at_stake}
      </p>
      {findings.slice(0, 1).map((finding) => (
        <Shown key={finding.place} finding={finding} check={of} report={report} />
      ))}
      {findings.length > 1 ? (
        <p class="note">The same at {plural(findings.length - 1, 'other place')}.</p>
      ) : null}
      <p>
        <strong>Mend:</strong> {of.mend.words}
      </p>
      {of.rules.map(({ id, words: rule }) => (
        <p key={id} class="note">
          {id}: {rule}
        </p>
      ))}
    </details>
  );
}

interface ShownProps {
  readonly finding: Omit<ClientFinding, 'replay'> & { readonly replay?: string };
  readonly check: ClientCheck;
  readonly report: ClientReport;
}

function Shown({ finding, check, report }: ShownProps) {
  const recording = report.recordings.find(({ run }) => run === finding.run);
  return (
    <>
      <p>
        <code>{finding.place}</code>: {finding.actual}
      </p>
      <div class="beside">
        <section aria-label={`What the client did, ${check.id}`}>
          <h3>What your client did</h3>
          <ol class="client-calls">
            {recording?.calls.map((call) => (
              <Step key={call.n} of={call} isShown={finding.calls.includes(call.n)} />
            ))}
            {recording === undefined ? null : (
              <li class="end">
                {clock(recording.ending.duration_ms)} the command {recording.ending.words}
              </li>
            )}
          </ol>
        </section>
        <section aria-label={`What a right client does, ${check.id}`}>
          <h3>What a right client does</h3>
          <p class="note">It {check.expected}.</p>
          <CodeBlock text={check.mend.example} label={`A right exchange, ${check.id}`} />
        </section>
      </div>
      {finding.replay === undefined ? null : <Again command={finding.replay} of={check.id} />}
    </>
  );
}

/** A report may come from anybody: what is copied is seen first. */
function Again({ command, of }: { command: string; of: string }) {
  return (
    <>
      <CodeBlock text={command} label={`Try it again, ${of}`} />
      <div class="bar">
        <CopyButton text={command} words="Copy a command that tries it again" of={of} />
      </div>
    </>
  );
}

function Step({ of, isShown }: { of: ClientCall; isShown: boolean }) {
  return (
    <li class={isShown ? 'shown' : ''}>
      {clock(of.at_ms)}{' '}
      <code>
        {of.n}. {of.method} {of.target}
      </code>
      {of.key === null ? null : <span class="note"> key {of.key}</span>}
      <span class="note result">→ {resultOf(of)}</span>
    </li>
  );
}

function resultOf({ status, struck, abandoned_at_ms: gone }: ClientCall): string {
  if (status !== null) return struck === null ? String(status) : `${status} (${struck})`;
  const left = gone === null ? '' : `; the client stopped waiting at ${clock(gone)}`;
  return `${struck ?? 'no answer'}${left}`;
}

function clock(ms: number): string {
  return `+${(ms / 1000).toFixed(2)} s`;
}
