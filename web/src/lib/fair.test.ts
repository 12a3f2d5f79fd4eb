import { readFileSync } from "node:fs";
import { join } from "node:path";
import { webcrypto } from "node:crypto";

import { beforeEach, describe, expect, test, vi } from "vitest";

import { commitmentTo, dealOf, pick, verify } from "./fair";

interface Golden {
  draws: { seed: string; stream: string; draw: number; outcomes: string; outcome: string }[];
  records: string[];
}

// What the library itself deals: `python -m tests.test_fair_golden`.
const FILE = join(import.meta.dirname, "..", "..", "..", "tests", "data", "fair.json");
const GOLDEN = JSON.parse(readFileSync(FILE, "utf-8")) as Golden;
const RECORD = GOLDEN.records[0] ?? "";

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
});

/** The record with its n-th reveal of a kind changed to another number. */
function tampered(record: string, reveal: RegExp): string {
  return record.replace(reveal, (_, where: string, number: string) => `${where}=${Number(number) === 1 ? 2 : 1}`);
}

describe("a draw", () => {
  test.each(GOLDEN.draws)("$stream/$draw of $outcomes", async ({ seed, stream, draw, outcomes, outcome }) => {
    expect(await pick(seed, stream, draw, BigInt(outcomes))).toBe(BigInt(outcome));
  });
});

describe("a record", () => {
  test.each(GOLDEN.records.map((record) => [record.split("\n")[2], record]))("%s is true", async (_, record) => {
    const verdict = await verify(record);
    expect(verdict).toEqual({ result: "true", reveals: dealOf(record).reveals.length });
    expect(dealOf(record).reveals.length).toBeGreaterThan(15);
  });

  test("has its commitment", async () => {
    const { seed, commitment } = dealOf(RECORD);
    expect(await commitmentTo(seed ?? "")).toBe(commitment);
    expect(await verify(RECORD.replace(/Commitment "../, 'Commitment "zz'))).toEqual({ result: "wrong commitment" });
    expect(await verify(RECORD.replace(/Seed "../, 'Seed "ff'))).toEqual({ result: "wrong commitment" });
  });

  test.each([
    ["a card of the market", /(2\.3)=(\d+)/],
    ["a tile", /(t2)=(\d+)/],
    ["a card drawn blind", /(h)=(\d+)/],
  ])("with another %s is not true", async (_, reveal) => {
    const record = GOLDEN.records.find((other) => reveal.test(other)) ?? "";
    const verdict = await verify(tampered(record, reveal));
    expect(verdict).toMatchObject({ result: "difference" });
  });

  test("may lack what is needed", async () => {
    expect(await verify(RECORD.replace(/\[Seed.*\n/, ""))).toEqual({ result: "no seed" });
    expect(await verify(RECORD.replace(/\[Commitment.*\n/, ""))).toEqual({ result: "no commitment" });
    vi.stubGlobal("crypto", {});
    expect(await verify(RECORD)).toEqual({ result: "no way" });
  });

  test("is read without its comments", () => {
    const record = '[Game "marvel"]\n[Seat1 "1.1=9; # no"]\n\ndeal 1.1=5; 1.2=31 # 1.3=7\n1.1 reserve 2; h=57\nend\n';
    expect(dealOf(record)).toEqual({
      game: "marvel",
      seed: null,
      commitment: null,
      reveals: [
        { where: "1.1", number: 5 },
        { where: "1.2", number: 31 },
        { where: "h", number: 57 },
      ],
    });
  });
});
