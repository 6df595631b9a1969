// The maximum depth of nested JSON: recursion into a value must not overflow the stack.

/** Real documents are never nested this deeply. */
const deepest = 200;

/**
 * Counts open brackets outside strings. Each character is read once, because the text is untrusted.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const found = text[at];
    if (found === '"') inString = !inString;
    else if (inString) at += found === '\\' ? 1 : 0;
    else if (found === '[' || found === '{') depth += 1;
    else if (found === ']' || found === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}
