// The rules, the open questions with their settings, and the coverage by requests.
import { useEffect, useState } from 'preact/hooks';
import type { CoverageShown } from '../simulator/control/coverage.ts';
import type { QuestionsShown } from '../simulator/control/rows/about.ts';
import type { ViewProps } from './app.tsx';
import { matchesWords, plural } from './format.ts';
import {
  Action,
  Badge,
  Button,
  Command,
  Field,
  Link,
  Panel,
  Problem,
  Prose,
  placeOf,
} from './kit.tsx';
import { Table } from './table.tsx';
import { useHref, useInfo, useLive, useRead } from './world.ts';

const tabs = [
  ['rules', 'Rules', Rules],
  ['questions', 'Open questions', Questions],
  ['coverage', 'Coverage', Coverage],
] as const;

/** `#/rules/questions/NS-6`; the last part is the search text. */
export function RulesView({ path: [tab, id = ''] }: ViewProps) {
  const href = useHref();
  const { value, problem } = useRead<QuestionsShown>('questions');
  const { value: coverage } = useRead<CoverageShown>('coverage');
  const [search, setSearch] = useState(id);
  useEffect(() => setSearch(id), [id]);
  if (value === null || coverage === null) return <Problem words={problem} />;
  const [current, , Tab] = tabs.find(([name]) => name === tab) ?? tabs[0];
  return (
    <div class="columns">
      <div class="wide bar">
        {tabs.map(([name, words]) => (
          <a
            key={name}
            class="button"
            href={href('rules', name)}
            aria-current={name === current ? 'page' : undefined}
          >
            {words}
          </a>
        ))}
        <Field
          label="Find"
          quiet
          type="search"
          placeholder="Find…"
          value={search}
          onInput={setSearch}
        />
      </div>
      <Tab of={value} coverage={coverage} search={search} />
    </div>
  );
}

interface TabProps {
  readonly of: QuestionsShown;
  readonly coverage: CoverageShown;
  readonly search: string;
}

/** The rules by family; a covered rule shows how often. */
function Rules({ of, coverage, search }: TabProps) {
  const counts = coverage.rules.ids as Readonly<Record<string, number>>;
  const found = of.rules.filter(({ id, family, words }) =>
    matchesWords(`${id} ${family} ${words}`, search),
  );
  return (
    <>
      <p class="wide note">
        {plural(found.length, 'rule')}: what the API promises. The sandbox keeps them, and{' '}
        <code>npx conformance run</code> judges any other implementation by them.
      </p>
      {[...new Set(found.map(({ family }) => family))].map((family) => (
        <Panel key={family} title={family} wide>
          <ul class="pairs">
            {found
              .filter((rule) => rule.family === family)
              .map(({ id, words }) => (
                <li key={id}>
                  <code>{id}</code>
                  <span>
                    <Prose words={words} />{' '}
                    {counts[id] === undefined ? null : (
                      <span class="note">
                        Reached {counts[id] === 1 ? 'once' : plural(counts[id], 'time')}.
                      </span>
                    )}
                  </span>
                </li>
              ))}
          </ul>
        </Panel>
      ))}
    </>
  );
}

