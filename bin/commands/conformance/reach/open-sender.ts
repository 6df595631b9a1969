// The way out for the commands that speak to a target: the same for each of them.
import { type Sender, socketSender } from '../../../../conformance/engine/send/sender.ts';
import type { Redactor } from '../../../../conformance/reports/redact.ts';
import type { JudgeIo } from '../io.ts';
import { readRoute } from './reach-options.ts';

/** Throws UsageError where a file or a variable is of no use. */
export function openSender(
  { ca }: { readonly ca: string | undefined },
  io: JudgeIo,
  redactor: Redactor,
): Promise<Sender> {
  const { route, secrets } = readRoute(ca, io);
  for (const secret of secrets) redactor.add(secret);
  return socketSender(route);
}

/** The options that reach the same target again, for commands that are printed. */
export function reachOptions(options: {
  readonly ca: string | undefined;
  readonly headers: readonly { readonly option: string }[];
}): string[] {
  const ca = options.ca === undefined ? [] : [`--ca ${options.ca}`];
  return [...options.headers.map(({ option }) => option), ...ca];
}
