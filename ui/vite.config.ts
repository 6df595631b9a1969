// How the dashboard is built: static files with no request beyond their own server.
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })],
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2022',
    // One script and one style sheet: the page is served from this machine.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
