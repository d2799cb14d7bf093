import { expect, test } from "vitest"

import { partsOf } from "../src/look/Digits.tsx"
import * as TextFormats from "../src/look/TextFormats.ts"

test("a decimal has commas between thousands", () => {
  expect([0n, 999n, 1000n, 1234567n].map(TextFormats.grouped)).toEqual(["0", "999", "1,000", "1,234,567"])
})

test("a line may end after a separator within a number, and nowhere else in a text", () => {
  const parts = partsOf("9,999.937940847800280824 ether")
  expect(parts).toEqual(["9,", "999.", "937940847800280824 ether"])
  expect(partsOf('"a, b", 1, 2.')).toEqual(['"a, b", 1, 2.'])
  expect(partsOf("-1,234")).toEqual(["-1,", "234"])
})

test("ether is exact", () => {
  expect(TextFormats.ether(0n)).toBe("0 ether")
  expect(TextFormats.ether(1n)).toBe("0.000000000000000001 ether")
  expect(TextFormats.ether(1_500_000_000_000_000_000_000n)).toBe("1,500 ether")
  expect(TextFormats.ether(10n ** 18n + 10n ** 17n)).toBe("1.1 ether")
})

test("a price is exact in gwei, and a part is a percentage of its whole", () => {
  expect([0n, 1n, 12_500_000_000n, 10n ** 18n].map(TextFormats.gwei)).toEqual([
    "0 gwei",
    "0.000000001 gwei",
    "12.5 gwei",
    "1,000,000,000 gwei"
  ])
  expect([TextFormats.percent(1n, 3n), TextFormats.percent(0n, 0n)]).toEqual(["33.3 %", "0 %"])
})

test.each([
  [0, "just now"],
  [1, "just now"],
  [2, "2 seconds ago"],
  [119, "119 seconds ago"],
  [120, "2 minutes ago"],
  [7199, "119 minutes ago"],
  [7200, "2 hours ago"],
  [172_799, "47 hours ago"],
  [172_800, "2 days ago"],
  [70 * 86_400, "2 months ago"],
  [6 * 366 * 86_400, "6 years ago"],
  [-10, "just now"],
  [-16, "16 seconds ahead of your clock"]
])("a time %s seconds ago is told as %s", (seconds, says) => {
  const now = Date.UTC(2026, 6, 1)
  expect(TextFormats.age(BigInt(now / 1000 - seconds), now + 400)).toBe(says)
})

test("a time that no calendar has is not shown", () => {
  expect(TextFormats.time(1_600_000_412n)).toBe("2020-09-13 12:33:32 UTC")
  expect(TextFormats.time(2n ** 63n)).toBeUndefined()
})

test.each([
  [1, "at 21:59:31 UTC, in 1 second"],
  [0.2, "at 21:59:30 UTC, in 1 second"],
  [89, "at 22:00:59 UTC, in 89 seconds"],
  [120, "at 22:02 UTC, in 2 minutes"],
  [7199, "at 23:59 UTC, in 120 minutes"],
  [7230, "on 2026-07-02 at 00:00 UTC, in 2 hours"],
  [7229.5, "on 2026-07-02 at 00:00 UTC, in 2 hours"],
  [86_400, "on 2026-07-02 at 22:00 UTC, in 24 hours"]
])("a wait of %s seconds ends %s", (seconds, says) => {
  expect(TextFormats.until(seconds, Date.UTC(2026, 6, 1, 21, 59, 30))).toBe(says)
})

test("one flipped bit changes the skyline of a hash", () => {
  const hash = `0x${"16151b6babe949101b8611a76f9b4f15".repeat(2)}`
  expect(TextFormats.skyline(hash)).toHaveLength(8)
  for (let at = 2; at < hash.length; at++) {
    const digit = (Number.parseInt(hash[at]!, 16) ^ 1).toString(16)
    expect(TextFormats.skyline(`${hash.slice(0, at)}${digit}${hash.slice(at + 1)}`)).not.toEqual(
      TextFormats.skyline(hash)
    )
  }
})
