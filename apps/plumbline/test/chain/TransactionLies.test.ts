/**
 * `plumbline tx` against a node that lies about one thing at a time.
 */
import { describe, expect, it } from "@effect/vitest"
import { Keccak256 } from "@plumbline/codec"
import { PreparedState } from "@plumbline/devnet"
import { Block, BlockRlp } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import * as Checks from "../support/Checks.ts"
import * as Devnet from "../support/Devnet.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as Prepared from "../support/Prepared.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Wire from "../support/Wire.ts"

const node = Devnet.lyingNode()

/** A way to ask for a transaction: the arguments, and the call that the node answers. */
interface Way {
  readonly method: string
  readonly args: (place: Prepared.Place) => ReadonlyArray<string>
  readonly params: (place: Prepared.Place) => ReadonlyArray<unknown>
}

const byHash: Way = {
  method: "eth_getTransactionByHash",
  args: ({ hash }) => ["tx", hash],
  params: ({ hash }) => [hash]
}
const byPlace: Way = {
  method: "eth_getTransactionByBlockHashAndIndex",
  args: ({ block, index }) => ["tx", "--block", block, "--index", String(index)],
  params: ({ block, index }) => [block, `0x${index.toString(16)}`]
}

const truth = (way: Way, place: Prepared.Place): Promise<any> => node().ask(way.method, way.params(place))

const told = (way: Way, place: Prepared.Place, change: Lie["change"], method = way.method) =>
  RunCli.json([...way.args(place), "--url", node().telling({ method, change })])

const checkOf = ({ answer, exitCode }: RunCli.JsonOutcome): unknown =>
  exitCode === 2 && answer.verdict === "REFUTED" ? answer.refuted.check : answer

const tellEach = async (way: Way, place: Prepared.Place): Promise<Record<string, unknown>> => {
  const honest = await truth(way, place)
  const checks: Record<string, unknown> = {}
  for (const path of Wire.leaves(honest)) {
    const leaf = Wire.another(path, Wire.get(honest, path))
    checks[Wire.format(path)] = checkOf(await told(way, place, (it) => Wire.set(it, path, leaf)))
  }
  return checks
}

/** Transactions of all types, with full access lists, and one that creates a contract. */
const samples = [
  ...Prepared.places(Prepared.allTypes),
  ...Prepared.places(Prepared.accessLists),
  ...Prepared.places(Prepared.creation)
]

/**
 * The fields that a transaction's hash does not cover: the transaction's place, and the price that it paid, if the
 * block determines this price.
 */
const ofPlace = (transaction: any): ReadonlyArray<string> => [
  "blockHash",
  "blockNumber",
  "transactionIndex",
  "blockTimestamp",
  ...(transaction.maxFeePerGas === undefined ? [] : ["gasPrice"])
]

/** Returns a copy of a block with a number above the head and a time in the year 2096. */
const inventedBlock = async (hash: string): Promise<any> => {
  const block = await node().ask("eth_getBlockByHash", [hash, true])
  const { size: _, ...header } = { ...block, number: "0xffff", timestamp: "0xed000000" }
  const encoded = BlockRlp.encodeHeader(Schema.decodeUnknownSync(Block.Block)({ ...header, transactions: [] }))
  const place = { blockHash: Keccak256.hashHex(Result.getOrThrow(encoded)), blockNumber: header.number }
  const blockTimestamp = header.timestamp
  return {
    ...header,
    hash: place.blockHash,
    transactions: block.transactions.map((transaction: any) => ({ ...transaction, ...place, blockTimestamp }))
  }
}

