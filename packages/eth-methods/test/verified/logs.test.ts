/** Logs of long ranges, from nodes that leave logs out, add some, limit ranges, or fail. */
import { assert, describe, it } from "@effect/vitest"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import * as Retry from "@plumbline/jsonrpc-core/middleware/Retry"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Random from "@plumbline/seeded/Random"
import type { Verdict } from "@plumbline/verdict"
import { Effect, Result, Schema } from "effect"
import { concat, keccak256, numberToHex, stringToHex } from "viem"

import { EthClient, EthEvidence, EthReason, Log, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as LogChain from "../support/logChain.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"

const SIZE = Random.sized(10_000)
const made = LogChain.extend([], Math.max(SIZE, 400))
const chain = Effect.promise(() => made)

/** Makes a client over a node, with the newest block as the trusted one, and counts the calls of the node. */
const open = Effect.fnUntraced(function* (
  replies: Nodes.Replies,
  blocks: LogChain.LogChain,
  options?: VerdictEthClient.VerdictEthClientOptions
) {
  const { calls, transport } = Nodes.node(replies)
  const through = Retry.make({ times: 8, initial: "1 millis" })(Batching.make()(transport))
  const eth = yield* Effect.provideService(EthClient.make, Transport, through)
  const trust = yield* Effect.provide(TrustedBlock.TrustedBlock, LogChain.trusting({ chain: blocks }))
  return { calls, client: VerdictEthClient.make(eth, trust, options) }
})

const decode = Schema.decodeUnknownSync(Schema.Array(Log.Log))

/** The logs of blocks that a filter selects, by the receipts that ethereumjs made. */
const truth = (blocks: LogChain.LogChain, selection: Parameters<typeof LogChain.select>[1] = {}) =>
  decode(LogChain.select(blocks, selection))

const repairs = ({ proven }: Verdict.Verdict<unknown>) => proven.filter(EthEvidence.LogsRepaired.is)

const failing = new RemoteError({ code: -32005, message: "rate limit exceeded" })
const limited = new RemoteError({ code: -32614, message: "eth_getLogs is limited to a 10 range" })

const range = (blocks: LogChain.LogChain) => ({ fromBlock: 1n, toBlock: BigInt(blocks.length) })

describe("the logs of a long range", () => {
  it.live("are complete from a node that leaves logs out, one that limits ranges, and one that fails at random", () =>
    Effect.gen(function* () {
      const blocks = yield* chain
      const honest = LogChain.answers({ chain: blocks })
      const random = Random.make(32)
      let dropped = 0
      const nodes: Readonly<Record<string, Nodes.Replies>> = {
        honest,
        dropping: (method, params) =>
          method === "eth_getLogs"
            ? Made.list(honest(method, params) as Made.Json).filter((log) => {
                // one log of each hundred, and always the same ones
                const isDropped = Number(Made.string(Made.object(log)["blockNumber"])) % 100 === 8
                if (isDropped) dropped++
                return !isDropped
              })
            : honest(method, params),
        limiting: (method, params) => {
          const { fromBlock, toBlock } = (params[0] ?? {}) as Readonly<Record<string, string>>
          return method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10
            ? limited
            : honest(method, params)
        },
        failing: (method, params) => (Random.chance(random, 0.05) ? failing : honest(method, params))
      }
      for (const [name, replies] of Object.entries(nodes)) {
        for (const selection of [{}, { topics: [Made.string(blocks[11]!.logs[0]!["topics"]![0 as never])] }]) {
          const { calls, client } = yield* open(replies, blocks)
          const verdict = yield* client.getLogs({ ...range(blocks), ...(selection as {}) })
          assert.strictEqual(verdict._tag, "VERIFIED", name)
          assert.deepStrictEqual(verdict.value, truth(blocks, selection as never), name)
          assert.isAbove(verdict.value.length, 50)
          assert.strictEqual(repairs(verdict).length, name === "dropping" ? 1 : 0)
          // one header per block, and that of the trusted one; before a node is accused, it is asked for one again
          const headers = calls.filter(({ method, params }) => /getBlockBy/u.test(method) && params[1] !== true)
          if (name !== "failing") assert.lengthOf(headers, blocks.length + (name === "dropping" ? 2 : 1))
        }
      }
      assert.isAbove(dropped, 2)
    })
  )

  it.effect("reads no receipts where blooms exclude the filter, and no more than one header per block", () =>
    Effect.gen(function* () {
      const blocks = yield* chain
      const { calls, client } = yield* open(LogChain.answers({ chain: blocks }), blocks)
      const verdict = yield* client.getLogs({ ...range(blocks), address: `0x${"77".repeat(20)}` })
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.isEmpty(verdict.value)
      // the headers, that of the trusted block, and the node's own logs
      assert.lengthOf(calls, blocks.length + 2)
      assert.isFalse(calls.some(({ method }) => method === "eth_getBlockReceipts"))
    })
  )

  it.effect("stop at the bound on the work, and the reason names the block and a range to go on with", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 400)
      const honest = LogChain.answers({ chain: blocks })
      const silent: Nodes.Replies = (method, params) => (method === "eth_getLogs" ? limited : honest(method, params))
      const { client } = yield* open(silent, blocks, { maxLogWork: 100, maxSteps: 400 })
      const error = yield* Effect.flip(client.getLogs(range(blocks)))
      assert(error._tag === "UnprovenError")
      const { reason } = error.claims[0]!
      assert(EthReason.RangeTooLong.is(reason))
      assert.strictEqual(reason.max, 100)
      assert.strictEqual(reason.next, BigInt(blocks.length), "the headers alone are beyond the bound")
      assert.match(error.message, /Try with this block range \[0x1, 0x[0-9a-f]+\]$/u)
      // the ranges that the reasons name lead to the end, and together they are the whole
      const found: Array<Log.Log> = []
      let reads = 0
      for (let from = 1n; from <= BigInt(blocks.length); reads++) {
        let to = BigInt(blocks.length)
        for (;;) {
          const outcome = yield* Effect.result(client.getLogs({ fromBlock: from, toBlock: to }))
          if (outcome._tag === "Success") {
            assert.strictEqual(outcome.success._tag, "VERIFIED")
            found.push(...outcome.success.value)
            break
          }
          const why = outcome.failure._tag === "UnprovenError" ? outcome.failure.claims[0]!.reason : undefined
          assert(why !== undefined && EthReason.RangeTooLong.is(why), outcome.failure.message)
          assert(why.within >= from && why.within < to)
          assert(why.next === to ? to - from >= 100n : why.next < to && why.next >= from)
          to = why.within
        }
        from = to + 1n
      }
      assert.deepStrictEqual(found, truth(blocks))
      assert.isAbove(reads, 3)
      // logs that the node sends for such a range are claimed
      const { client: other } = yield* open(honest, blocks, { maxLogWork: 100 })
      const claimed = yield* other.getLogs(range(blocks))
      assert.strictEqual(claimed._tag, "CLAIMED")
      assert(EthReason.RangeTooLong.is(claimed.claimed[0]!.reason))
    })
  )

  it.effect("count their data as work, so that an answer cannot grow beyond the bound", () =>
    Effect.gen(function* () {
      // 16 headers, four receipts, and the logs of the newest eight blocks: their data is 8 + 16 and 8 + 16 + 24
      // kilobytes, and each of these seven logs counts for half a kilobyte more
      const big = yield* Effect.promise(() => LogChain.extend([], 16, { bytes: 8192 }))
      for (const [maxLogWork, tag] of [
        [95, "VERIFIED"],
        [94, "CLAIMED"]
      ] as const) {
        const { client } = yield* open(LogChain.answers({ chain: big }), big, { maxLogWork })
        assert.strictEqual((yield* client.getLogs({ fromBlock: 1n, toBlock: 16n }))._tag, tag)
      }
      // logs without data are work too: 16 headers, four receipts, and 2 + 1 kilobytes for the newest seven logs
      const bare = yield* Effect.promise(() => LogChain.extend([], 16, { bytes: 0 }))
      for (const [maxLogWork, tag] of [
        [23, "VERIFIED"],
        [22, "CLAIMED"]
      ] as const) {
        const { client } = yield* open(LogChain.answers({ chain: bare }), bare, { maxLogWork })
        assert.strictEqual((yield* client.getLogs({ fromBlock: 1n, toBlock: 16n }))._tag, tag)
      }
    })
  )

  it.effect("are bounded by the receipts, and not by the node's unproven lists of transactions", () =>
    Effect.gen(function* () {
      // a node that lists as many hashes for each block that has transactions
      const listing =
        (honest: Nodes.Replies, count: number): Nodes.Replies =>
        (method, params) => {
          const answer = honest(method, params)
          if (!/getBlockBy/u.test(method) || params[1] === true) return answer
          const block = Made.object(answer as Made.Json)
          const hashes = Made.list(block["transactions"])
          return { ...block, transactions: Array.from({ length: hashes.length && count }, () => hashes[0]!) }
        }
      for (const [copies, listed, maxLogWork, tag] of [
        // a block with the gas of one transaction has one: 16 headers, four receipts, 2 + 1 kilobytes
        [1, 100, 23, "VERIFIED"],
        // the newest blocks have 60 receipts, with 60 + 45 kilobytes of logs, and all of them count when they are read
        [30, 1, 182, "CLAIMED"],
        [30, 1, 183, "VERIFIED"]
      ] as const) {
        const made = yield* Effect.promise(() => LogChain.extend([], 16, { bytes: 0, copies }))
        const { client } = yield* open(listing(LogChain.answers({ chain: made }), listed), made, { maxLogWork })
        assert.strictEqual((yield* client.getLogs({ fromBlock: 1n, toBlock: 16n }))._tag, tag)
      }
    })
  )

  it.effect("cost no header where the headers alone are beyond the bound", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 400)
      const { calls, client } = yield* open(LogChain.answers({ chain: blocks }), blocks, { maxLogWork: 399 })
      const { _tag, claimed } = yield* client.getLogs(range(blocks))
      assert.strictEqual(_tag, "CLAIMED")
      const { reason } = claimed[0]!
      assert(EthReason.RangeTooLong.is(reason))
      assert.deepStrictEqual([reason.next, reason.within], [400n, 200n])
      // the last block of the range, which is also the trusted one, and the node's own logs
      assert.isAtMost(calls.length, 3)
    })
  )
})

