// The rules that are about a refusal, and so notice when all refusals change their code or status.
const notFoundRules = [
  'UPD-5 UPD-6',
  'TXN-10 TXN-11',
  'TXS-16',
  'AUTH-5 AUTH-6 AUTH-7',
  'HOOK-12 HOOK-11',
  'IDEM-4d',
  'POS-1',
];

const refusalRules = [
  'ACC-2 ACC-4 ACC-8 ACC-9 ACC-15 ACC-16 ACC-21',
  'UPD-5 UPD-6 UPD-7 UPD-8 UPD-9 UPD-10 UPD-11 UPD-12 UPD-13',
  'BULK-3 BULK-5 BULK-6 BULK-7 BULK-8 BULK-9 BULK-10 BULK-13',
  'POS-1',
  'TXN-3 TXN-4 TXN-5 TXN-6 TXN-7 TXN-10 TXN-11 TXN-12',
  'TXS-3 TXS-5 TXS-11 TXS-12 TXS-13 TXS-14 TXS-15 TXS-16 TXS-17',
  'IDEM-1a IDEM-1b IDEM-1d IDEM-4d IDEM-6a IDEM-6b IDEM-6c IDEM-11 IDEM-13 IDEM-14a',
  'IDEM-14b IDEM-15',
  'AUTH-2 AUTH-4 AUTH-5 AUTH-6 AUTH-7 AUTH-8',
  'HOOK-6 HOOK-7 HOOK-8 HOOK-9 HOOK-11 HOOK-12',
  'LIM-2 LIM-5 LIM-6 LIM-7',
  'CONV-1c',
  'AUTH-3b',
];

/** What is out of reach is expected to be the 404 of the table. */
export const notFound = noticedBy(notFoundRules, 'it expects the 404 of the table');

/** Every refusal is expected to have its code under its status. */
export const everyRefusal = noticedBy(refusalRules, 'it expects the code and status of the table');

function noticedBy(lines: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(lines.flatMap((line) => line.split(' ')).map((id) => [id, reason]));
}
