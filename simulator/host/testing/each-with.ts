// One object for each test of a suite, closed even if the test fails.

type Hook<C> = (run: (context: C) => Promise<void>) => void;

/** Opens an object before each test, as that member of the context, and closes it after the test. */
export function eachWith<K extends string, T extends { close(): Promise<unknown> }>(
  tests: { before: { each: Hook<Record<K, T>> }; after: { each: Hook<Record<K, T>> } },
  name: K,
  open: () => Promise<T>,
): void {
  tests.before.each(async (context) => {
    context[name] = (await open()) as Record<K, T>[K];
  });
  tests.after.each(async (context) => {
    await context[name].close();
  });
}
