/** Clocks in words. */

import type { DaysClock, LiveClock } from "../generated/protocol";
import { t } from "./messages.svelte";

const MINUTE = 60;

/** So many seconds in words; whole minutes from one minute on. */
export function spanText(seconds: number): string {
  const isMinutes = seconds >= MINUTE && seconds % MINUTE === 0;
  return isMinutes ? t("clock.minutes", { count: seconds / MINUTE }) : t("clock.seconds", { count: seconds });
}

/** What a table's clock allows. */
export function clockText(clock: LiveClock | DaysClock | null): string {
  if (clock === null) return t("clockKind.none");
  if (clock.kind === "days") return t("clock.is.days", { turn: t("clock.dayCount", { count: clock.days }) });
  return t("clock.is.live", { turn: spanText(clock.move_seconds), reserve: spanText(clock.reserve_seconds) });
}
