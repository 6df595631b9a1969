// Sends a call once more, as it was or under a new key, and gives it as a line for the shell.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestStory, RequestsPage } from '../api-client/answers.ts';
import { fetchApi, freshKey } from '../api-client/api.ts';
import { Button, CopyButton, Problem } from '../components/components.tsx';
import { useCommand, useHref, useInfo, useLive } from '../live/use-world.ts';
import { shellWord } from '../shell-word.ts';
import { headersOf } from './headers.ts';

/** What a browser writes itself, and refuses to be told. */
const ownHeaders = new Set(
  [
    'host connection content-length user-agent accept-encoding origin referer cookie keep-alive',
    'te trailer transfer-encoding upgrade expect date dnt via',
  ].flatMap((names) => names.split(' ')),
);

function isOwn(name: string): boolean {
  return ownHeaders.has(name) || /^(sec|proxy)-/.test(name);
}

const keyHeader = 'idempotency-key';

interface SendAgainProps {
  readonly story: RequestStory;
  /** Further buttons of the bar. */
  readonly children?: ComponentChildren;
}

export function SendAgain({ story, children }: SendAgainProps) {
  const live = useLive();
  const info = useInfo();
  const href = useHref();
  const command = useCommand();
  const [sent, setSent] = useState<{ id: string; status: number } | null>(null);
  const send = (key: string | null) =>
    command.run(async () => {
      // As it was sent, whatever of it is shown.
      const whole = await live.plane.get<RequestStory>(`requests/${story.id}?secrets=shown`);
      const status = await sendAgain(whole, key);
      // The newest call under this path is the one just sent.
      const { requests } = await live.plane.get<RequestsPage>('requests?limit=20');
      const found = requests.find(({ request }) => request.target === story.request.target);
      if (found !== undefined) setSent({ id: found.id, status });
    });
  const hasKey = headersOf(story.request).some(([name]) => name === keyHeader);
  return (
    <div class="bar">
      <CopyButton text={curlOf(story, info?.base_url ?? location.origin)} words="Copy as curl" />
      <Button onClick={() => void send(null)} disabled={command.busy}>
        {hasKey ? 'Send again, same key' : 'Send again'}
      </Button>
      {hasKey ? (
        <Button onClick={() => void send(freshKey())} disabled={command.busy}>
          Send again, new key
        </Button>
      ) : null}
      {children}
      <span role="status">
        {sent === null ? null : (
          <a href={href('timeline', 'requests', sent.id)}>
            answered {sent.status}: request {sent.id}
          </a>
        )}
      </span>
      <Problem words={command.problem} />
    </div>
  );
}

async function sendAgain({ request }: RequestStory, key: string | null): Promise<number> {
  const { method, target } = request;
  const headers = new Headers();
  for (const [name, value] of headersOf(request)) {
    if (!isOwn(name)) headers.set(name, value);
  }
  if (key !== null) headers.set(keyHeader, key);
  const hasBody = request.body !== '' && method !== 'GET' && method !== 'HEAD';
  // A target that names a host of its own stays on this server.
  const path = target.startsWith('/') ? target : `/${target}`;
  const response = await fetchApi(`${location.origin}${path}`, {
    method,
    headers,
    ...(hasBody ? { body: bytesOf(request) } : {}),
  });
  await response.text();
  return response.status;
}

function bytesOf({ body, encoding }: RequestStory['request']): string | Uint8Array<ArrayBuffer> {
  if (encoding === 'text') return body;
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

function curlOf({ request }: RequestStory, base: string): string {
  const lines = [
    `curl -i -X ${shellWord(request.method)} ${shellWord(`${base}${request.target}`)}`,
  ];
  for (const [name, value] of headersOf(request)) {
    if (isOwn(name) || name.startsWith('accept')) continue;
    // In place of a hidden token the shell's own.
    const isHidden = name === 'authorization' && value === 'Bearer (hidden)';
    lines.push(
      isHidden ? '-H "authorization: Bearer $TOKEN"' : `-H ${shellWord(`${name}: ${value}`)}`,
    );
  }
  if (request.body !== '') {
    lines.push(
      request.encoding === 'text'
        ? `--data-raw ${shellWord(request.body)}`
        : `--data-binary @<(printf %s ${shellWord(request.body)} | base64 -d)`,
    );
  }
  return lines.join(' \\\n  ');
}
