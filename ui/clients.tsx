// The report on an API client: each check, with the run that shows it as a line of time beside
// what a right client does.
import { useState } from 'preact/hooks';
import { duration, parseJson, plural } from './format.ts';
import { Badge, CodeBlock, Command, FileButton, Panel, Problem, type Tone } from './kit.tsx';

/** The members of a report that the page shows, by their types; a `?` lets null in. */
const shown = {
  place: 'string',
  verdict: 'string',
  actual: 'string',
  run: 'number',
  calls: ['number'],
} as const;

const reportForm = {
  command: ['string'],
  verdict: 'string',
  runs: 'number',
  requests: 'number',
  duration_ms: 'number',
  does: 'string',
  unusable: 'string?',
  notes: ['string'],
  checks: [
    {
      id: 'string',
      title: 'string',
      orders: 'string',
      expected: 'string',
      at_stake: 'string',
      mend: { words: 'string', example: 'string' },
      rules: [{ id: 'string', words: 'string' }],
      verdict: 'string',
      why: 'string?',
      findings: [{ ...shown, replay: 'command' }],
      shown: { orNull: shown },
    },
  ],
  recordings: [
    {
      run: 'number',
      ending: { words: 'string', duration_ms: 'number', output: 'string' },
      calls: [
        {
          n: 'number',
          at_ms: 'number',
          method: 'string',
          target: 'string',
          key: 'string?',
          struck: 'string?',
          status: 'number?',
          abandoned_at_ms: 'number?',
        },
      ],
    },
  ],
} as const;

interface Types {
  string: string;
  'string?': string | null;
  number: number;
  'number?': number | null;
  command: string;
}

type Form =
  | keyof Types
  | readonly [Form]
  | { readonly orNull: Form }
  | { readonly [name: string]: Form };

type ValueOf<F> = F extends keyof Types
  ? Types[F]
  : F extends readonly [infer Item]
    ? readonly ValueOf<Item>[]
    : F extends { readonly orNull: infer Inner }
      ? ValueOf<Inner> | null
      : { readonly [Name in keyof F]: ValueOf<F[Name]> };

export type ClientReport = { readonly schema: 'client/1' } & ValueOf<typeof reportForm>;
export type ClientCheck = ClientReport['checks'][number];
type Finding = ClientCheck['findings'][number];
type Call = ClientReport['recordings'][number]['calls'][number];

/** The first place where a value does not have its form; null if there is none. */
function findProblem(value: unknown, form: Form, path: string): string | null {
  if (typeof form === 'string') {
    const type = form === 'command' ? 'string' : form.replace('?', '');
    const isRight = (form.endsWith('?') && value === null) || typeof value === type;
    if (!isRight) return `${path} must be a ${type}`;
    // A command is copied into a terminal: it must not hold characters that cannot be seen.
    const hasHidden = form === 'command' && /[^\P{C}\n]/u.test(value as string);
    return hasHidden ? `${path} must be a command without invisible characters` : null;
  }
  if (Array.isArray(form)) {
    if (!Array.isArray(value)) return `${path} must be a list`;
    return firstOf(value.map((item, at) => findProblem(item, form[0], `${path}[${at}]`)));
  }
  if ('orNull' in form)
    return value === null ? null : findProblem(value, form.orNull as Form, path);
  if (typeof value !== 'object' || value === null) return `${path} must be an object`;
  return firstOf(
    Object.entries(form).map(([name, member]) => {
      const own = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
      return findProblem(own, member, path === '' ? name : `${path}.${name}`);
    }),
  );
}

const firstOf = (problems: readonly (string | null)[]) =>
  problems.find((problem) => problem !== null) ?? null;

/** The report in the text of a file, or what is wrong with it. */
function readReport(text: string): ClientReport | string {
  const remedy = 'choose the file that --report json=FILE of conformance client wrote';
  const json = parseJson(text);
  if (json === undefined) return `This is not JSON; ${remedy}.`;
  if ((json as { schema?: unknown } | null)?.schema !== 'client/1') {
    return `This is another report; ${remedy}.`;
  }
  const problem = findProblem(json, reportForm, '');
  if (problem !== null) return `This report was changed: ${problem}; ${remedy}.`;
  return json as ClientReport;
}