describe("a node that lies about logs", () => {
  const log = (block: LogChain.LogBlock, at: number): Made.JsonObject => block.logs[at]!

  it.effect("is repaired, and the evidence counts what it left out and added", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const honest = LogChain.answers({ chain: blocks })
      const [eight, twelve] = [blocks[7]!, blocks[11]!]
      type Lie = readonly [
        lie: (logs: Array<Made.Json>) => Array<Made.Json>,
        check: RegExp,
        omitted: number,
        added: number
      ]
      const at = (logs: Array<Made.Json>, one: Made.JsonObject): number => logs.indexOf(one)
      const lies: ReadonlyArray<Lie> = [
        [(logs) => logs.toSpliced(at(logs, log(eight, 1)), 1), /^logs$/u, 1, 0],
        [(logs) => logs.filter((one) => Made.object(one)["blockNumber"] !== "0xc"), /^logs$/u, twelve.logs.length, 0],
        [() => [], /^logs$/u, truth(blocks).length, 0],
        [(logs) => logs.toSpliced(at(logs, log(eight, 1)), 0, log(eight, 1)), /^logs/u, 0, 1],
        [(logs) => logs.with(at(logs, log(eight, 1)), { ...log(eight, 1), data: "0x12" }), /^logs\[1\]\.data$/u, 1, 1],
        [(logs) => [...logs, { ...log(eight, 0), blockNumber: "0x100" }], /blockNumber$/u, 0, 1],
        [(logs) => [...logs, { ...log(eight, 0), blockNumber: "0x9" }], /blockNumber$/u, 0, 0],
        [(logs) => logs.toReversed(), /blockNumber$/u, 0, 0]
      ]
      for (const [lie, check, omitted, added] of lies) {
        const lying: Nodes.Replies = (method, params) =>
          method === "eth_getLogs"
            ? lie(Made.list(honest(method, params) as Made.Json)).filter((one) => {
                const { blockHash } = params[0] as { readonly blockHash?: string }
                return blockHash === undefined || Made.object(one)["blockHash"] === blockHash
              })
            : honest(method, params)
        const { client } = yield* open(lying, blocks)
        const verdict = yield* client.getLogs(range(blocks))
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(verdict.value, truth(blocks))
        const [evidence] = repairs(verdict)
        assert(evidence !== undefined, check.source)
        assert.match(evidence.check, check)
        assert.deepStrictEqual([evidence.omitted, evidence.added], [omitted, added], check.source)
        assert.lengthOf(evidence.places, Math.min(omitted, 16))
      }
      const { client } = yield* open(honest, blocks)
      assert.isEmpty(repairs(yield* client.getLogs(range(blocks))))
    })
  )

  it.effect("is repaired for one block too", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const honest = LogChain.answers({ chain: blocks })
      const { hash, logs } = blocks[15]!
      const lying: Nodes.Replies = (method, params) =>
        method === "eth_getLogs" ? Made.list(honest(method, params) as Made.Json).slice(1) : honest(method, params)
      const { client } = yield* open(lying, blocks)
      for (const filter of [{ blockHash: hash }, { fromBlock: 16n, toBlock: 16n }]) {
        const verdict = yield* client.getLogs(filter)
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.lengthOf(verdict.value, logs.length)
        const [evidence] = repairs(verdict)
        assert.deepInclude(evidence, { omitted: 1, added: 0, places: [{ blockNumber: 16n, logIndex: 0n }] })
      }
    })
  )

  it.effect("is not accused if a reorganisation took the block, and it answers about the one in its place", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const before = LogChain.answers({ chain: blocks })
      // block 16 of the first has no logs, and that of the second has others
      for (const salt of [1, 4]) {
        const other = yield* Effect.promise(() => LogChain.extend(blocks.slice(0, 10), 30, { salt }))
        const after = LogChain.answers({ chain: other })
        for (const [hasMoved, repaired] of [
          [true, 0],
          [false, 1]
        ] as const) {
          let isAsked = false
          const erigon: Nodes.Replies = (method, params) => {
            if (method !== "eth_getLogs") {
              const isByNumber = method === "eth_getBlockByNumber" && params[0] !== "latest"
              return isByNumber && isAsked && hasMoved ? after(method, params) : before(method, params)
            }
            const { blockHash } = params[0] as { readonly blockHash?: string }
            if (blockHash === undefined) return salt === 1 ? [] : after(method, params)
            isAsked = true
            const number = blocks.find(({ hash }) => hash === blockHash)!.number
            return [...other[Number(number) - 1]!.logs]
          }
          for (const filter of [
            { fromBlock: 16n, toBlock: 16n },
            { fromBlock: 15n, toBlock: 17n }
          ]) {
            isAsked = false
            const { client } = yield* open(erigon, blocks)
            const verdict = yield* client.getLogs(filter)
            assert.strictEqual(verdict._tag, "VERIFIED")
            assert.deepStrictEqual(verdict.value, truth(blocks.slice(15, 16)))
            const isOther = salt !== 1 && filter.fromBlock !== filter.toBlock
            assert.lengthOf(repairs(verdict), isOther ? 0 : repaired)
          }
        }
      }
    })
  )

  it.effect("is refuted if its receipts or headers lie", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const honest = LogChain.answers({ chain: blocks })
      const lies: ReadonlyArray<Nodes.Replies> = [
        (method, params) => (method === "eth_getBlockReceipts" ? [] : honest(method, params)),
        (method, params) =>
          method === "eth_getBlockReceipts"
            ? Made.list(honest(method, params) as Made.Json).map((one) => ({ ...Made.object(one), logs: [] }))
            : honest(method, params),
        (method, params) => {
          const answer = honest(method, params)
          return params[0] === "0x8"
            ? { ...Made.object(answer as Made.Json), logsBloom: `0x${"00".repeat(256)}` }
            : answer
        }
      ]
      for (const lie of lies) {
        const { client } = yield* open(lie, blocks)
        const error = yield* Effect.flip(client.getLogs(range(blocks)))
        assert.strictEqual(error._tag, "RefutedError")
      }
    })
  )
})

