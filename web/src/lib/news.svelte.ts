/** What a screen reader says of a table: what happens there, and what comes of one's own touches. */

import type { Outcome, Position } from "../generated/protocol";
import type { Decision } from "./decision.svelte";
import { t } from "./messages.svelte";
import { cardName, clausesOf, endingText, type GameEvent } from "./story";
import type { Table } from "./table.svelte";
import { ticking } from "./time.svelte";

export class News {
  /** The last thing to be said. */
  text = $state("");
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Say what happened. */
  tell(event: GameEvent, now: Position): void {
    const name = this.#table.nameOf(event.seat);
    if (event.type === "undone") {
      this.text = t("news.undone", { name });
      return;
    }
    if (event.type === "left") {
      this.text = event.reason === "clock" ? t("news.clock", { name }) : t("news.left", { name });
      if (now.outcome !== null) this.text = this.#ending(now.outcome);
      return;
    }
    const clauses = clausesOf(now.view.game, event);
    const sentences = clauses.length > 0 ? [t("news", { name, what: clauses.join(t("log.between")) })] : [];
    if (now.outcome !== null) sentences.push(this.#ending(now.outcome));
    else if (now.view.viewer === now.view.seat && event.is_turn_over) sentences.push(t("news.turn"));
    this.text = sentences.join(" ");
  }

  #ending(outcome: Outcome): string {
    return endingText(outcome, (seat) => this.#table.nameOf(seat));
  }

  /** The whole seconds that the viewer has left to move; null if there is no such clock. */
  readonly #secondsLeft = $derived.by(() => {
    const { info, shown, ahead } = this.#table;
    const isOurs = info?.status === "playing" && info.clock?.kind === "live" && shown?.view.viewer === shown?.view.seat;
    const deadline = isOurs && shown?.outcome === null ? shown.clock?.deadline : null;
    return deadline ? Math.ceil((Date.parse(deadline) - ticking() - ahead) / 1000) : null;
  });

  /** Say how much time is left, when it is little. */
  followClock(): void {
    const count = this.#secondsLeft;
    if (count === 30 || count === 10) this.text = t("news.seconds", { count });
  }
}

/** What is held back, in words; null if nothing is. */
export function heldText(decision: Decision, position: Position): string | null {
  const { move } = decision.held;
  if (move?.place == null) return null;
  const { game } = position.view;
  const price = position.prices.find((other) => other.place === move.place);
  const card = price === undefined ? t("deck.title", { level: move.place }) : cardName(game, price.card);
  return move.kind === "buy" ? t(`held.buy.${game}`, { card }) : t("held.reserve", { card });
}
