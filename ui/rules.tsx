// The rules in words, the open questions with their settings, and which of them requests have met.
import { useEffect, useState } from 'preact/hooks';
import type { CoverageShown } from '../simulator/control/schemas/coverage.ts';
import type { QuestionsShown } from '../simulator/control/schemas/sandbox.ts';
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
  Table,
} from './kit.tsx';
import { useHref, useInfo, useLive, useRead } from './world.ts';

const tabs = [
  ['rules', 'Rules'],
  ['questions', 'Open questions'],
  ['coverage', 'Coverage'],
] as const;

/** `#/rules/questions/NS-6`; the last part is what is searched for. */
export function RulesView({ path: [tab = 'rules', id = ''] }: ViewProps) {
  const href = useHref();
  const { value, problem } = useRead<QuestionsShown>('questions');
  const { value: coverage } = useRead<CoverageShown>('coverage');
  const [search, setSearch] = useState(id);
  useEffect(() => setSearch(id), [id]);
  if (value === null || coverage === null) return <Problem words={problem} />;
  const current = tabs.find(([name]) => name === tab)?.[0] ?? 'rules';
  const props = { of: value, coverage, search };
  return (
    <div class="columns">
      <div class="wide bar">
        <fieldset class="bar" aria-label="What to show">
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
        </fieldset>
        <Field
          label="Find"
          quiet
          type="search"
          placeholder="Find…"
          value={search}
          onInput={setSearch}
        />
      </div>
      {current === 'rules' ? <Rules {...props} /> : null}
      {current === 'questions' ? <Questions {...props} /> : null}
      {current === 'coverage' ? <Coverage {...props} /> : null}
    </div>
  );
}

interface TabProps {
  readonly of: QuestionsShown;
  readonly coverage: CoverageShown;
  readonly search: string;
}

/** The rules by family; a rule that requests have met says how often. */
function Rules({ of, coverage, search }: TabProps) {
  const counts = coverage.rules.ids as Readonly<Record<string, number>>;
  const found = of.rules.filter(({ id, family, words }) =>
    matchesWords(`${id} ${family} ${words}`, search),
  );
  const families = [...new Set(found.map(({ family }) => family))];
  return (
    <>
      <p class="wide note">
        {plural(found.length, 'rule')}: what the API promises. The sandbox keeps them, and{' '}
        <code>npx conformance run</code> judges any other implementation by them.
      </p>
      {families.map((family) => (
        <Panel key={family} title={family} wide>
          <ul class="pairs reasons">
            {found
              .filter((rule) => rule.family === family)
              .map(({ id, words }) => (
                <li key={id}>
                  <code>{id}</code>
                  <span>
                    <Prose words={words} />{' '}
                    {counts[id] === undefined ? null : (
                      <span class="note">Met {plural(counts[id], 'time')}.</span>
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

type Question = QuestionsShown['questions'][number];

const isChanged = ({ settings }: Question) =>
  settings.some(({ value, default: usual }) => JSON.stringify(value) !== JSON.stringify(usual));

function Questions({ of, search }: TabProps) {
  const [onlyChanged, setOnlyChanged] = useState(false);
  const found = of.questions.filter(
    (question) =>
      (!onlyChanged || isChanged(question)) && matchesWords(JSON.stringify(question), search),
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
                  <Prose words={story} />
                </p>
                {breaks.map((rule) => (
                  <p key={rule.id} class="note">
                    Breaks {rule.id}: <Prose words={rule.words} />
                  </p>
                ))}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel
        title="Open questions"
        wide
        side={
          <Button onClick={() => setOnlyChanged(!onlyChanged)} pressed={onlyChanged}>
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
                Met at {where}.{no_setting === null ? '' : ` ${no_setting}`}
              </p>
              {settings.map(({ key, value, default: usual }) => {
                const [current, standard] = [JSON.stringify(value), JSON.stringify(usual)];
                return (
                  <p key={key} class="bar">
                    <code>
                      {key}: {current}
                    </code>
                    {current === standard ? null : <Badge tone="warn">default {standard}</Badge>}
                  </p>
                );
              })}
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

/** Rules that are not met, shown at first. */
const fewRules = 10;

function Coverage({ coverage, search }: TabProps) {
  const { plane } = useLive();
  const { met, of: all } = coverage.rules;
  const [whole, setWhole] = useState(search !== '');
  const found = coverage.not_met.filter(({ id, words }) => matchesWords(`${id} ${words}`, search));
  const tables = [
    ['Rules', coverage.rules.ids],
    ['Operations', coverage.operations],
    ['Refusals', coverage.refusals],
    ['Transitions', coverage.transitions],
    ['Events', coverage.events],
  ] as const;
  return (
    <>
      <Panel
        title="Coverage"
        wide
        note="A rule is met when a response rests on it, or when its case occurs. Resets and restored snapshots keep the counts."
        side={<Action run={() => plane.send('DELETE', 'coverage')}>Start over</Action>}
      >
        <p>
          <strong>
            {met} of {all} rules
          </strong>{' '}
          <meter class="meter" aria-label="Rules met" min={0} max={all} value={met} />
        </p>
        {tables.map(([caption, counts]) => {
          const entries = Object.entries(counts as Readonly<Record<string, number>>);
          const used = entries.filter(([, times]) => times > 0).length;
          return (
            <details key={caption}>
              <summary>
                {caption}: {used}
                {caption === 'Rules' ? '' : ` of ${entries.length}`}
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
        })}
      </Panel>
      {coverage.hints.length === 0 ? null : <CoveredHints of={coverage.hints} />}
      <Panel
        title="Not met"
        wide
        note="The most worth trying first, each with a shell command that meets it."
        side={
          <Button onClick={() => setWhole(!whole)} pressed={whole}>
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

function CoveredHints({ of }: { of: CoverageShown['hints'] }) {
  return (
    <Panel title="Hints" note="Answered without complaint, but perhaps not as intended." wide>
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
  // What `sandbox exec` sets, so that the command works as it is copied.
  const command = line
    .replaceAll('$SANDBOX_CONTROL_URL', `${base}/_sandbox`)
    .replaceAll('$SANDBOX_BASE_URL', base)
    .replaceAll('$SANDBOX_TOKEN', info?.credentials[0]?.token ?? 'TOKEN');
  return (
    <li class="rail">
      <h3>{id}</h3>
      <p>
        <Prose words={words} />
      </p>
      <Command text={command} label={`Command that meets ${id}`} of={`for ${id}`} />
    </li>
  );
}