describe("a block of Polygon that shows a state-sync transaction", () => {
  /** The hash by the rule of bor, computed by viem. */
  const syncHash = ({ hash, number }: LogChain.LogBlock): `0x${string}` =>
    keccak256(concat([stringToHex("matic-bor-receipt-"), numberToHex(number, { size: 8 }), hash]))

  const nobody = `0x${"00".repeat(20)}`

  /** A node that shows such a transaction in block 17, which has no other one. `logs` are its answers to eth_getLogs. */
  const bor = (
    blocks: LogChain.LogChain,
    logs: (honest: Array<Made.Json>, own: Made.Json) => Nodes.Replies
  ): Nodes.Replies => {
    const honest = LogChain.answers({ chain: blocks })
    const seventeen = blocks[16]!
    const hash = syncHash(seventeen)
    const place = { blockHash: seventeen.hash, blockNumber: "0x11", transactionHash: hash, transactionIndex: "0x0" }
    const zeros = { from: nobody, to: nobody, gas: "0x0", gasPrice: "0x0", nonce: "0x0", value: "0x0", input: "0x" }
    const { transactionHash: _, ...at } = place
    const sync = { ...at, ...zeros, hash, type: "0x0", v: "0x0", r: "0x0", s: "0x0" }
    const own = { ...place, address: `0x${"10".repeat(20)}`, topics: [], data: "0x", logIndex: "0x0", removed: false }
    return (method, params) => {
      const answer = honest(method, params)
      if (method === "eth_getLogs") return logs(Made.list(answer as Made.Json), own)(method, params)
      const block = /getBlockBy/u.test(method) && answer != null ? Made.object(answer as Made.Json) : undefined
      if (block?.["number"] !== "0x11") return answer
      return { ...block, transactions: [...Made.list(block["transactions"]), params[1] === true ? sync : hash] }
    }
  }

  it.effect("has no proven logs, whether the node sends its own, leaves them out, or refuses", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const selected =
        (logs: Array<Made.Json>): Nodes.Replies =>
        () =>
          logs
      const nodes = {
        sends: bor(blocks, (logs, own) =>
          selected([...logs.filter(isBefore), own, ...logs.filter((log) => !isBefore(log))])
        ),
        leavesOut: bor(blocks, (logs) => selected(logs)),
        refuses: bor(blocks, () => () => limited)
      }
      // a filter with and without logs in receipts, over a range and the block alone
      for (const selection of [{}, { address: `0x${"77".repeat(20)}` } as const]) {
        for (const filter of [range(blocks), { fromBlock: 17n, toBlock: 17n }, { blockHash: blocks[16]!.hash }]) {
          for (const [name, replies] of Object.entries(nodes)) {
            const { client } = yield* open(replies, blocks)
            const outcome = yield* Effect.result(client.getLogs({ ...filter, ...selection }))
            if (Result.isSuccess(outcome)) {
              assert.strictEqual(outcome.success._tag, "CLAIMED", name)
              assert.match(outcome.success.claimed[0]!.reason.sentence, /state-sync transaction of Polygon/u)
              assert.notStrictEqual(name, "refuses")
              continue
            }
            assert.strictEqual(name, "refuses", outcome.failure.message)
            assert.strictEqual(outcome.failure._tag, "UnprovenError")
            assert.match(outcome.failure.message, /state-sync transaction of Polygon.*limited to a 10 range/u)
          }
        }
      }
    })
  )

  it.effect("leaves the other blocks proven, and is a lie on a chain of Ethereum", () =>
    Effect.gen(function* () {
      const blocks = (yield* chain).slice(0, 40)
      const replies = bor(blocks, () => () => limited)
      const { client } = yield* open(replies, blocks)
      const after = yield* client.getLogs({ fromBlock: 18n, toBlock: 40n })
      assert.deepStrictEqual([after._tag, after.value], ["VERIFIED", truth(blocks.slice(17))])
      const { client: named } = yield* open(replies, blocks, { chainId: 1n })
      const lie = yield* Effect.flip(named.getLogs(range(blocks)))
      assert.strictEqual(lie._tag, "RefutedError")
    })
  )

  const isBefore = (log: Made.Json): boolean => Number(Made.object(log)["blockNumber"]) < 17
})
