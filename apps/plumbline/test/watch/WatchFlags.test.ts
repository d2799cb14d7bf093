/** The flags of `plumbline watch`: the filter, the first block, and the trust that must move. */
import { describe, expect, it } from "@effect/vitest"
import { Option, Result } from "effect"

import * as WatchFlags from "../../src/watch/WatchFlags.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const address = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const [first, second] = ["1", "2"].map((digit) => `0x${digit.repeat(64)}`)

const selectionOf = (topic: ReadonlyArray<string>, addresses: ReadonlyArray<string> = []) =>
  WatchFlags.selection({ address: addresses, topic })

describe("the filter", () => {
  it("has the topics by position, with alternatives and any", () => {
    expect(Result.getOrThrow(selectionOf([]))).toEqual({})
    expect(Result.getOrThrow(selectionOf([first!], [address]))).toEqual({ address: [address], topics: [[first]] })
    expect(Result.getOrThrow(selectionOf(["*", `${first},${second}`])).topics).toEqual([null, [first, second]])
    expect(Result.getOrThrow(selectionOf(["null", ` ${first} , ${second}`])).topics).toEqual([null, [first, second]])
    // nodes differ on the last positions that accept any topic
    expect(Result.getOrThrow(selectionOf([first!, "*"])).topics).toEqual([[first]])
  })

  it("is refused with the way out", () => {
    const bad = [
      selectionOf(["0x12"]),
      selectionOf([""]),
      selectionOf([`${first},`]),
      selectionOf([`${first},*`]),
      selectionOf(["*", "*", "*", "*", "*"]),
      selectionOf([Array.from({ length: 1001 }, () => first).join()]),
      selectionOf([], ["0x12"]),
      selectionOf([], [address.replace("dAC", "DAC")]),
      selectionOf(
        [],
        Array.from({ length: 1001 }, () => address)
      )
    ]
    for (const outcome of bad) {
      expect(Result.isFailure(outcome) && outcome.failure.problem).toMatch(/^--(?:topic|address)/u)
    }
  })
})

describe("the first block", () => {
  it("is a number or a tag", () => {
    const of = (text: string) => WatchFlags.from(Option.some(text))
    expect(WatchFlags.from(Option.none())).toEqual(Result.succeed(undefined))
    expect([of("0x10"), of("16"), of("earliest"), of("finalized")]).toEqual(
      [16n, 16n, 0n, "finalized" as const].map((block) => Result.succeed(block))
    )
    for (const text of ["pending", first!, String(2n ** 53n), "-1", "soon"])
      expect(Result.isFailure(of(text))).toBe(true)
  })
})

describe("a trust that does not move", () => {
  it("is refused before any node is asked, with the way out", async () => {
    const url = await Servers.nobody()
    for (const trust of [[], ["--trust", first!]]) {
      for (const what of ["heads", "logs"]) {
        const { answer, exitCode } = await RunCli.json(["watch", what, "--url", url, ...trust])
        expect([exitCode, answer.error.tag]).toEqual([1, "UsageError"])
        expect(answer.error.message).toMatch(/moves with the chain.*Give --checkpoint and --beacon, or --l1/u)
      }
    }
  })
})
