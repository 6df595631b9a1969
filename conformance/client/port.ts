// What the judge of clients needs of a sandbox; the command provides it.

export interface SandboxWorld {
  /** Answers a call of the API or of the control plane; rejects when the connection is cut. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Where the same world is served over a socket, for connections that are no calls. */
  readonly listen: () => Promise<{ readonly host: string; readonly port: number }>;
  /** What the command finds in its environment besides the two urls. */
  readonly variables: Readonly<Record<string, string>>;
  /** Tokens and secrets that a client may have been given, each with whose it is. */
  readonly secrets: readonly { readonly value: string; readonly clientId: string }[];
  /** A token of another client that may change every account of the first firm. */
  readonly otherToken: string;
  readonly close: () => Promise<void>;
}

/** A world of its own for each run; the same seed makes the same one. */
export type OpenWorld = (seed: string) => Promise<SandboxWorld>;
