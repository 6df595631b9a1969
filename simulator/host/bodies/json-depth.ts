// How deeply JSON may be nested: what follows a value inwards must not run out of stack.

/** Nothing that people or programs write is nested so deeply. */
const deepest = 200;

/**
 * Counts open brackets outside strings. Each character is looked at once, whatever the text: it
 * comes from anywhere.
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
