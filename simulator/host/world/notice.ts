// Notifications of a world to its listeners.
import type { CommandName } from '../../core/commands/commands.ts';

/** Something that happened, for the log, the stream and the events channel. */
export type Notice =
  | { readonly kind: 'request'; readonly n: number }
  | { readonly kind: 'event'; readonly seq: number }
  | {
      readonly kind: 'delivery';
      readonly id: string;
      /** `delayed`: by a fault, before anything was sent. A dropped delivery is `ended`. */
      readonly phase: 'sent' | 'ended' | 'delayed';
    }
  | { readonly kind: 'command'; readonly name: CommandName }
  | { readonly kind: 'snapshots' }
  | { readonly kind: 'clock' }
  /** Another world replaced this one. */
  | { readonly kind: 'world' }
  /** The world is dropped, or the sandbox is closed: the last notice. */
  | { readonly kind: 'closed' };
