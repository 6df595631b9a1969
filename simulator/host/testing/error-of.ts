/** The error with which a call throws or a promise rejects; fails if there is none. */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<Error> {
  const caught = await (async () => (typeof work === 'function' ? work() : work))().then(
    () => null,
    (error: Error) => error,
  );
  if (caught === null) throw new Error('nothing was refused');
  return caught;
}

export const messageOf = async (work: Promise<unknown>) => (await errorOf(work)).message;
