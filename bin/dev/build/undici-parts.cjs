// The parts of undici that the programs use; its own index would load and bundle all of it.
const api = require('../../../node_modules/undici/lib/api');
const { getGlobalDispatcher } = require('../../../node_modules/undici/lib/global');

/** As undici's index has it: the function of a dispatcher, called with a URL. */
function request(url, { dispatcher = getGlobalDispatcher(), ...options } = {}) {
  const { origin, pathname, search } = new URL(url);
  const method = options.method ?? (options.body ? 'PUT' : 'GET');
  return api.request.call(dispatcher, { ...options, origin, path: `${pathname}${search}`, method });
}

module.exports = {
  Agent: require('../../../node_modules/undici/lib/dispatcher/agent'),
  EnvHttpProxyAgent: require('../../../node_modules/undici/lib/dispatcher/env-http-proxy-agent'),
  Pool: require('../../../node_modules/undici/lib/dispatcher/pool'),
  WebSocket: require('../../../node_modules/undici/lib/web/websocket/websocket').WebSocket,
  buildConnector: require('../../../node_modules/undici/lib/core/connect'),
  request,
};