describe("a transaction by its hash", () => {
  it("is VERIFIED when the node is honest; that its block is on the chain is the node's word", async () => {
    for (const place of samples) {
      const { answer, exitCode } = await told(byHash, place, (it) => it)
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.anchor).toEqual({ kind: "transaction", hash: place.hash })
      expect(answer.value).toEqual(await truth(byHash, place))
      const reason = `that block ${place.block} is on the chain is the node's word: no trusted hash was given`
      expect(answer.claimed).toEqual(ofPlace(answer.value).map((field) => ({ field, reason })))
    }
  })

  it("is REFUTED by the check of the field, whichever field is another, of all types", async () => {
    for (const place of samples) {
      const honest = await truth(byHash, place)
      expect(Object.keys(honest).sort()).toEqual(Checks.transactionFields(honest.type))
      const { blockHash, ...refuted } = await tellEach(byHash, place)
      const { blockHash: _, ...wanted } = Checks.ofTransaction(honest, "transaction")
      expect(refuted).toEqual(wanted)
      // The answer stays CLAIMED if the node does not know the block that it names.
      const reason = "the node does not know the block that it names"
      const claimed = ofPlace(honest).map((field) => ({ field, reason }))
      expect(blockHash).toMatchObject({ verdict: "VERIFIED", claimed })
    }
  })

  it("is REFUTED when it says that it is in another block, which does not have it", async () => {
    const [place] = Prepared.places(Prepared.allTypes)
    const { hash } = Prepared.accessLists
    expect(checkOf(await told(byHash, place!, (it) => Wire.set(it, ["blockHash"], hash)))).toBe("inclusion")
  })

  it("is REFUTED when the block that should have it is not true", async () => {
    const [place] = Prepared.places(Prepared.allTypes)
    const block = (change: Lie["change"]) => told(byHash, place!, change, "eth_getBlockByHash")
    expect(checkOf(await block((it) => Wire.set(it, ["gasUsed"], "0x1")))).toBe("header hash")
    expect(checkOf(await block((it) => (it.transactions.shift(), it)))).toBe("transactionsRoot")
    expect(checkOf(await block((it) => Wire.set(it, ["transactions", 0, "value"], "0x1")))).toBe("transactions[0] hash")
  })

  it("is REFUTED when it is another transaction", async () => {
    const [place, other] = Prepared.places(Prepared.allTypes)
    const anothers: Lie["change"] = (_, ask) => ask(byHash.method, byHash.params(other!))
    expect(checkOf(await told(byHash, place!, anothers))).toBe("transaction.hash")
    const renamed = await told(byHash, place!, async (_, ask) => ({
      ...(await ask(byHash.method, byHash.params(other!))),
      hash: place!.hash
    }))
    expect(renamed.answer).toEqual({
      verdict: "REFUTED",
      value: null,
      anchor: { kind: "transaction", hash: place!.hash },
      proven: [],
      claimed: [],
      refuted: { check: "transaction hash", expected: place!.hash, got: other!.hash }
    })
  })

  it("is CLAIMED when the node knows none, and when its type is not known here", async () => {
    const [place] = samples
    const none = await told(byHash, place!, () => null)
    expect(none.exitCode).toBe(0)
    expect(none.answer).toMatchObject({ verdict: "CLAIMED", value: null, anchor: null })
    // No known type of transaction has an encoding with this hash.
    const deposit = await told(byHash, place!, ({ hash, from }) => ({
      type: "0x64",
      hash,
      from,
      sourceHash: Wire.HASH
    }))
    expect(deposit.answer).toMatchObject({
      verdict: "CLAIMED",
      value: { type: "0x64", hash: place!.hash, sourceHash: Wire.HASH },
      claimed: [
        { field: "value", reason: "transactions of type 0x64 are not known here: their encoding cannot be made" }
      ]
    })
  })

  it("is proven to be on the chain of the trusted block", async () => {
    const [place] = Prepared.places(Prepared.allTypes)
    for (const trust of [place!.block, PreparedState.head.hash]) {
      const { answer } = await RunCli.json([...byHash.args(place!), "--trust", trust, "--url", node().url])
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.anchor).toEqual({ kind: "transaction", hash: place!.hash })
      expect(answer.value).toEqual(await truth(byHash, place!))
      expect(answer.proven.at(-1)).toContain(`block ${place!.block} is on the chain, by a pinned hash`)
      expect(answer.claimed).toEqual([])
    }
    // an older trusted block proves nothing about newer blocks
    const older = Prepared.accessLists.hash
    const newer = await RunCli.json([...byHash.args(place!), "--trust", older, "--url", node().url])
    expect(newer.answer.claimed.map((claim: any) => claim.field)).toEqual(ofPlace(newer.answer.value))
  })

  it("is in a block of the node's making above the trusted one on the node's word alone", async () => {
    for (const place of Prepared.places(Prepared.allTypes)) {
      // The block is consistent: its hash is the hash of its header. But the chain has no such block.
      const invented = await inventedBlock(place.block)
      const url = node().telling(
        {
          method: "eth_getTransactionByHash",
          change: () => invented.transactions.find((transaction: any) => transaction.hash === place.hash)
        },
        { method: "eth_getBlockByHash", change: (block, _, [hash]) => (hash === invented.hash ? invented : block) }
      )
      const args = [...byHash.args(place), "--trust", PreparedState.head.hash, "--url", url]
      const { answer, exitCode } = await RunCli.json(args)
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.value.blockNumber).toBe(invented.number)
      expect(answer.claimed.map((claim: any) => claim.field)).toEqual(ofPlace(answer.value))
      for (const { reason } of answer.claimed) {
        expect(reason).toContain(`that block ${invented.hash} is on the chain is the node's word`)
      }
      const { stdout } = await RunCli.run(args)
      expect(stdout).toMatch(/^Transaction \d of block [\d,]+ {2}claimed$/mu)
      for (const field of ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"]) {
        expect(stdout).toMatch(new RegExp(`^ *${field} [^]*?claimed$`, "mu"))
      }
    }
  })
})

