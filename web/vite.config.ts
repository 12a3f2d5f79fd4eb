import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** What is needed to begin without a line, besides what is built; the system keeps the icons itself. */
const PUBLIC_FILES = ["favicon.svg", "manifest.webmanifest"];

/** Tells the service worker which files make up the page, and a version that changes with any of them. */
function shell(): Plugin {
  return {
    name: "shell",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk")
        throw new Error("expected the service worker sw.js among what is built, found none");
      const contents = new Map(PUBLIC_FILES.map((name) => [name, readFileSync(`public/${name}`)]));
      for (const file of Object.values(bundle)) {
        contents.set(file.fileName, Buffer.from(file.type === "chunk" ? file.code : file.source));
      }
      const hash = createHash("sha256");
      for (const [name, content] of contents) hash.update(name).update(content);
      contents.delete("sw.js");
      const files = [...contents.keys()].map((name) => (name === "index.html" ? "/" : `/${name}`));
      worker.code = `const SHELL=${JSON.stringify({ version: hash.digest("hex").slice(0, 16), files })};${worker.code}`;
    },
  };
}

export default defineConfig({
  plugins: [svelte(), svelteTesting(), shell()],
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
