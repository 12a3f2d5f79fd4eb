/** Tells the service worker which files make up the page. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import type { Plugin } from "vite";

/** What is needed to begin without a line, besides what is built; the system keeps the icons itself. */
const PUBLIC_FILES = ["favicon.svg", "manifest.webmanifest"];
/** Texts of one language, and the letters of one script: of these a device keeps what it has needed. */
const LAZY = /\.woff2$|\/(?:messages|content|generated)\/[\w.]+\.json$/;

/**
 * Puts two lists at the beginning of the service worker: the files that it keeps at once, and those that it keeps when
 * they are first needed; and a version that changes with any of them.
 */
export function shell(): Plugin {
  return {
    name: "shell",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk")
        throw new Error("expected the service worker sw.js among what is built, found none");
      const hash = createHash("sha256");
      const files = PUBLIC_FILES.map((name) => `/${name}`);
      const lazy: string[] = [];
      for (const name of PUBLIC_FILES) hash.update(name).update(readFileSync(`public/${name}`));
      for (const file of Object.values(bundle)) {
        const path = file.fileName === "index.html" ? "/" : `/${file.fileName}`;
        hash.update(path).update(file.type === "chunk" ? file.code : file.source);
        if (file === worker || file.fileName.endsWith(".txt")) continue;
        const origin = file.type === "chunk" ? (file.facadeModuleId ?? "") : file.fileName;
        (LAZY.test(origin) ? lazy : files).push(path);
      }
      const version = hash.digest("hex").slice(0, 16);
      worker.code = `const SHELL=${JSON.stringify({ version, files, lazy })};${worker.code}`;
    },
  };
}