describe("a transaction by its place in a block", () => {
  it("is VERIFIED from the block's hash when the node is honest", async () => {
    for (const place of samples) {
      const { answer, exitCode } = await told(byPlace, place, (it) => it)
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.anchor).toEqual({ kind: "block", hash: place.block })
      expect(answer.value).toEqual(await truth(byPlace, place))
      expect(answer.value.hash).toBe(place.hash)
    }
  })

  it("is REFUTED by the check of the field, whichever field is another, of all types", async () => {
    for (const place of samples) {
      const honest = await truth(byPlace, place)
      expect(Object.keys(honest).sort()).toEqual(Checks.transactionFields(honest.type))
      expect(await tellEach(byPlace, place)).toEqual(Checks.ofTransaction(honest, "transaction"))
    }
  })

  it("is REFUTED when it is the one of another place, or said not to be there", async () => {
    const [place, other] = Prepared.places(Prepared.allTypes)
    const anothers: Lie["change"] = (_, ask) => ask(byPlace.method, byPlace.params(other!))
    expect(checkOf(await told(byPlace, place!, anothers))).toBe("transaction.hash")
    const denied = await told(byPlace, place!, () => null)
    expect(denied.answer).toMatchObject({
      verdict: "REFUTED",
      anchor: { kind: "block", hash: place!.block },
      refuted: { check: "transaction", expected: place!.hash, got: "null" }
    })
  })

  it("is REFUTED when the block is not true", async () => {
    const [place] = Prepared.places(Prepared.allTypes)
    const block = (change: Lie["change"]) => told(byPlace, place!, change, "eth_getBlockByHash")
    expect(checkOf(await block((it) => Wire.set(it, ["gasUsed"], "0x1")))).toBe("header hash")
    expect(checkOf(await block((it) => (it.transactions.pop(), it)))).toBe("transactionsRoot")
    expect(checkOf(await block((it) => Wire.set(it, ["hash"], Wire.HASH)))).toBe("block.hash")
  })

  it("is proven not to be there, where the block ends before", async () => {
    const beyond = { ...samples[0]!, index: Prepared.allTypes.transactions.length }
    const absent = await told(byPlace, beyond, (it) => it)
    expect(absent.exitCode).toBe(0)
    expect(absent.answer).toEqual({
      verdict: "VERIFIED",
      value: null,
      anchor: { kind: "block", hash: beyond.block },
      proven: [`block ${beyond.block} has 4 transactions, by its transactionsRoot: none at 4`],
      claimed: []
    })
    const invented = await told(byPlace, beyond, (_, ask) => ask(byPlace.method, byPlace.params(samples[0]!)))
    expect(checkOf(invented)).toBe("transaction")
  })

  it("is CLAIMED when the node does not know the block", async () => {
    const url = node().telling({ method: "eth_getBlockByHash", change: () => null })
    const { answer } = await RunCli.json([...byPlace.args(samples[0]!), "--url", url])
    expect(answer.verdict).toBe("CLAIMED")
    expect(answer.claimed[0].reason).toBe("the node knows no block with this hash; that there is none cannot be proven")
  })
})

// These three fields can be null only together, and only for a transaction that is not in a block.
describe("a transaction without a part of its place", () => {
  const places = ["blockHash", "blockNumber", "transactionIndex"]

  it("is REFUTED by its hash", async () => {
    const [place] = samples
    for (const field of places) {
      expect(checkOf(await told(byHash, place!, (it) => Wire.set(it, [field], null)))).toBe(`transaction.${field}`)
    }
  })

  it("is REFUTED by its place, which it contradicts", async () => {
    const [place] = samples
    for (const field of places) {
      expect(checkOf(await told(byPlace, place!, (it) => Wire.set(it, [field], null)))).toBe(`transaction.${field}`)
    }
  })

  it("is CLAIMED to be pending when it has none", async () => {
    const [place] = samples
    const { answer } = await told(byHash, place!, (it) => ({
      ...it,
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      blockTimestamp: null,
      gasPrice: null
    }))
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.anchor).toEqual({ kind: "transaction", hash: place!.hash })
    const reason = "that it is pending is the node's word"
    const ofPlace = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"]
    expect(answer.claimed).toEqual([
      ...ofPlace.map((field) => ({ field, reason })),
      { field: "gasPrice", reason: "what it paid in effect depends on its block" }
    ])
  })
})
