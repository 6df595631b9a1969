// The parts of undici that the programs use; its own index would load and bundle all of it.
module.exports = {
  Agent: require('../../../node_modules/undici/lib/dispatcher/agent'),
  EnvHttpProxyAgent: require('../../../node_modules/undici/lib/dispatcher/env-http-proxy-agent'),
  Pool: require('../../../node_modules/undici/lib/dispatcher/pool'),
  WebSocket: require('../../../node_modules/undici/lib/web/websocket/websocket').WebSocket,
  buildConnector: require('../../../node_modules/undici/lib/core/connect'),
  request: require('../../../node_modules/undici/lib/api').request,
};
