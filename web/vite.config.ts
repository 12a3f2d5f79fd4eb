import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

import { fonts } from "./plugins/fonts";
import { shell } from "./plugins/shell";

export default defineConfig({
  plugins: [svelte(), svelteTesting(), fonts(), shell()],
  build: {
    outDir: "../src/cabochon/server/static",
    emptyOutDir: true,
    target: "es2022",
    // The page is served with `default-src 'self'`: no data: addresses and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: "index.html", sw: "worker/worker.ts" },
      output: { entryFileNames: (entry) => (entry.name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  // `npm run dev` beside `cabochon serve`: the page is made anew at every change, the rest comes from the server.
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true } } },
  test: {
    environment: "jsdom",
    pool: "vmThreads", // one jsdom for each worker, not for each file
    include: ["src/**/*.test.ts"],
    restoreMocks: true,
    setupFiles: ["src/testing/setup.ts"],
    testTimeout: 120_000, // milliseconds; the machine may be busy
  },
});
