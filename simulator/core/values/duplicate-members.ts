// Finds a JSON object that names one member twice, which JSON.parse passes over in silence (NS-47).

interface Level {
  readonly names: Set<string> | null;
}

/**
 * The first member name that occurs twice in one object of valid JSON text; null when none does.
 */
export function findDuplicateMember(text: string): string | null {
  const levels: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const part = match[0];
    if (part === '{') levels.push({ names: new Set() });
    else if (part === '[') levels.push({ names: null });
    else if (part === '}' || part === ']') levels.pop();
    else {
      const names = levels[levels.length - 1]?.names;
      if (names == null || !/^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 64)))
        continue;
      const name = JSON.parse(part) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return null;
}
