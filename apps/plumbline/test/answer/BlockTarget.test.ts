/** Tests that flags determine the block of a question and the hash that proves the answer. */
import { describe, expect, it } from "@effect/vitest"
import { Option, Result } from "effect"

import * as BlockTarget from "../../src/answer/BlockTarget.ts"

const A = `0x${"a".repeat(64)}`
const B = `0x${"b".repeat(64)}`

const flags = (trust?: string) => ({ trust: Option.fromUndefinedOr(trust) })

describe("a block that is named", () => {
  const named = (text: string, trust?: string) => BlockTarget.named(text, flags(trust))

  it("by its hash is proven from that hash, whether it is trusted or not", () => {
    for (const trust of [undefined, A, A.toUpperCase().replace("0X", "0x")]) {
      expect(Result.getOrThrow(named(A, trust)).anchor).toEqual({ _tag: "Block", hash: A })
    }
  })

  it("by its number or a tag is proven from the trusted block, or from nothing", () => {
    expect(Result.getOrThrow(named("17", B))).toEqual({
      reference: { _tag: "NumberOrTag", block: 17n },
      trust: B,
      anchor: { _tag: "Block", hash: B }
    })
    expect(Result.getOrThrow(named("latest")).anchor).toBe(null)
  })

  it("by its hash cannot be proven from another block", () => {
    expect(Result.isFailure(named(A, B)) && named(A, B)).toMatchObject({
      failure: { problem: "--trust: a block asked for by its hash is proven from that hash" }
    })
  })

  it("wrongly is told before a wrong --trust", () => {
    expect(named("nonsense", "nonsense")).toMatchObject({
      failure: { problem: expect.stringMatching(/^block must /u) }
    })
    expect(named("17", "nonsense")).toMatchObject({ failure: { problem: expect.stringMatching(/^--trust must /u) } })
  })
})

describe("the state", () => {
  const state = (block?: string, trust?: string) =>
    BlockTarget.state({ block: Option.fromUndefinedOr(block), ...flags(trust) })

  it("is that of the trusted block, or the latest, unless --block says another one", () => {
    expect(BlockTarget.parameter(Result.getOrThrow(state(undefined, A)))).toBe(A)
    expect(BlockTarget.parameter(Result.getOrThrow(state()))).toBe("latest")
    expect(BlockTarget.parameter(Result.getOrThrow(state("17", A)))).toBe(17n)
    expect(BlockTarget.parameter(Result.getOrThrow(state(B)))).toBe(B)
  })

  it("of a block named by its hash cannot be proven from another block", () => {
    expect(Result.isFailure(state(A, B))).toBe(true)
  })
})
