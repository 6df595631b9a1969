// A request: its content, the response, the reason for the response, and the events that followed.
import { useState } from 'preact/hooks';
import type { RequestStory } from '../simulator/control/journal.ts';
import { DeliveryItem } from './delivery.tsx';
import { curlLine, duration, fullTime, pretty, shellWord } from './format.ts';
import {
  Action,
  Badge,
  CodeBlock,
  CopyButton,
  Link,
  Panel,
  Problem,
  Prose,
  placeOf,
  useShown,
} from './kit.tsx';
import type { RequestsPage } from './live.ts';
import { freshKey, send } from './plane.ts';
import { Facts, TablePanel, titleOf } from './table.tsx';
import { refusalOf, toneOf } from './timeline-rows.ts';
import { useInfo, useLive, useRead } from './world.ts';

type Message = RequestStory['request'] | NonNullable<RequestStory['response']>;

interface StoryProps {
  readonly story: RequestStory;
}

const headersOf = ({ headers }: Message) =>
  Object.entries(headers as Readonly<Record<string, string>>);

export function RequestDetail({ id }: { id: string }) {
  const { isShown, toggle } = useShown('tokens and secrets');
  const path = `requests/${encodeURIComponent(id)}`;
  const { value: masked, problem } = useRead<RequestStory>(path);
  const { value: whole } = useRead<RequestStory>(isShown ? `${path}?secrets=shown` : null);
  const story = whole ?? masked;
  if (story === null) return <Problem words={problem} />;
  return (
    <article class="story">
      <Head story={story} />
      <SendAgain story={story} />
      <div class="bar">{toggle}</div>
      <Reasons story={story} />
      <Steps story={story} />
      <Idempotency story={story} />
      <Consequences story={story} />
      <Panel title="Request">
        <MessageBody of={story.request} label="Request body" />
      </Panel>
      <Panel title="Response">
        {story.response === null ? (
          <p class="empty">{story.reset ? 'The connection was cut.' : 'No response yet.'}</p>
        ) : (
          <MessageBody of={story.response} label="Response body" />
        )}
      </Panel>
    </article>
  );
}

function Head({ story }: StoryProps) {
  const { request, response, allowance, at_ms, answered_at_ms, reset } = story;
  const status = response?.status ?? null;
  const took =
    answered_at_ms === null ? '' : `, response after ${duration(answered_at_ms - at_ms)}`;
  const refusal = response === null ? null : refusalOf(response);
  return (
    <>
      <h2 class="bar">
        <Badge tone={response === null && !reset ? 'quiet' : toneOf(status)}>
          {status ?? (reset ? 'cut' : 'held')}
        </Badge>
        <span class="target">
          {request.method} {request.target}
        </span>
      </h2>
      <Facts
        of={[
          ['Operation', story.operation ?? 'no operation has this path and method'],
          ['Credential', story.client_name ?? 'not recognised'],
          ['Received', `${fullTime(at_ms)}${took}`],
          ['Request ID', <code>{story.request_id}</code>],
          [
            'Allowance',
            allowance === null
              ? 'not metered here'
              : `${allowance.left} left of ${allowance.per_second} a second`,
          ],
        ]}
      />
      {refusal === null ? null : (
        <p class={`bar rail ${toneOf(status)}`}>
          <strong>{[refusal.code, ...refusal.fields].filter(Boolean).join(' · ')}</strong>
          <span>{refusal.words}</span>
        </p>
      )}
    </>
  );
}

/** Headers that a browser sets itself and does not allow scripts to set. */
const browserHeaders =
  /^(?:host|connection|content-length|user-agent|accept-encoding|origin|referer|cookie|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|dnt|via|sec-.*|proxy-.*)$/;
const keyHeader = 'idempotency-key';

function SendAgain({ story }: StoryProps) {
  const live = useLive();
  const info = useInfo();
  const [sent, setSent] = useState<{ id: string; status: number } | null>(null);
  const sendAgain = async (key: string | null) => {
    const { request } = await live.plane.get<RequestStory>(`requests/${story.id}?secrets=shown`);
    const { status } = await resend(request, key);
    // The newest request of this path is the one that was just sent.
    const { requests } = await live.plane.get<RequestsPage>('requests?limit=20');
    const found = requests.find((each) => each.request.target === request.target);
    if (found !== undefined) setSent({ id: found.id, status });
  };
  const hasKey = headersOf(story.request).some(([name]) => name === keyHeader);
  return (
    <div class="bar">
      <CopyButton text={curlOf(story, info?.base_url ?? location.origin)} words="Copy as curl" />
      <Action run={() => sendAgain(null)}>{hasKey ? 'Send again, same key' : 'Send again'}</Action>
      {hasKey ? <Action run={() => sendAgain(freshKey())}>Send again, new key</Action> : null}
      <span role="status">
        {sent === null ? null : (
          <Link to={placeOf.request(sent.id)}>
            response {sent.status}: request {sent.id}
          </Link>
        )}
      </span>
    </div>
  );
}

