// The report that `conformance client` writes, as far as it is shown here.

export interface ClientReport {
  readonly schema: 'client/1';
  readonly command: readonly string[];
  readonly verdict: string;
  readonly runs: number;
  readonly requests: number;
  readonly duration_ms: number;
  readonly does: string;
  readonly unusable: string | null;
  readonly notes: readonly string[];
  readonly checks: readonly ClientCheck[];
  readonly recordings: readonly ClientRecording[];
}

export interface ClientCheck {
  readonly id: string;
  readonly title: string;
  readonly orders: string;
  readonly expected: string;
  readonly at_stake: string;
  readonly mend: { readonly words: string; readonly example: string };
  readonly rules: readonly { readonly id: string; readonly words: string }[];
  readonly verdict: string;
  readonly why: string | null;
  readonly findings: readonly ClientFinding[];
  readonly shown: Omit<ClientFinding, 'replay'> | null;
}

export interface ClientFinding {
  readonly place: string;
  readonly verdict: string;
  readonly actual: string;
  readonly run: number;
  readonly calls: readonly number[];
  readonly replay: string;
}

export interface ClientRecording {
  readonly run: number;
  readonly ending: {
    readonly words: string;
    readonly duration_ms: number;
    readonly output: string;
  };
  readonly calls: readonly ClientCall[];
}

export interface ClientCall {
  readonly n: number;
  readonly at_ms: number;
  readonly method: string;
  readonly target: string;
  readonly key: string | null;
  readonly struck: string | null;
  readonly status: number | null;
  readonly abandoned_at_ms: number | null;
}

/** The report in the text of a file, or what is wrong with it. */
export function readClientReport(text: string): ClientReport | string {
  const remedy = 'choose what --report json=FILE of conformance client has written';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return `This is no JSON; ${remedy}.`;
    throw error;
  }
  const { schema } = (json ?? {}) as { schema?: unknown };
  return schema === 'client/1' ? (json as ClientReport) : `This is another report; ${remedy}.`;
}
