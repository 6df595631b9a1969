// Header lines as received: order and repeats kept, names matched case-insensitively.

export type HeaderLine = readonly [name: string, value: string];

export class Headers {
  readonly lines: readonly HeaderLine[];

  constructor(lines: readonly HeaderLine[] = []) {
    this.lines = lines;
  }

  /** The value of the first line of that name. */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.lines.find(([each]) => each.toLowerCase() === wanted)?.[1];
  }

  /** Every line of that name, in order. */
  all(name: string): string[] {
    const wanted = name.toLowerCase();
    return this.lines.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** The media type in lower case, without its parameters; empty if there is none. */
  mediaType(): string {
    return (this.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  }
}

/** Node's flat list `[name, value, name, value]` of raw header bytes or strings, as lines. */
export function linesOfRaw(raw: readonly (Uint8Array | string)[]): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    lines.push([textOf(raw[at]!), textOf(raw[at + 1]!)]);
  }
  return lines;
}

function textOf(raw: Uint8Array | string): string {
  return typeof raw === 'string' ? raw : Buffer.from(raw).toString('latin1');
}
