import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as viem from "viem"

import * as AccountReference from "../../src/answer/AccountReference.ts"

const said = <A>(result: Result.Result<A, Error>): unknown =>
  Result.match(result, { onSuccess: (it) => it, onFailure: (it) => it.message })

const address = (text: string) => said(AccountReference.address(text))
const slot = (text: string) => said(AccountReference.slot(text, "slot"))

describe("an account as a person types it", () => {
  const lower = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

  it("is an address in lower case, in upper case, or with its checksum", () => {
    for (const text of [lower, `0x${lower.slice(2).toUpperCase()}`, viem.getAddress(lower)]) {
      expect(address(text)).toBe(text)
    }
  })

  it("is not one whose checksum is wrong: it would be proven to have nothing", () => {
    const mistyped = viem.getAddress(lower).replace("9604", "9605")
    expect(viem.isAddress(mistyped)).toBe(false)
    expect(address(mistyped)).toBe(
      "address: its upper and lower case do not fit its digits (EIP-55), so one of them is mistyped"
    )
  })

  it("is nothing else, and what is wrong is said", () => {
    const wanted = "address must be 0x and 40 hex digits"
    expect(address(lower.slice(2))).toBe(`${wanted}; this has no 0x before it`)
    expect(address(lower.slice(0, -1))).toBe(`${wanted}; this has 39 digits`)
    expect(address("0x1")).toBe(`${wanted}; this has 1 digit`)
    expect(address(`0x${"0".repeat(64)}`)).toBe(`${wanted}; this has 64 digits`)
    for (const text of ["", "vitalik.eth", `0x${"g".repeat(40)}`, ` ${lower}`, `0X${lower.slice(2)}`]) {
      expect(address(text)).toBe(wanted)
    }
  })
})

describe("a slot as a person types it", () => {
  it("is a number, decimal or hexadecimal, or a word", () => {
    for (const text of ["10", "0xa", "0xA", "0X0a", "000010", `0x${"a".padStart(64, "0")}`]) {
      expect(slot(text)).toBe(viem.numberToHex(10, { size: 32 }))
    }
    expect(slot(String(2n ** 256n - 1n))).toBe(`0x${"f".repeat(64)}`)
  })

  it("is nothing else, and what is wrong is said", () => {
    const wanted = "slot must be a number, decimal or 0x, or a word of 0x and 64 hex digits"
    expect(slot(String(2n ** 256n))).toBe("slot: the largest slot is 2^256 - 1, and this is larger")
    expect(slot("ff")).toBe(`${wanted}; this has no 0x before it`)
    expect(slot(`0x${"f".repeat(65)}`)).toBe(`${wanted}; this has 65 digits`)
    for (const text of ["", "-1", "1.5", "1e+3", "0xg", "0x1 ", "1_000", "balances", "9".repeat(79)]) {
      expect(slot(text)).toBe(wanted)
    }
  })
})
