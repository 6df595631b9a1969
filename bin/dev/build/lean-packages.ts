// Packages that require more than our programs use of them: what they use is bundled.
import type { Plugin } from 'esbuild';

// undici is one file that requires all that it offers.
const ownIndex = /[\\/]node_modules[\\/]undici[\\/]index\.js$/;

const inUndici = /[\\/]node_modules[\\/]undici[\\/]/;

/** What our programs take from undici, each with the file of the package that makes it. */
export const usedOfUndici = {
  Agent: './lib/dispatcher/agent',
  EnvHttpProxyAgent: './lib/dispatcher/env-http-proxy-agent',
  Pool: './lib/dispatcher/pool',
  WebSocket: './lib/web/websocket/websocket',
  buildConnector: './lib/core/connect',
  request: './lib/api',
} as const;

// What its index itself needs to make these.
const bundled = new Set<string>([
  ...Object.values(usedOfUndici),
  './lib/core/errors',
  './lib/core/symbols',
  './lib/core/util',
  './lib/dispatcher/dispatcher',
  './lib/global',
]);

// Its index takes classes from what is left out, and makes an instance of one. No property of it
// works, and the names that it exports are no functions.
const leftOut = 'module.exports = new Proxy({}, { get: () => class LeftOut {} });';

// Ways to send that nobody asks for: HTTP/2 is spoken only where a client is told to allow it.
const unusedWays = /^\.\/(?:api-stream|api-pipeline|client-h2\.js)$/;

// Its parser of HTTP is there twice, and the plain one runs where the other does not load. The one
// with SIMD is no faster at what we send, and would not run everywhere alone.
const withSimd = /^\.\.\/llhttp\/llhttp_simd-wasm\.js$/;
const doesNotLoad = "throw new Error('the plain parser is bundled');";

/** Leaves out what the index requires and we do not use: caches, mocks, interceptors, `fetch`. */
export const leanUndici: Plugin = {
  name: 'lean-undici',
  setup({ onResolve, onLoad, onEnd }) {
    const met = new Set<string>();
    onResolve({ filter: /^\.\/lib\// }, ({ path, importer }) => {
      if (!ownIndex.test(importer)) return undefined;
      met.add(path);
      return bundled.has(path) ? undefined : { path: 'left-out', namespace: 'undici' };
    });
    onResolve({ filter: unusedWays }, ({ path, importer }) => {
      if (!inUndici.test(importer)) return undefined;
      met.add(path);
      return { path: 'left-out', namespace: 'undici' };
    });
    onResolve({ filter: withSimd }, ({ path }) => {
      met.add(path);
      return { path: 'does-not-load', namespace: 'undici' };
    });
    onLoad({ filter: /./, namespace: 'undici' }, ({ path }) => ({
      contents: path === 'left-out' ? leftOut : doesNotLoad,
    }));
    onEnd(() => {
      const gone = [...bundled, '../llhttp/llhttp_simd-wasm.js'].filter((path) => !met.has(path));
      if (met.size === 0 || gone.length === 0) return;
      throw new Error(`undici no longer requires ${gone.join(', ')}`);
    });
  },
};

// @fastify/static brings what it takes to serve any folder: for the dashboard's few files a plain
// list of them and the common media types are enough.
const staticOwn = /[\\/]@fastify[\\/]static[\\/]index\.js$/;
const sendOwn = /[\\/]@fastify[\\/]send[\\/]/;

// Its one call of `glob` is for all files below a folder; that package is half of the bundle of it.
const listFiles = `
const { readdir } = require('node:fs/promises');
const { join, relative } = require('node:path');
exports.glob = async (pattern, { cwd }) => {
  if (pattern !== '**/**') throw new Error('only all files are listed, and not ' + pattern);
  const found = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => each.isFile());
  return files.map(({ parentPath, name }) => relative(cwd, join(parentPath, name)));
};`;

/** Bundles a list of files in place of `glob`, and of `mime` the part with the common types. */
export const leanStatic: Plugin = {
  name: 'lean-static',
  setup({ onResolve, onLoad, resolve, onEnd }) {
    const met = new Set<string>();
    onResolve({ filter: /^(?:glob|mime)$/ }, ({ path, importer, resolveDir, kind }) => {
      if (!(path === 'glob' ? staticOwn : sendOwn).test(importer)) return undefined;
      met.add(path);
      return path === 'glob'
        ? { path: 'list-files', namespace: 'static' }
        : resolve('mime/lite', { importer, resolveDir, kind });
    });
    onLoad({ filter: /./, namespace: 'static' }, () => ({ contents: listFiles }));
    onEnd(() => {
      if (met.size === 1) throw new Error(`@fastify/static no longer asks for glob and mime`);
    });
  },
};
