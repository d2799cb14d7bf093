import { describe, expect, it } from "@effect/vitest"

import * as Units from "../../src/terminal/Units.ts"

describe("numbers for people", () => {
  it("are grouped", () => {
    const cases: ReadonlyArray<readonly [bigint, string]> = [
      [0n, "0"],
      [999n, "999"],
      [1000n, "1,000"],
      [1_234_567n, "1,234,567"],
      [2n ** 64n, "18,446,744,073,709,551,616"]
    ]
    for (const [n, text] of cases) expect(Units.grouped(n)).toBe(text)
  })

  it("are grouped in words, but for those that are too long to be amounts", () => {
    expect(Units.word(2n ** 64n)).toBe("18,446,744,073,709,551,616")
    expect(Units.word(2n ** 128n)).toBe("340282366920938463463374607431768211456")
  })

  it("are exact in ETH and gwei", () => {
    expect(Units.ether(0n)).toBe("0 ETH")
    expect(Units.ether(1n)).toBe("0.000000000000000001 ETH")
    expect(Units.ether(10n ** 18n)).toBe("1 ETH")
    expect(Units.ether(1_500n * 10n ** 18n + 10n ** 17n)).toBe("1,500.1 ETH")
    expect(Units.ether(2n ** 256n - 1n)).toMatch(/\.584007913129639935 ETH$/)
    expect(Units.gwei(1_875_000_000n)).toBe("1.875 gwei")
    expect(Units.gwei(7n)).toBe("0.000000007 gwei")
  })

  it("are times in UTC, as far as calendars go", () => {
    expect(Units.utc(0n)).toBe("1970-01-01 00:00:00 UTC")
    expect(Units.utc(1_700_000_000n)).toBe("2023-11-14 22:13:20 UTC")
    expect(Units.utc(253_402_300_799n)).toBe("9999-12-31 23:59:59 UTC")
    expect(Units.utc(253_402_300_800n)).toBeUndefined()
    expect(Units.utc(2n ** 64n - 1n)).toBeUndefined()
  })

  it("are shares of a whole, never 0 for something", () => {
    expect(Units.percent(0n, 30n)).toBe("0 %")
    expect(Units.percent(15n, 30n)).toBe("50 %")
    expect(Units.percent(1n, 3n)).toBe("33.3 %")
    expect(Units.percent(21_000n, 30_000_000n)).toBe("under 0.1 %")
    expect(Units.percent(30n, 30n)).toBe("100 %")
  })

  it("are counted in words", () => {
    expect(Units.count(1, "byte")).toBe("1 byte")
    expect(Units.count(2048, "byte")).toBe("2,048 bytes")
  })
})
