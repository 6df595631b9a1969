// The signals that end a program. Windows has Ctrl-Break in addition to Ctrl-C, and closing a window
// sends SIGHUP; other platforms never send SIGBREAK.

/** Signals that end a program gracefully. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;

/** For a program that waits for a command that it started in the same terminal. */
export interface SignalsBeside {
  /** The terminal sends these to the command too. */
  readonly heardByBoth: readonly NodeJS.Signals[];
  /** Forwarded by this program to the command. */
  readonly handedOn: readonly NodeJS.Signals[];
}

export function signalsBeside(platform: NodeJS.Platform): SignalsBeside {
  // On Windows any signal sent to it kills the command immediately.
  return platform === 'win32'
    ? { heardByBoth: ['SIGINT', 'SIGBREAK', 'SIGHUP'], handedOn: [] }
    : { heardByBoth: ['SIGINT'], handedOn: ['SIGTERM', 'SIGHUP'] };
}
