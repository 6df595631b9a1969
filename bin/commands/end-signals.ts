// The signals that ask a program to end. On Windows there is Ctrl-Break beside Ctrl-C, and a window
// that is closed comes as SIGHUP; elsewhere nothing is ever told as SIGBREAK.

/** What ends a program in order. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;

/** For a program that waits for a command which it has started in the same terminal. */
export interface SignalsBeside {
  /** The terminal tells the command too. */
  readonly heardByBoth: readonly NodeJS.Signals[];
  /** The command hears of them through us. */
  readonly handedOn: readonly NodeJS.Signals[];
}

export function signalsBeside(platform: NodeJS.Platform): SignalsBeside {
  // On Windows a signal that is sent ends the command at once, whatever it is called.
  return platform === 'win32'
    ? { heardByBoth: ['SIGINT', 'SIGBREAK', 'SIGHUP'], handedOn: [] }
    : { heardByBoth: ['SIGINT'], handedOn: ['SIGTERM', 'SIGHUP'] };
}