async function resend(request: RequestStory['request'], key: string | null): Promise<Response> {
  const { method, target, body, encoding } = request;
  const headers = new Headers();
  for (const [name, value] of headersOf(request)) {
    if (!browserHeaders.test(name)) headers.set(name, value);
  }
  if (key !== null) headers.set(keyHeader, key);
  const hasBody = body !== '' && method !== 'GET' && method !== 'HEAD';
  const bytes =
    encoding === 'text' ? body : Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
  // A target that names another host stays on this server.
  const url = `${location.origin}${target.startsWith('/') ? '' : '/'}${target}`;
  const response = await send(url, { method, headers, ...(hasBody ? { body: bytes } : {}) });
  await response.arrayBuffer();
  return response;
}

function curlOf({ request }: RequestStory, base: string): string {
  const { method, target, body, encoding } = request;
  const headers = headersOf(request).filter(
    ([name]) => !browserHeaders.test(name) && !name.startsWith('accept'),
  );
  const text = shellWord(body);
  const data =
    encoding === 'text' ? `--data-raw ${text}` : `--data-binary @<(printf %s ${text} | base64 -d)`;
  return curlLine(method, `${base}${target}`, headers, body === '' ? undefined : data);
}

function Reasons({ story: { reasons, hints } }: StoryProps) {
  if (reasons.length === 0 && hints.length === 0) return null;
  return (
    <Panel title="Why">
      {hints.length === 0 ? null : (
        <ul class="list" aria-label="Hints">
          {hints.map(({ code, words }) => (
            <li key={code} class="rail warn">
              <Badge tone="warn">hint</Badge> <code>{code}</code>
              <p>
                <Prose words={words} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <ul class="pairs" aria-label="Reasons">
        {reasons.map(({ id, words }) => (
          <li key={id}>
            <Link to={placeOf.rule(id)}>
              <code>{id}</code>
            </Link>
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

function Steps({ story: { steps } }: StoryProps) {
  const deciding = steps.findLastIndex(({ outcome }) => outcome === 'decided' || outcome === 'ran');
  return (
    <TablePanel
      title="Steps"
      columns={[
        ['Step', ({ name }) => titleOf(name)],
        [
          'Outcome',
          (step) =>
            step === steps[deciding] ? (
              <strong>{step.outcome}: this decided the response</strong>
            ) : (
              step.outcome
            ),
        ],
        ['Note', ({ note }) => note, 'wrap'],
      ]}
      rows={steps}
      keyOf={(step) => steps.indexOf(step)}
    />
  );
}

const keyWords = {
  first: 'The first attempt with this key: it ran.',
  replayed: 'A repeat: it got the first response again, and nothing ran.',
  converged: 'It ran again and found what an earlier attempt had created.',
  in_flight: 'The first attempt with this key was still running.',
} as const;

function Idempotency({ story }: StoryProps) {
  const { idempotency, key, subject, first_attempt: first, repeats } = story;
  if (key === null && idempotency === null) return null;
  const attempt = first && (
    <Link to={placeOf.request(first.id)}>
      request {first.id} ({first.request_id})
    </Link>
  );
  const links = repeats.map((id) => (
    <Link key={id} to={placeOf.request(id)}>
      request {id}
    </Link>
  ));
  return (
    <Panel title="Idempotency">
      <p>{idempotency === null ? 'The key was not looked at.' : keyWords[idempotency]}</p>
      <Facts
        of={[
          ['Key', key],
          ['Subject', subject],
          ['First attempt', attempt],
          ['Repeats', links.length === 0 ? null : <span class="bar">{links}</span>],
        ]}
      />
    </Panel>
  );
}

function Consequences({ story: { events, deliveries, fault } }: StoryProps) {
  if (events.length === 0 && deliveries.length === 0 && fault === null) return null;
  return (
    <Panel title="What followed">
      <ul class="list">
        {fault === null ? null : (
          <li class="bar">
            <Badge tone="warn">fault</Badge>
            <Link to={['faults']}>fault {fault.id}</Link>
            <span class="note">{fault.phase} it ran</span>
          </li>
        )}
        {events.map(({ id, seq, kind }) => (
          <li key={id} class="bar">
            <Badge tone="quiet">event</Badge>
            <Link to={placeOf.event(seq)}>{kind ?? id}</Link>
            <span class="note">number {seq}</span>
          </li>
        ))}
        {deliveries.map((delivery) => (
          <DeliveryItem key={delivery.id} of={delivery}>
            {delivery.kind ?? delivery.event_id} to subscription {delivery.subscription_id}
          </DeliveryItem>
        ))}
      </ul>
    </Panel>
  );
}

function MessageBody({ of, label }: { of: Message; label: string }) {
  const { body, encoding } = of;
  const lines = headersOf(of).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <details>
        <summary>{lines.length} headers</summary>
        <CodeBlock text={lines.join('\n')} label={`${label}: headers`} />
      </details>
      {body === '' ? (
        <p class="empty">No body.</p>
      ) : (
        <CodeBlock text={encoding === 'text' ? pretty(body) : body} label={label} />
      )}
      {encoding === 'base64' ? <p class="note">Not UTF-8: the bytes are in base64.</p> : null}
    </>
  );
}
