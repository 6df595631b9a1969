// A sandbox with deviations, for as long as a test uses it.
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
