import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import typescript from "typescript-eslint";

import svelteConfig from "./svelte.config.js";

export default typescript.config(
  { ignores: ["node_modules/", "dist/", "src/generated/"] },
  js.configs.recommended,
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  ...svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: {
      parserOptions: { parser: typescript.parser, extraFileExtensions: [".svelte"], svelteConfig },
    },
  },
  {
    // TypeScript itself finds undefined names, and knows types as well as values.
    files: ["**/*.ts", "**/*.svelte"],
    rules: {
      "no-undef": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  { files: ["*.config.js", "*.config.ts"], languageOptions: { globals: { ...globals.node } } },
);
