import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"

import * as BlockReference from "../../src/answer/BlockReference.ts"

const parse = (text: string) =>
  Result.match(BlockReference.parse(text), { onSuccess: (it) => it, onFailure: (it) => it.message })

const HASH = `0x${"0A".repeat(32)}`

describe("a block as a person types it", () => {
  it("is a hash when it is 0x and 64 digits, in either case, which become lower case", () => {
    expect(parse(HASH)).toEqual({ _tag: "Hash", hash: HASH.toLowerCase() })
  })

  it("is a number, decimal or hexadecimal", () => {
    expect(parse("0")).toEqual({ _tag: "NumberOrTag", block: 0n })
    expect(parse("17")).toEqual({ _tag: "NumberOrTag", block: 17n })
    expect(parse("0x11")).toEqual({ _tag: "NumberOrTag", block: 17n })
    expect(parse("0X0011")).toEqual({ _tag: "NumberOrTag", block: 17n })
    expect(parse("0xffffffffffffffff")).toEqual({ _tag: "NumberOrTag", block: 0xffffffffffffffffn })
  })

  it("is a tag", () => {
    for (const tag of ["latest", "earliest", "pending", "safe", "finalized"]) {
      expect(parse(tag)).toEqual({ _tag: "NumberOrTag", block: tag })
    }
  })

  it("is nothing else", () => {
    const wanted =
      "block must be a hash (0x and 64 hex digits), a number, or one of latest, earliest, pending, safe, finalized"
    for (const text of ["", "-1", "1.5", "1e3", "0x", "0xg", "Latest", "head", " 1", "1_000", "9".repeat(40)]) {
      expect(parse(text)).toBe(wanted)
    }
    // a hash that lost a digit, the commonest mistake
    expect(parse(HASH.slice(0, -1))).toBe(`${wanted}; this has 63 digits`)
    expect(parse(`0x${"0g".repeat(32)}`)).toBe("block must be 0x and 64 hex digits")
    expect(parse("a".repeat(64))).toBe(wanted)
  })
})

describe("a position", () => {
  it("is a number from 0", () => {
    expect(Result.getOrThrow(BlockReference.index("0", "--index"))).toBe(0n)
    expect(Result.getOrThrow(BlockReference.index("0x1f", "--index"))).toBe(31n)
    expect(Result.isFailure(BlockReference.index("-1", "--index"))).toBe(true)
    expect(Result.isFailure(BlockReference.index("first", "--index"))).toBe(true)
  })
})
