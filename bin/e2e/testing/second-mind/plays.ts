// What plays that show a defect of the second mind are made of.
import { createHmac } from 'node:crypto';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DefectId, defects } from './defects.ts';
import { Scene, type Seen } from './scene.ts';
import { plain } from './values/style-plain.ts';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

export const update = (scene: Scene, { body }: Seen, wanted: Record<string, string>, tag: number) =>
  scene.send(`PATCH /accounts/${body.id}`, wanted, { tag: `"${tag}"` });
export const row = (reference: string, more = {}) => ({
  ...{ client_reference_id: reference, email: `${reference}@example.com`, brand_id: '10' },
  ...more,
});
export const rows = (count: number) => Array.from({ length: count }, (_, at) => row(`row-${at}`));
export const batch = (scene: Scene, accounts: ReturnType<typeof rows>, key?: string) =>
  scene.send('POST /accounts/bulk', { accounts }, key === undefined ? {} : { key });
export const settled = (scene: Scene, { body }: Seen) => {
  scene.pass(3 * SECOND);
  scene.mind.handle({ method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) });
  return body;
};
export type Sent = ReturnType<Scene['deliver']>[number];
export const signatures = (sent: readonly Sent[]) =>
  sent.map(({ headers }) => JSON.stringify(headers).split('v1=').length - 1);

export const isSignedWith = (secret: string, { headers, body }: Sent) => {
  const [, t = ''] = /t=(\d+)/.exec(JSON.stringify(headers)) ?? [];
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return JSON.stringify(headers).includes(`v1=${digest}`);
};

export type Plays = Partial<Record<DefectId, (scene: Scene) => unknown>>;

/** Each is answered by the broken one in another way than by the whole one. */
export function showPlays(shown: Test, plays: Plays, style = plain): void {
  for (const [id, play] of Object.entries(plays) as [DefectId, (scene: Scene) => unknown][]) {
    shown(`${id} shows in the style ${style.name}`, () => {
      const story = defects.find((each) => each.id === id)?.story;
      const whole = play(new Scene([], style));
      assert.not.equal(play(new Scene([id], style)), whole, story);
    });
  }
}
