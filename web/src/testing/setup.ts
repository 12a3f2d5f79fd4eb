/** For all tests: wait for what must come as long as a busy machine may need. A test that passes never waits so long. */

import { configure } from "@testing-library/svelte";

import { LANGUAGES, learn, type Language } from "../lib/messages.svelte";

configure({ asyncUtilTimeout: 60_000 });

await Promise.all(Object.keys(LANGUAGES).map((language) => learn(language as Language)));
