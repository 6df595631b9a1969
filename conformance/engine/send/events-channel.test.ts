// A missing events channel is not an error.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer } from '../testing/http.ts';
import { openEventsChannel } from './events-channel.ts';

const channel = suite('events channel');

channel('is undefined if no WebSocket answers, or if nothing listens', async () => {
  await withServer(
    (_, response) => response.writeHead(404).end(),
    async (origin) => {
      for (const each of [origin, 'http://127.0.0.1:1']) {
        const opened = openEventsChannel(`${each}/api/v1/events`, { token: 'tok_1' });
        assert.is(await opened, undefined);
      }
    },
  );
});

channel.run();
