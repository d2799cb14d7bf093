import { expect, test } from "vitest"

import * as Text from "../src/look/Text.ts"

test("a decimal has commas between thousands", () => {
  expect([0n, 999n, 1000n, 1234567n].map(Text.grouped)).toEqual(["0", "999", "1,000", "1,234,567"])
})

test("ether is exact", () => {
  expect(Text.ether(0n)).toBe("0 ether")
  expect(Text.ether(1n)).toBe("0.000000000000000001 ether")
  expect(Text.ether(1_500_000_000_000_000_000_000n)).toBe("1,500 ether")
  expect(Text.ether(10n ** 18n + 10n ** 17n)).toBe("1.1 ether")
})

test("a time that no calendar has is not shown", () => {
  expect(Text.time(1_600_000_412n)).toBe("2020-09-13 12:33:32 UTC")
  expect(Text.time(2n ** 63n)).toBeUndefined()
})

test("one flipped bit changes the skyline of a hash", () => {
  const hash = `0x${"16151b6babe949101b8611a76f9b4f15".repeat(2)}`
  expect(Text.skyline(hash)).toHaveLength(8)
  for (let at = 2; at < hash.length; at++) {
    const digit = (Number.parseInt(hash[at]!, 16) ^ 1).toString(16)
    expect(Text.skyline(`${hash.slice(0, at)}${digit}${hash.slice(at + 1)}`)).not.toEqual(Text.skyline(hash))
  }
})
