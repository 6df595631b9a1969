// A cache: what a function of a text answered, for as many texts as are likely to be in use.

const mostTexts = 1000;

/** The same function, which must depend on nothing but the text and never fail. */
export function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    // Emptied now and then, which costs less than tracking which ones are old.
    if (known.size >= mostTexts) known.clear();
    const answer = compute(text);
    known.set(text, answer);
    return answer;
  };
}
