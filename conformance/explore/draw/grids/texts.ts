// Texts that show what is lost of them: no two of their places are alike to a careless eye.

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Of so many letters, the last of them a capital: one that is cut off is missed. */
export function textOfLength(length: number): string {
  const all = Array.from({ length: length - 1 }, (_, at) => LETTERS[at % LETTERS.length]);
  return `${all.join('')}Z`;
}
