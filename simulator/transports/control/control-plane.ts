// The control plane's door: made once for a sandbox, then used in process or mounted on a server.

import type { ControlPlaneOptions, Plane } from '../../control/plane.ts';
import type { Admitted, ControlHead, ControlReply, ControlRequest } from '../../control/reply.ts';
import { fetchControl } from './fetch.ts';

export type { ControlPlaneOptions, ReceiverJudged, ReceiverToJudge } from '../../control/plane.ts';
export type { ControlReply, ControlRequest } from '../../control/reply.ts';

export interface ControlPlane {
  /** Judges a request by its head, before any of its body is read. */
  readonly admit: (head: ControlHead) => Promise<ControlReply | Admitted>;
  /** Answers one request; never rejects. */
  readonly handle: (request: ControlRequest) => Promise<ControlReply>;
  /** The same for a standard Request, without a socket. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the streams, so that a server need not wait for those who follow them. */
  readonly close: () => void;
}

/**
 * The rows are loaded with the first request, so that a sandbox that nobody controls starts sooner.
 */
export function controlPlane(options: ControlPlaneOptions): ControlPlane {
  let loading: Promise<Plane> | null = null;
  const load = (): Promise<Plane> => {
    loading ??= import('../../control/plane.ts').then(({ Plane: Rows }) => new Rows(options));
    return loading;
  };
  return {
    admit: async (head) => (await load()).admit(head),
    handle: async (request) => (await load()).handle(request),
    fetch: async (request) => fetchControl(await load(), request),
    close: () => {
      void loading?.then((plane) => plane.close());
    },
  };
}
