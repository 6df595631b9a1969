// What a scenario leaves on a target that outlives it: subscriptions, which would go on being
// delivered to.
import type { Credential } from '../../providers/target.ts';
import type { Answer } from '../send/answer.ts';
import type { RequestDraft } from '../send/client.ts';

const PATH = '/api/v1/webhooks';

export class OpenSubscriptions {
  readonly #open = new Map<string, Credential>();

  /** Sees a call and its answer: a subscription that was made, or one that was disabled. */
  note(draft: RequestDraft, credential: Credential, answer: Answer): void {
    if (draft.method !== 'POST' || answer.status >= 300) return;
    const path = draft.target.split('?')[0]!;
    if (path === PATH) {
      const id = answer.at('id');
      if (typeof id === 'number' || typeof id === 'string') this.#open.set(String(id), credential);
    }
    const disabled = /^\/api\/v1\/webhooks\/([^/]+)\/disable$/.exec(path)?.[1];
    if (disabled !== undefined) this.#open.delete(disabled);
  }

  /** The calls that put an end to what is left, each with the credential that began it. */
  disableCalls(): [RequestDraft, Credential][] {
    return [...this.#open].map(([id, credential]) => {
      const target = `${PATH}/${encodeURIComponent(id)}/disable`;
      const rest = { headers: [], body: undefined, authorization: undefined };
      return [
        { method: 'POST', target, ...rest, timeoutMs: undefined, unpaced: false },
        credential,
      ];
    });
  }
}
