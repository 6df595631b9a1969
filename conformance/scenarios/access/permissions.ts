// AUTH: what a firm itself may no longer do, none of its credentials can.

import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { everyCommand, isServedFirst, SERVED } from '../support/commands.ts';

const authPermissions: Scenario = {
  id: 'auth-permissions',
  title: 'An operation that the firm may no longer do is 403 forbidden, and only that one',
  rules: ['AUTH-8'],
  needs: ['permissions', 'trading_account'],
  lane: 'own_world',
  async run(t) {
    const { firmId = '1' } = await t.credential(t.mainRole);
    for (const command of await everyCommand(t)) {
      await t.branch('AUTH-8', command.operation, async () => {
        const shown = await command.prepare();
        const key = command.owner === 'HOOK-6' ? {} : { key: t.fresh.key() };
        await t.control(
          `${command.operation} while it is allowed`,
          () => shown(t.api, key),
          ...SERVED,
        );
        const send = await command.prepare();
        await t.operator.permit(firmId, command.operation, false);
        t.expect('AUTH-8', await send(t.api)).refused(403, 'forbidden');
        await t.operator.permit(firmId, command.operation, true);
        const served = await send(t.api);
        const first = await isServedFirst(t, command, served);
        t.expect('AUTH-8', served).is('served as if for the first time', first);
      });
    }
  },
};

const bulkPermissions: Scenario = {
  id: 'bulk-permissions',
  title: 'Rows of a firm that may create no single account are 403, as a single create is',
  rules: ['BULK-3'],
  needs: ['permissions'],
  lane: 'own_world',
  async run(t) {
    const { firmId = '1' } = await t.credential(t.mainRole);
    const known = await t.given.account();
    await t.operator.permit(firmId, 'createAccount', false);
    const bodies = [t.newAccount(), known.body, t.newAccount({ email: 'no at sign' })];
    const singles: Answer[] = [];
    for (const body of bodies) {
      const single = await t.api.createAccount(body);
      // AUTH-8: without this there is nothing that the rows should be like.
      if (single.status !== 403) throw new Blocked(`a single create: ${single.summary}`);
      singles.push(single);
    }
    const batch = await t.api.bulkCreateAccounts(bodies);
    if (batch.status !== 200) throw new Blocked(`the batch: ${batch.summary} (BULK-1)`);
    for (const [index, single] of singles.entries()) {
      const status = batch.at(`rows.${index}.status`);
      const words = `row ${index}: ${single.status}, as creating it alone`;
      t.expect('BULK-3', batch.presuming('BULK-8')).is(
        words,
        status === single.status,
        `status ${status}`,
        single,
      );
    }
  },
};

const authPermissionsOfOthers: Scenario = {
  id: 'auth-permissions-of-others',
  title: 'A firm’s permissions hold for all of its credentials, and for no other firm',
  rules: ['AUTH-8'],
  needs: ['permissions', 'brand', 'other_firm'],
  lane: 'own_world',
  async run(t) {
    const { firmId = '1' } = await t.credential(t.mainRole);
    await t.given.account({}, 'brand');
    await t.given.account({}, 'other_firm');
    await t.operator.permit(firmId, 'createAccount', false);
    const ofBrand = await t.as('brand').createAccount(t.newAccount({}, 'brand'));
    t.expect('AUTH-8', ofBrand).refused(403, 'forbidden');
    const rows = await t.api.bulkCreateAccounts([t.newAccount()]);
    // What else a batch may be answered is judged where batches are.
    t.expect('AUTH-8', rows).is('another operation, which is still allowed', rows.status !== 403);
    const elsewhere = await t.as('other_firm').createAccount(t.newAccount({}, 'other_firm'));
    t.expect('AUTH-8', elsewhere).is(
      'another firm, which is still allowed',
      elsewhere.status < 300,
    );
  },
};

export const permissionScenarios: readonly Scenario[] = [
  authPermissions,
  bulkPermissions,
  authPermissionsOfOthers,
];
