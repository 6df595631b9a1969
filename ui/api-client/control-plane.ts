// The control plane as the dashboard asks it: JSON in and out, refusals as errors with their
// words.
import { firstWorld } from '../route.ts';

const kept = 'sandbox-control-token';

/** The token that `--control-token` asks for; kept for this tab only. */
export function keepToken(token: string): void {
  sessionStorage.setItem(kept, token);
}

export function authorization(): Record<string, string> {
  const token = sessionStorage.getItem(kept);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** The plane refused, or nobody answered (then the status is 0). */
export class ControlPlaneError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ControlPlane {
  readonly world: string;
  readonly url: (path: string) => string;
  readonly text: (path: string) => Promise<string>;
  readonly get: <T>(path: string) => Promise<T>;
  readonly send: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

export function controlPlaneOf(world: string): ControlPlane {
  const base = world === firstWorld ? '' : `worlds/${encodeURIComponent(world)}/`;
  const url = (path: string) => `/_sandbox/${base}${path}`;
  return {
    world,
    url,
    text: (path) => ask('GET', url(path)),
    get: async <T>(path: string) => JSON.parse(await ask('GET', url(path))) as T,
    send: async <T>(method: string, path: string, body?: unknown) => {
      const text = await ask(method, url(path), body);
      return (text === '' ? null : JSON.parse(text)) as T;
    },
  };
}

async function ask(method: string, url: string, body?: unknown): Promise<string> {
  const headers = { ...authorization(), ...(body === undefined ? {} : json) };
  const sent = body === undefined ? {} : { body: printBody(body) };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { method, headers, ...sent });
    text = await response.text();
  } catch (error) {
    // The browser says only that it failed: nobody is there.
    if (error instanceof TypeError) throw new ControlPlaneError(0, 'The sandbox does not answer.');
    throw error;
  }
  if (!response.ok) throw new ControlPlaneError(response.status, detailOf(text, response.status));
  return text;
}

const json = { 'content-type': 'application/json' };

function printBody(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** What a problem says of itself. */
export function detailOf(text: string, status: number): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return text.trim() === '' ? `It answered ${status}.` : text.slice(0, 300);
}
