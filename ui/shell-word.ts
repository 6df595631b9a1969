// A text as one word of a command that is copied into a shell.

/** In single quotes a POSIX shell takes everything as it is, but for the quote that ends them. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
