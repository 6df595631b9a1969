// Rules that no deviation can touch, each with the reason: the proof and the trace ask for one.

export const unbendable: Readonly<Record<string, string>> = {
  'IDEM-1c':
    'HTTP takes the spaces around the value of a header away before any service sees it, so that ' +
    'one that does not trim cannot be told from one that does.',
};