function Questions({ of, search }: TabProps) {
  const [onlyChanged, setOnlyChanged] = useState(false);
  const found = of.questions.filter(
    (question) =>
      (!onlyChanged || question.settings.some(isChanged)) &&
      matchesWords(JSON.stringify(question), search),
  );
  return (
    <>
      {of.deviations.length === 0 ? null : (
        <Panel title="Deviations on" note="Wrong on purpose, to see whether a client notices." wide>
          <ul class="list">
            {of.deviations.map(({ id, story, breaks }) => (
              <li key={id} class="rail">
                <h3>{id}</h3>
                <p>
                  <Prose words={`${story} Breaks ${breaks.map((rule) => rule.id).join(', ')}.`} />
                </p>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel
        title="Open questions"
        wide
        side={
          <Button onClick={() => setOnlyChanged(!onlyChanged)} aria-pressed={onlyChanged}>
            Changed only
          </Button>
        }
        note="What the API's description does not say, and what this sandbox does. sandbox.config.json changes the settings."
      >
        <ul class="list">
          {found.map(({ id, question, choice, where, settings, no_setting }) => (
            <li key={id} class="rail">
              <h3>
                <span class="note">{id}</span> <Prose words={question} />
              </h3>
              <p>
                <Prose words={choice} />
              </p>
              <p class="note">
                Met at {where}. {no_setting}
              </p>
              {settings.map((setting) => (
                <p key={setting.key} class="bar">
                  <code>
                    {setting.key}: {JSON.stringify(setting.value)}
                  </code>
                  {isChanged(setting) ? (
                    <Badge tone="warn">default {JSON.stringify(setting.default)}</Badge>
                  ) : null}
                </p>
              ))}
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

type Setting = QuestionsShown['questions'][number]['settings'][number];

const isChanged = ({ value, default: usual }: Setting) =>
  JSON.stringify(value) !== JSON.stringify(usual);

/** Rules without coverage that are shown at first. */
const fewRules = 10;

function Coverage({ coverage, search }: TabProps) {
  const { plane } = useLive();
  const { met, of: all } = coverage.rules;
  const [whole, setWhole] = useState(false);
  const found = coverage.not_met.filter(({ id, words }) => matchesWords(`${id} ${words}`, search));
  return (
    <>
      <Panel
        title="Coverage"
        wide
        note="A rule is met when a response rests on it, or when its case occurs. Resets and restored snapshots keep the counts."
        side={<Action run={() => plane.send('DELETE', 'coverage')}>Start over</Action>}
      >
        <strong>
          {met} of {all} rules
        </strong>
        <Counts caption="Operations" of={coverage.operations} />
        <Counts caption="Refusals" of={coverage.refusals} />
        <Counts caption="Transitions" of={coverage.transitions} />
        <Counts caption="Events" of={coverage.events} />
      </Panel>
      {coverage.hints.length === 0 ? null : <CoveredHints of={coverage.hints} />}
      <Panel
        title="Not met"
        wide
        note="The most useful ones first, each with a shell command that meets it."
        side={
          <Button onClick={() => setWhole(!whole)} aria-pressed={whole}>
            All {found.length}
          </Button>
        }
      >
        <ul class="list">
          {found.slice(0, whole ? found.length : fewRules).map((each) => (
            <NotMet key={each.id} of={each} />
          ))}
          {coverage.not_reachable.map(({ id, why }) => (
            <li key={id} class="rail">
              <h3>{id}</h3>
              <p class="note">Cannot be met from outside: {why}</p>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Counts({ caption, of }: { caption: string; of: object }) {
  const entries = Object.entries(of as Readonly<Record<string, number>>);
  return (
    <details>
      <summary>
        {caption}: {entries.filter(([, times]) => times > 0).length} of {entries.length}
      </summary>
      <Table
        caption={caption}
        columns={[
          ['What', ([name]) => name, 'wrap'],
          ['Times', ([, times]) => times],
        ]}
        rows={entries}
        keyOf={([name]) => name}
      />
    </details>
  );
}

function CoveredHints({ of }: { of: CoverageShown['hints'] }) {
  return (
    <Panel title="Hints" note="Requests that were probably not meant as they were sent." wide>
      <ul class="list">
        {of.map(({ code, count, words, request }) => (
          <li key={code} class="rail warn">
            <Badge tone="warn">{plural(count, 'time')}</Badge> <code>{code}</code>,{' '}
            <Link to={placeOf.request(request)}>last on request {request}</Link>
            <p>
              <Prose words={words} />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NotMet({ of: { id, words, line } }: { of: CoverageShown['not_met'][number] }) {
  const info = useInfo();
  const base = info?.base_url ?? location.origin;
  const token = info?.credentials[0]?.token ?? '';
  // The variables of `sandbox exec`, so that the command works when it is copied.
  const command = line
    .replaceAll('$SANDBOX_CONTROL_URL', `${base}/_sandbox`)
    .replaceAll('$SANDBOX_BASE_URL', base)
    .replaceAll('$SANDBOX_TOKEN', token || 'TOKEN');
  return (
    <li class="rail">
      <h3>{id}</h3>
      <p>
        <Prose words={words} />
      </p>
      <Command text={command} of={`that meets ${id}`} secret={token} />
    </li>
  );
}
