/** Calls to the server whose refusal is shown. */

import type { ErrorInfo } from "../generated/protocol";
import { RefusedCall } from "./api";

/** Do it; null if it was done, and otherwise why the server refused. Any other error is one of the page's own. */
export async function attempt(work: () => Promise<unknown>): Promise<ErrorInfo | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    return error.info;
  }
}
