// A sandbox that deviates, for as long as something is tried on it, and the scripts played on one.
import { execFile } from 'node:child_process';
import { createSandbox } from '../../../simulator/index.ts';

export async function served<T>(
  deviations: string[],
  play: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const sandbox = await createSandbox({ clock: 'frozen', deviations });
  try {
    return await play((await sandbox.listen({ port: 0 })).base_url);
  } finally {
    await sandbox.close();
  }
}

export interface PlayedScript {
  readonly code: number;
  readonly out: string;
}

/** What a replay script says, and its exit code, on a sandbox with these deviations. */
export function playScript(script: string, deviations: string[]): Promise<PlayedScript> {
  return served(
    deviations,
    (baseUrl) =>
      new Promise((resolve) => {
        const env = { ...process.env, BASE_URL: baseUrl, CONTROL_URL: `${baseUrl}/_sandbox` };
        const child = execFile('bash', ['-s'], { env, timeout: 60_000 }, (error, out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: out + err });
        });
        child.stdin!.end(script);
      }),
  );
}
