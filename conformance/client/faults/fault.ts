// What goes wrong in a run: which calls it meets, and what becomes of them.
import type { ApiCall, ApiResponse } from '../call.ts';

/** A call as it has come; nothing has been done about it yet. */
export type Met = Omit<ApiCall, 'fate' | 'struck' | 'response' | 'answeredAtMs'> & {
  /** The first call of its site; a repeat of one is none. */
  readonly isFirst: boolean;
  /** Whose token it carries; null where none or an unknown one. */
  readonly clientId: string | null;
  /** The token endpoint gave out its token, in this run. */
  readonly isIssued: boolean;
};

export type Treatment = { readonly struck: string } & (
  | { readonly kind: 'lose_answer' | 'lose_request' | 'stay_silent' | 'serve' }
  | { readonly kind: 'answer'; readonly response: ApiResponse; readonly holdMs?: number }
);

/** The platform from behind: calls that are not the client's. */
export interface Backstage {
  readonly send: (request: {
    readonly method: string;
    readonly target: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }) => Promise<ApiResponse>;
  /** A token that may do what the client may, and is not the client's. */
  readonly otherToken: string;
  /** Since the start of the run. */
  readonly nowMs: () => number;
}

export interface Fault {
  /** null: the call is served as it is. */
  readonly meet?: (met: Met, backstage: Backstage) => Treatment | null | Promise<Treatment | null>;
  /** Every answer that the platform gives, as the client is to see it. */
  readonly reshape?: (answer: ApiResponse, path: string) => ApiResponse;
  /** A request as the platform is to see it. */
  readonly translate?: (request: Wire) => Wire;
  /** The command's variables, where they differ too. */
  readonly variables?: (
    variables: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** Nothing that may still come would change the verdict, so the run can end. */
  readonly seenEnough?: (calls: readonly ApiCall[]) => boolean;
  /** The time of the run is up, and what shows the most is still to come: it gets as much again. */
  readonly needsMoreTime?: (calls: readonly ApiCall[]) => boolean;
}

export interface Wire {
  readonly target: string;
  readonly body: string;
}