const verdicts: ReadonlyMap<string, readonly [Tone, string]> = new Map([
  ['fails', ['bad', 'fails']],
  ['inconclusive', ['warn', 'not shown']],
  ['advisory', ['warn', 'advice']],
  ['known', ['warn', 'known']],
  ['not_met', ['quiet', 'not met']],
  ['passed', ['good', 'passed']],
]);

const runVerdicts: ReadonlyMap<string, readonly [Tone, string]> = new Map([
  ['conformant', ['good', 'conformant']],
  ['incomplete', ['warn', 'not all could be judged']],
  ['invalid', ['bad', 'could not be judged']],
]);

// The chosen report stays while other views are open.
let chosen: ClientReport | null = null;

export function ClientsView() {
  const [report, setReport] = useState(chosen);
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (file: File) => {
    const found = readReport(await file.text());
    setProblem(typeof found === 'string' ? found : null);
    if (typeof found === 'string') return;
    chosen = found;
    setReport(found);
  };
  return (
    <div class="story">
      <Panel
        title="Is your client right?"
        note="Judge a test or an example of your API client in a terminal, then choose the report here. Nothing leaves this page."
      >
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
  const [tone, words] = runVerdicts.get(of.verdict) ?? (['quiet', of.verdict] as const);
  const size = `${plural(of.runs, 'run')}, ${plural(of.requests, 'request')}`;
  return (
    <Panel
      title={of.command.join(' ')}
      note={`${size} in ${duration(of.duration_ms)}. The first run: ${of.does}.`}
      side={
        <Badge tone={failed > 0 ? 'bad' : tone}>
          {failed > 0 ? `fails ${plural(failed, 'check')}` : words}
        </Badge>
      }
    >
      {[of.unusable, ...of.notes].map((note) =>
        note === null ? null : (
          <p key={note} class="note">
            {note}
          </p>
        ),
      )}
      {tried.map((check) => (
        <Check key={check.id} of={check} report={of} />
      ))}
    </Panel>
  );
}

function Check({ of, report }: { of: ClientCheck; report: ClientReport }) {
  const [tone, words] = verdicts.get(of.verdict) ?? (['quiet', of.verdict] as const);
  const [finding = of.shown, ...others] = of.findings;
  return (
    <details class="ledger" open={of.verdict === 'fails'}>
      <summary>
        <Badge tone={tone}>{words}</Badge> <code>{of.id}</code> {of.title}
      </summary>
      <p class="note">{of.why ?? of.orders}</p>
      <p>
        <strong>At stake:</strong> {of.at_stake}
      </p>
      {finding === null ? null : <Shown finding={finding} check={of} report={report} />}
      {others.length === 0 ? null : (
        <p class="note">The same at {plural(others.length, 'other place')}.</p>
      )}
      <p>
        <strong>Fix:</strong> {of.mend.words}
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
  readonly finding: Omit<Finding, 'replay'> & { readonly replay?: string };
  readonly check: ClientCheck;
  readonly report: ClientReport;
}

function Shown({ finding, check, report }: ShownProps) {
  const recording = report.recordings.find(({ run }) => run === finding.run);
  const { place, actual, calls, replay } = finding;
  return (
    <>
      <p>
        <code>{place}</code>: {actual}
      </p>
      <div class="beside">
        <section aria-label={`What the client did, ${check.id}`}>
          <h3>What your client did</h3>
          <ol>
            {recording?.calls.map((call) => (
              <li key={call.n} class={calls.includes(call.n) ? 'rail bad' : 'rail'}>
                {seconds(call.at_ms)}{' '}
                <code>
                  {call.n}. {call.method} {call.target}
                </code>
                {call.key === null ? null : <span class="note"> key {call.key}</span>}
                <br />
                <span class="note">→ {outcomeOf(call)}</span>
              </li>
            ))}
            {recording === undefined ? null : (
              <li class="rail">
                {seconds(recording.ending.duration_ms)} the command {recording.ending.words}
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
      {replay === undefined ? null : (
        // The report may be anyone's, so the command is shown before it is copied.
        <Command text={replay} label={`Try it again, ${check.id}`} of={`for ${check.id}`} />
      )}
    </>
  );
}

function outcomeOf({ status, struck, abandoned_at_ms: leftMs }: Call): string {
  if (status !== null) return struck === null ? String(status) : `${status} (${struck})`;
  const left = leftMs === null ? '' : `; the client stopped waiting at ${seconds(leftMs)}`;
  return `${struck ?? 'no response'}${left}`;
}

const seconds = (ms: number) => `+${(ms / 1000).toFixed(2)} s`;
