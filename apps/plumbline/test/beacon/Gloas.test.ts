/**
 * The light client of the command, on a chain that crosses from Fulu to Gloas. Headers of Gloas contain only the hash
 * of the execution block.
 */
import { writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { MadeChain, MadeNetwork } from "@plumbline/beacon-light-client"
import { HistoryChain } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as InventedFork from "../support/InventedFork.ts"
import * as MadeBeacon from "../support/MadeBeacon.ts"
import * as RunCli from "../support/RunCli.ts"

const node = HistoryNode.lyingNode()
const { number } = HistoryChain.head

/** The newest beacon block. The block before it is of Fulu in one chain, and of Gloas in the other. */
const HEAD = 500n
const CHECKPOINT = 350n

/** The execution block that a beacon block names: one execution block for every eight slots, the last at the head. */
const blockAt = (slot: bigint): HistoryChain.RecordedBlock => HistoryChain.blocks[number - Number((HEAD - slot) / 8n)]!

const chainOf = (gloas: bigint, top?: HistoryChain.RecordedBlock): MadeChain.MadeChain => {
  const { forks } = MadeNetwork.make({ apart: 0n })
  const made = MadeNetwork.make({
    forks: forks.map((fork) => (fork.name === "gloas" ? { ...fork, epoch: gloas } : fork)),
    secondsPerSlot: 600
  })
  const network = MadeBeacon.presentAt(made, HEAD + 1n)
  return MadeChain.make(network, {
    execution: (slot) => MadeBeacon.payload(slot === HEAD && top !== undefined ? top : blockAt(slot))
  })
}

const FINALIZED = 480n

describe.each([
  // the finalized block is of Fulu, and the head of Gloas
  ["the first epochs of Gloas", 62n],
  ["Gloas", 58n]
] as const)("a light client in %s", (_, epoch) => {
  const chain = chainOf(epoch)
  const served = async <A>(work: (flags: ReadonlyArray<string>) => Promise<A>, url = node().url): Promise<A> => {
    await using folder = await Children.folder()
    await using beacon = await MadeBeacon.serve({ chain, checkpoints: [CHECKPOINT], head: HEAD })
    const network = MadeBeacon.networkFile(folder.path, chain.network)
    const trust = ["--checkpoint", chain.root(CHECKPOINT), "--beacon", beacon.url, "--beacon-network", network]
    return await work([...trust, "--url", url, "--data", folder.path])
  }

  it("shows both heads, whose numbers and times a node's headers prove", async () => {
    const { answer, exitCode } = await served((flags) => RunCli.json(["head", ...flags]))
    expect([exitCode, answer.refuted]).toEqual([0, undefined])
    expect([answer.optimistic.slot, answer.finalized.slot]).toEqual([String(HEAD), String(FINALIZED)])
    const head = HistoryChain.head
    expect([answer.optimistic.blockHash, answer.optimistic.blockNumber]).toEqual([head.hash, String(head.number)])
    expect(Number(answer.optimistic.timestamp)).toBeGreaterThan(0)
    const finalized = blockAt(FINALIZED)
    expect([answer.finalized.blockHash, answer.finalized.blockNumber]).toEqual([
      finalized.hash,
      String(finalized.number)
    ])
  })

  it("proves latest, finalized, and older blocks", async () => {
    await served(async (flags) => {
      for (const [block, of, finality] of [
        ["latest", HistoryChain.head, "optimistic"],
        ["finalized", blockAt(FINALIZED), "finalized"],
        [String(blockAt(FINALIZED).number - 3), HistoryChain.blocks[blockAt(FINALIZED).number - 3]!, "finalized"],
        [String(number - 1), HistoryChain.blocks[number - 1]!, "optimistic"]
      ] as const) {
        const { answer, exitCode } = await RunCli.json(["block", block, ...flags])
        expect([block, exitCode, answer.verdict, answer.value?.hash]).toEqual([block, 0, "VERIFIED", of.hash])
        expect([block, answer.anchor.finality]).toEqual([block, finality])
      }
    })
  })

  it("refuses a node's header that does not hash to the head, by name", async () => {
    for (const field of ["stateRoot", "parentHash", "receiptsRoot"]) {
      const change = (block: object) => ({ ...block, [field]: `0x${"11".repeat(32)}` })
      const url = node().telling({ method: "eth_getBlockByHash", change })
      const { answer, exitCode } = await served((flags) => RunCli.json(["head", ...flags]), url)
      expect([field, exitCode, answer.verdict, answer.refuted?.check]).toEqual([
        field,
        2,
        "REFUTED",
        "execution-header-hash"
      ])
    }
  })
})

describe("a head of a later fork", () => {
  it("has a number and a time only with the file of the fork", async () => {
    const block = await InventedFork.block(node())
    const chain = chainOf(58n, { ...HistoryChain.head, hash: block.hash })
    const url = node().telling({
      method: "eth_getBlockByHash",
      change: (found, _, [hash, full]) => (hash === block.hash ? InventedFork.shown(block, full) : found)
    })
    await using folder = await Children.folder()
    await using beacon = await MadeBeacon.serve({ chain, checkpoints: [CHECKPOINT], head: HEAD })
    const network = MadeBeacon.networkFile(folder.path, chain.network)
    const file = path.join(folder.path, "forks.json")
    await writeFile(file, InventedFork.file)
    const trust = ["--checkpoint", chain.root(CHECKPOINT), "--beacon", beacon.url, "--beacon-network", network]
    const headOf = async (...args: ReadonlyArray<string>) => {
      const { answer } = await RunCli.json(["head", ...trust, "--url", url, "--data", folder.path, ...args])
      return [answer.optimistic.blockHash, answer.optimistic.blockNumber]
    }
    expect(await headOf()).toEqual([block.hash, null])
    expect(await headOf("--forks", file)).toEqual([block.hash, String(number)])
  })
})
