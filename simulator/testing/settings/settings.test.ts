// Every value of every setting shows in what the API answers or sends.
import { suite } from 'uvu';
import type { SettingKey } from '../../../fixtures/settings.ts';
import { accessShows } from './access.ts';
import { accountShows } from './accounts.ts';
import { bulkShows } from './bulk.ts';
import { conventionShows } from './conventions.ts';
import { deliveryShows } from './delivery.ts';
import { errorShows } from './errors.ts';
import { idempotencyShows } from './idempotency.ts';
import { limitShows } from './limits.ts';
import { positionShows } from './positions.ts';
import { checkSetting, type SettingCheck } from './show-setting.ts';
import { transactionShows } from './transactions.ts';
import { transitionShows } from './transitions.ts';
import { updateShows } from './updates.ts';
import { webhookShows } from './webhooks.ts';

const shows: Readonly<Record<SettingKey, SettingCheck>> = {
  ...conventionShows,
  ...accountShows,
  ...updateShows,
  ...bulkShows,
  ...positionShows,
  ...transactionShows,
  ...transitionShows,
  ...idempotencyShows,
  ...accessShows,
  ...webhookShows,
  ...deliveryShows,
  ...errorShows,
  ...limitShows,
};

const settings = suite('settings');
for (const [key, show] of Object.entries(shows)) {
  settings(key, () => checkSetting(key as SettingKey, show));
}
settings.run();
