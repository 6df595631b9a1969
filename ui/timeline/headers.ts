// The headers of a message in the journal, by lower-case name.
import type { RequestStory } from '../api-client/answers.ts';

type Message = RequestStory['request'] | NonNullable<RequestStory['response']>;

export function headersOf({ headers }: Message): readonly (readonly [string, string])[] {
  return Object.entries(headers as Readonly<Record<string, string>>);
}
