/** The results of one request for each item, each sent when the one before it has been answered. */
export async function inTurn<Item, Result>(
  items: Iterable<Item>,
  send: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await send(item, results.length));
  return results;
}
