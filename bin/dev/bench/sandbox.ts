// The sandbox as a subject: started as its users start it, with credentials that fit a load.
import { type Subject, startSubject } from './subject.ts';

const unlimited = 100_000_000;

export interface SandboxSubject extends Subject {
  /** A token that no rate limit stops. */
  token: string;
  /** A token that is over its limit from the second request on. */
  limitedToken: string;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Back to the starting world, with fresh credentials. */
  reset(): Promise<void>;
}

/** `extra` are arguments for Node itself. */
export async function startSandbox(extra: readonly string[] = []): Promise<SandboxSubject> {
  const args = ['bin/sandbox.js', 'start', '--port', '0', '--json', '--quiet', '--plan', 'pro'];
  const subject = await startSubject([...extra, ...args]);
  const base = subject.ready.control_url as string;

  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${base}/${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

  const mint = async (rate: number): Promise<string> => {
    const made = await control('POST', 'credentials', {
      firm_id: '1',
      brand_id: '10',
      scopes: ['accounts:write'],
      rate_per_second: rate,
    });
    return (made as { token: string }).token;
  };

  const prepare = async () => {
    await control('PATCH', 'firms/1', { rate_per_second: unlimited });
    sandbox.token = await mint(unlimited);
    sandbox.limitedToken = await mint(1);
  };

  const sandbox: SandboxSubject = {
    ...subject,
    token: '',
    limitedToken: '',
    control,
    reset: async () => {
      await control('POST', 'reset', {});
      await prepare();
    },
  };
  await prepare();
  return sandbox;
}
