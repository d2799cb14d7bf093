/** `plumbline uncle` against a node that lies about one thing at a time. The truth is viem's reading of the archive. */
import { describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import * as viem from "viem"

import * as Devnet from "../support/Devnet.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Reading from "../support/HistoryReading.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Wire from "../support/Wire.ts"

const node = HistoryNode.lyingNode()
const anvil = Devnet.lyingNode()

const { blocks } = Reading
const head = HistoryChain.head.hash
const withUncles = (count: number): ReadonlyArray<Reading.Block> =>
  blocks.filter(({ uncles }) => uncles.length === count)
/** `two` is the oldest block with two uncles. `london` is a block of London, where headers have one more field. */
const two = withUncles(2)[0]!
const london = HistoryChain.forks.find(({ name }) => name === "London")!.block
const newest = blocks.findLast(({ uncles }) => uncles.length > 0)!
const none = withUncles(0)[3]!

const placeOf = ({ hash, number }: Reading.Block) => ({ number: viem.numberToHex(number), hash })

/** The ways to ask for uncles: the arguments that name the block, and the method that asks the node for it. */
const ways = [
  { blockMethod: "eth_getBlockByHash", args: ({ hash }: Reading.Block) => [hash] },
  {
    blockMethod: "eth_getBlockByNumber",
    args: ({ hash, number }: Reading.Block) => [String(number), "--trust", hash]
  }
]
/** The command asks by hash, because it knows the block's hash by then, even if the caller gave a number or a tag. */
const method = "eth_getUncleByBlockHashAndIndex"

const run = (args: ReadonlyArray<string>, lie?: Lie): Promise<RunCli.JsonOutcome> =>
  RunCli.json(["uncle", ...args, "--url", lie === undefined ? node().url : node().telling(lie)])

/** Returns the name of the check that refused the lie; the whole answer if no check did. */
const checkOf = ({ answer, exitCode }: RunCli.JsonOutcome): unknown =>
  exitCode === 2 && answer.verdict === "REFUTED" ? answer.refuted.check : answer

describe("the uncles of a block", () => {
  it("are VERIFIED by its hash, and by its number when it is trusted; all of them, or none", async () => {
    let count = 0
    for (const { args } of ways) {
      for (const block of blocks) {
        const { answer, exitCode } = await run(args(block))
        expect(exitCode).toBe(0)
        expect(answer.verdict).toBe("VERIFIED")
        expect(answer.anchor).toEqual({ kind: "block", hash: block.hash })
        expect(answer.value).toEqual(block.uncles.map(Reading.uncleOf))
        expect(answer.block).toEqual(placeOf(block))
        expect(answer.claimed.map(({ field }: any) => field)).toEqual(
          block.uncles.length === 0 ? [] : ["[].totalDifficulty"]
        )
        count += answer.value.length
      }
    }
    expect(count).toBe(2 * 22)
  })

  it("are VERIFIED one by one, and that there is no more", async () => {
    for (const { args } of ways) {
      for (const block of [...withUncles(2), ...withUncles(1), none]) {
        for (let index = 0; index < 3; index++) {
          const [name, ...flags] = args(block)
          const { answer, exitCode } = await run([name!, String(index), ...flags])
          const uncle = block.uncles[index]
          expect(exitCode).toBe(0)
          expect(answer.verdict).toBe("VERIFIED")
          expect(answer.anchor).toEqual({ kind: "block", hash: block.hash })
          expect(answer.value).toEqual(uncle === undefined ? null : Reading.uncleOf(uncle))
          expect(answer.block).toEqual(placeOf(block))
        }
      }
    }
  })

  it("are VERIFIED from a later block: each with all others, under one anchor", async () => {
    const { answer } = await run([String(two.number), "--trust", head])
    expect(answer).toMatchObject({
      verdict: "VERIFIED",
      block: placeOf(two),
      anchor: { kind: "block", hash: head },
      proven: [
        "it is uncle 0 of 2, under the header's sha3Uncles",
        "it is uncle 1 of 2, under the header's sha3Uncles",
        "its block is on the chain, by a pinned hash, of which it is an ancestor"
      ]
    })
    expect(answer.value).toHaveLength(2)
  })

  it("are CLAIMED when no hash is trusted, or one that does not lead there", async () => {
    const younger = blocks[two.number - 1]!.hash
    for (const flags of [[], ["--trust", Wire.HASH], ["--trust", younger]]) {
      const { answer, exitCode } = await run([String(two.number), ...flags])
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("CLAIMED")
      expect(answer.anchor).toBeNull()
      expect(answer.block).toEqual(placeOf(two))
      expect(answer.claimed[0]).toMatchObject({ field: "value" })
      expect(answer.claimed[0].reason).toContain(`that block ${two.hash} is on the chain is the node's word`)
    }
  })

  it("are CLAIMED of the pending block, and null of a block that the node does not know", async () => {
    const pending = await RunCli.json(["uncle", "pending", "--url", anvil().url])
    expect(pending.answer).toMatchObject({ verdict: "CLAIMED", value: [], block: null, anchor: null })
    for (const reference of ["1000000", Wire.HASH]) {
      const { answer, exitCode } = await run([reference, "0"])
      expect(exitCode).toBe(0)
      expect(answer).toMatchObject({ verdict: "CLAIMED", value: null, anchor: null })
      expect(answer).not.toHaveProperty("block")
    }
  })
})

describe("a lie about uncles", () => {
  it("is REFUTED by the check of the field, whichever field of whichever uncle is another", async () => {
    expect(newest.number).toBeGreaterThanOrEqual(london)
    for (const { args } of ways) {
      for (const block of [two, newest]) {
        for (const [index, uncle] of block.uncles.entries()) {
          const honest: any = Reading.uncleOf(uncle)
          const name = `uncles[${index}]`
          for (const path of Wire.leaves(honest)) {
            const field = Wire.format(path)
            if (field === "totalDifficulty") continue
            const lie: Lie = {
              method,
              change: (it) =>
                it?.hash === honest.hash ? Wire.set(it, path, Wire.another(path, Wire.get(honest, path))) : it
            }
            const check = ["size", "uncles"].includes(field) ? `${name}.${field}` : `${name} hash`
            expect(checkOf(await run(args(block), lie)), field).toBe(check)
          }
        }
      }
    }
  })

  it("stays VERIFIED when it is about the totalDifficulty, or a field nobody knows, which are among the claimed", async () => {
    const change: Lie["change"] = (uncle) => uncle && { ...uncle, totalDifficulty: "0x10", l1BlockNumber: "0x1" }
    const { answer } = await run([two.hash, "1"], { method, change })
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.value).toMatchObject({ totalDifficulty: "0x10", l1BlockNumber: "0x1" })
    expect(answer.claimed.map(({ field }: any) => field).sort()).toEqual(["l1BlockNumber", "totalDifficulty"])
  })

  it("is REFUTED when uncles are left out, doubled, swapped, another block's, or made up", async () => {
    const other = Reading.uncleOf(newest.uncles[0]!)
    const uncles: ReadonlyArray<any> = two.uncles.map(Reading.uncleOf)
    const isFirst = (uncle: any) => uncle?.hash === uncles[0].hash
    const lies: Readonly<Record<string, Lie["change"]>> = {
      "the first is left out": (it) => (isFirst(it) ? null : it),
      "the last is left out": (it) => (isFirst(it) ? it : null),
      "all are left out": () => null,
      "the first is doubled": () => uncles[0],
      "they are swapped": (it) => (it === null ? null : isFirst(it) ? uncles[1] : uncles[0]),
      "one is another block's": (it) => (isFirst(it) ? other : it),
      "one is the block itself": (it, ask) => (isFirst(it) ? ask("eth_getBlockByHash", [two.hash, false]) : it)
    }
    for (const { args } of ways) {
      for (const [name, change] of Object.entries(lies)) {
        for (const index of [[], ["0"], ["1"]]) {
          const [block, ...flags] = args(two)
          const outcome = await run([block!, ...index, ...flags], { method, change })
          expect([outcome.exitCode, outcome.answer.verdict], `${name} ${index.join()}`).toEqual([2, "REFUTED"])
          expect(outcome.answer).toMatchObject({ value: null, anchor: { kind: "block", hash: two.hash } })
        }
      }
    }
  })

  it("is REFUTED when there shall be one where there is none", async () => {
    const uncle = Reading.uncleOf(two.uncles[0]!)
    for (const { args } of ways) {
      for (const [block, index] of [
        [none, "0"],
        [two, "2"],
        [newest, String(newest.uncles.length)]
      ] as const) {
        const [name, ...flags] = args(block)
        const outcome = await run([name!, index, ...flags], { method, change: (it) => it ?? uncle })
        expect(checkOf(outcome)).toBe("uncle")
      }
    }
  })

  it("is REFUTED when the block says other uncles than its header", async () => {
    const hashes = two.uncles.map((uncle) => (Reading.uncleOf(uncle) as any).hash)
    for (const { args, blockMethod } of ways) {
      const telling = async (change: Lie["change"]) => checkOf(await run(args(two), { method: blockMethod, change }))
      expect(await telling((it) => ({ ...it, uncles: [] }))).toBe("uncles")
      expect(await telling((it) => ({ ...it, uncles: [hashes[0]] }))).toMatch(/^(?:sha3Uncles|block\.uncles)/)
      expect(await telling((it) => ({ ...it, uncles: hashes.toReversed() }))).toMatch(/^block\.uncles/)
      expect(await telling((it) => ({ ...it, uncles: [...hashes, Wire.HASH] }))).toMatch(/^block\.uncles/)
      expect(await telling((it) => ({ ...it, sha3Uncles: Wire.HASH }))).toBe("header hash")
      expect(await telling((_, ask) => ask("eth_getBlockByHash", [newest.hash, false]))).toMatch(
        /^block\.(?:hash|number)$/
      )
    }
    // A node may omit the hashes of uncles. Then the command asks by index until there are no more.
    for (const block of [two, newest, none]) {
      const { answer } = await run([block.hash], {
        method: "eth_getBlockByHash",
        change: (it) => Wire.remove(it, ["uncles"])
      })
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.value).toEqual(block.uncles.map(Reading.uncleOf))
    }
  })
})
