/** For all tests: wait for what must come as long as a busy machine may need. A test that passes never waits so long. */

import { configure } from "@testing-library/svelte";

configure({ asyncUtilTimeout: 60_000 });
