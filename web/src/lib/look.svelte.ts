/** Which game the page looks like. */

import type { GameName } from "../generated/catalogue";

class Look {
  game = $state<GameName>("splendor");
}

export const look = new Look();

/** Put the look upon the page, now and after every change. Called once, at the start. */
export function followLook(): void {
  $effect(() => {
    document.documentElement.dataset["game"] = look.game;
  });
}
