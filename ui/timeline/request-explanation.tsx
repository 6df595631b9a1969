// Why a call was answered as it was: rules in words, its steps, its key, and what followed.

import type { RequestStory } from '../api-client/answers.ts';
import { Badge, DescriptionList, Panel, Prose } from '../components/components.tsx';
import { plural } from '../format.ts';
import { useHref } from '../live/use-world.ts';

export function Reasons({ story: { reasons, hints } }: { story: RequestStory }) {
  const href = useHref();
  if (reasons.length === 0 && hints.length === 0) return null;
  return (
    <Panel title="Why">
      {hints.length === 0 ? null : <Hints of={hints} />}
      <ul class="reasons">
        {reasons.map(({ id, words }) => (
          <li key={id} class={id.startsWith('NS-') ? 'question' : ''}>
            <a href={href(id.startsWith('NS-') ? 'questions' : 'rules', id)}>
              <code>{id}</code>
            </a>
            <span>
              {id.startsWith('NS-') ? <em>Open question. </em> : null}
              <Prose words={words} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Answered without complaint: what the caller may have meant otherwise. */
function Hints({ of }: { of: RequestStory['hints'] }) {
  return (
    <ul class="hints" aria-label="Hints">
      {of.map(({ code, words }) => (
        <li key={code}>
          <Badge tone="warn">hint</Badge> <code>{code}</code>
          <p>
            <Prose words={words} />
          </p>
        </li>
      ))}
    </ul>
  );
}

const stepWords: Readonly<Record<string, string>> = {
  route: 'Path and method',
  key: 'Idempotency key',
  token: 'Token',
  rate: 'Rate limit',
  readable: 'Readable body',
  replay: 'Repeat of an earlier call',
  scope: 'Scopes and firm',
  operation: 'The operation itself',
  fault: 'A fault',
};

const outcomeWords = {
  passed: 'passed',
  held: 'held back',
  cut: 'cut it short',
  decided: 'decided',
  ran: 'ran',
} as const;

export function Steps({ story: { steps } }: { story: RequestStory }) {
  // A fault that only takes time stands among them too, and decides nothing.
  const deciding = steps.findLastIndex(({ outcome }) => outcome === 'decided' || outcome === 'ran');
  return (
    <Panel title="Steps">
      <ol class="steps">
        {steps.map(({ name, outcome, note }, at) => (
          <li
            key={`${at} ${name}`}
            class={at === deciding ? 'deciding' : ''}
            aria-current={at === deciding ? 'step' : undefined}
          >
            <span class="step-name">{stepWords[name] ?? name}</span>
            <span class="step-outcome">
              {at === deciding ? `${outcomeWords[outcome]}: this decided` : outcomeWords[outcome]}
            </span>
            <span class="step-note">{note}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const keyWords = {
  first: 'The first attempt with this key: it ran.',
  replayed: 'A repeat: it got the first answer again, and nothing ran.',
  converged: 'It ran again and met what an earlier attempt had made.',
  in_flight: 'The first attempt with this key was still running.',
} as const;

export function Idempotency({ story }: { story: RequestStory }) {
  const href = useHref();
  const { idempotency, key, subject, first_attempt, repeats } = story;
  if (key === null && idempotency === null) return null;
  const link = (id: string, words: string) => (
    <a key={id} href={href('timeline', 'requests', id)}>
      {words}
    </a>
  );
  return (
    <Panel title="Idempotency">
      <p>{idempotency === null ? 'Its key was not looked at.' : keyWords[idempotency]}</p>
      <DescriptionList
        of={[
          ['Key', key],
          ['Subject', subject],
          [
            'First attempt',
            first_attempt === null
              ? null
              : link(first_attempt.id, `request ${first_attempt.id} (${first_attempt.request_id})`),
          ],
          [
            'Repeats',
            repeats.length === 0
              ? null
              : repeats.map((id) => <span key={id}>{link(id, `request ${id}`)} </span>),
          ],
        ]}
      />
    </Panel>
  );
}

export function Following({ story }: { story: RequestStory }) {
  const href = useHref();
  const { events, deliveries, fault } = story;
  if (events.length === 0 && deliveries.length === 0 && fault === null) return null;
  return (
    <Panel title="What followed">
      <ul class="following">
        {fault === null ? null : (
          <li>
            <Badge tone="warn">fault</Badge>
            <a href={href('faults')}>fault {fault.id}</a>
            <span class="note">{fault.phase} it ran</span>
          </li>
        )}
        {events.map(({ id, seq, kind }) => (
          <li key={id}>
            <Badge tone="quiet">event</Badge>
            <a href={href('timeline', 'events', seq)}>{kind ?? id}</a>
            <span class="note">number {seq}</span>
          </li>
        ))}
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <Badge tone={delivery.status === 'delivered' ? 'good' : 'warn'}>
              {delivery.status}
            </Badge>
            <a href={href('timeline', 'deliveries', delivery.id ?? '')}>
              {delivery.kind ?? delivery.event_id} to subscription {delivery.subscription_id}
            </a>
            <span class="note">{plural(delivery.attempts.length, 'attempt')}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
