import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";

import * as api from "../lib/api";
import ClaimScreen from "./ClaimScreen.svelte";

const GUEST = { guest: { id: "1", nickname: "Ada" } };

test("a device that is nobody's takes the link at once", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: null });
  const claim = vi.spyOn(api, "claim").mockResolvedValue(GUEST);
  render(ClaimScreen, { key: "secret" });
  await waitFor(() => expect(claim).toHaveBeenCalledWith("secret"));
});

test("a device that is somebody's asks first", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue(GUEST);
  const claim = vi.spyOn(api, "claim").mockResolvedValue(GUEST);
  render(ClaimScreen, { key: "secret" });
  expect(await screen.findByText(/On this device, you are Ada/)).toBeTruthy();
  expect(claim).not.toHaveBeenCalled();
  await fireEvent.click(screen.getByText("Continue as that player"));
  await waitFor(() => expect(claim).toHaveBeenCalledWith("secret"));
});
