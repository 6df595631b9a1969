// Lists that are waited for: answered as soon as there is something in them.
import { whole } from '../../fixtures/schemas/kit.ts';
import type { Notice } from '../host/world/notice.ts';
import { until } from '../host/world/until.ts';
import type { HandlerContext } from './row.ts';

export const waitParameter = whole(
  'Where nothing fits yet, the answer waits so many milliseconds by the wall for the first that does, and is empty after them. It comes at once when the world is reset or dropped.',
  0,
  60_000,
);

export interface WaitedPage<T> {
  readonly read: () => T;
  readonly isEmpty: (page: T) => boolean;
  /** After which something may be there that was not. */
  readonly after: readonly Notice['kind'][];
}

/** Reads once if there is nothing to wait for. The wait ends when the caller leaves. */
export async function readWhenThere<T>(
  { plane, host, signal, query }: HandlerContext<unknown, { readonly wait_ms?: number }>,
  { read, isEmpty, after }: WaitedPage<T>,
): Promise<T> {
  let page = read();
  if ((query.wait_ms ?? 0) === 0 || !isEmpty(page)) return page;
  await until({
    timeoutMs: query.wait_ms ?? 0,
    isMet: () => {
      page = read();
      return !isEmpty(page);
    },
    listen: (look, over) => {
      // The list is read once per turn, however much happens in it.
      let soon: NodeJS.Immediate | undefined;
      const later = () => {
        clearImmediate(soon);
        soon = setImmediate(look);
      };
      const stops = [
        host.listen(({ kind }) => {
          if (kind === 'world' || kind === 'closed') over();
          else if (after.includes(kind)) later();
        }),
        plane.onClose(over),
        () => signal?.removeEventListener('abort', over),
        () => clearImmediate(soon),
      ];
      signal?.addEventListener('abort', over, { once: true });
      return () => {
        for (const stop of stops) stop();
      };
    },
  });
  return signal?.aborted ? page : read();
}
