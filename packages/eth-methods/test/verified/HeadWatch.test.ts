/** Watches of heads over chains that grow and reorganise, from programs that are killed and resumed at any item. */
import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Random from "@plumbline/seeded/Random"
import { Anchor, Reason } from "@plumbline/verdict"
import { Effect, Schema, Stream } from "effect"

import {
  type ChainWatch,
  EthClient,
  EthReason,
  HeadWatch,
  LogWatch,
  ProvenNodes,
  TrustedBlock,
  VerdictEthClient
} from "../../src/index.ts"
import * as LogChain from "../support/logChain.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import { inTime, open } from "../support/watching.ts"

const first = LogChain.extend([], 40)

/** A program that keeps the blocks that it was told, with its cursor. Throws if an item does not fit. */
class Program {
  stored: string
  readonly blocks: Array<string> = []
  removed = 0
  constructor(from: bigint) {
    this.stored = JSON.stringify(HeadWatch.start(from))
  }
  get cursor(): ChainWatch.Cursor {
    return Schema.decodeUnknownSync(HeadWatch.Cursor)(JSON.parse(this.stored))
  }
  take(item: HeadWatch.HeadItem): void {
    assert.strictEqual(item.verdict, "VERIFIED")
    if (item._tag === "Removed") {
      assert.strictEqual(this.blocks.pop(), item.block.hash, "the newest first")
      this.removed++
    } else {
      if (this.blocks.length > 0) assert.strictEqual(item.header.parentHash, this.blocks.at(-1))
      this.blocks.push(item.header.hash!)
    }
    this.stored = JSON.stringify(item.cursor)
  }
}

const truth = (chain: LogChain.LogChain, from: bigint): ReadonlyArray<string> =>
  chain.slice(Number(from) - 1).map(({ hash }) => hash)

/** Runs a program until it has the head of the chain. */
const follow = (client: Parameters<typeof HeadWatch.watch>[0], program: Program, head: LogChain.Head, depth?: number) =>
  inTime(
    Stream.runForEach(
      Stream.takeUntil(
        HeadWatch.watch(client, { cursor: program.cursor, depth }),
        (item) => item._tag === "Head" && item.header.hash === head.chain.at(-1)!.hash
      ),
      (item) => Effect.sync(() => program.take(item))
    )
  )

describe("a watch of heads", () => {
  it.effect("tells each block once and in order, over reorganisations and restarts at every item", () =>
    Effect.gen(function* () {
      const random = Random.make(5)
      let removed = 0
      let restarts = 0
      const runs = Random.runs(8)
      for (let run = runs; run > 0; run--) {
        const head: LogChain.Head = { chain: yield* Effect.promise(() => first) }
        const from = BigInt(1 + Random.int(random, 30))
        const program = new Program(from)
        const client = yield* open(LogChain.answers(head), head)
        for (let salt = 1; salt < 8; salt++) {
          const isHead = (item: HeadWatch.HeadItem): boolean =>
            item._tag === "Head" && item.header.hash === head.chain.at(-1)!.hash
          // the program is killed after a few items
          const untilKilled = Effect.suspend(() => {
            let left = 1 + Random.int(random, 5)
            return inTime(
              HeadWatch.watch(client, { cursor: program.cursor }).pipe(
                Stream.takeUntil((item) => --left === 0 || isHead(item)),
                Stream.tap((item) => Effect.sync(() => program.take(item))),
                Stream.runCollect
              )
            )
          })
          while (!isHead((yield* untilKilled).at(-1)!)) restarts++
          assert.deepStrictEqual(program.blocks, truth(head.chain, from))
          const depth = Random.chance(random, 0.6) ? Random.int(random, 9) : 0
          const kept = head.chain.slice(0, head.chain.length - depth)
          head.chain = yield* Effect.promise(() => LogChain.extend(kept, depth + 1 + Random.int(random, 4), { salt }))
        }
        removed += program.removed
      }
      assert.isAbove(removed, runs)
      assert.isAbove(restarts, 5 * runs)
    })
  )

  it.effect("goes on while the chain moves under a read, and when reads fail for a while, and says so", () =>
    Effect.gen(function* () {
      const random = Random.make(13)
      const chain = yield* Effect.promise(() => first)
      const other = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 30), 12, { salt: 3 }))
      for (let run = Random.runs(16); run > 0; run--) {
        const head: LogChain.Head = { chain }
        const honest = LogChain.answers(head)
        const move = 3 + Random.int(random, 60)
        let calls = 0
        let failed = 0
        let told = 0
        const client = yield* open((method, params) => {
          if (++calls === move) head.chain = other
          if (!Random.chance(random, 0.1)) return honest(method, params)
          failed++
          return new RemoteError({ code: -32005, message: "rate limit exceeded" })
        }, head)
        const program = new Program(5n)
        const options: ChainWatch.ChainWatchOptions = {
          cursor: program.cursor,
          onRetry: () => Effect.sync(() => void told++)
        }
        yield* inTime(
          Stream.runForEach(
            Stream.takeUntil(
              HeadWatch.watch(client, options),
              (item) => item._tag === "Head" && item.header.hash === other.at(-1)!.hash
            ),
            (item) => Effect.sync(() => program.take(item))
          )
        )
        assert.deepStrictEqual(program.blocks, truth(other, 5n))
        if (failed > 0) assert.isAbove(told, 0)
      }
    })
  )

  it.effect("ends with the check that fails if a node forges a header, repeats a block, or leaves one out", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      const instead =
        (number: number, by: LogChain.LogBlock["json"]): Nodes.Replies =>
        (method, params) =>
          method.startsWith("eth_getBlockBy") &&
          [`0x${number.toString(16)}`, chain[number - 1]!.hash].includes(String(params[0]))
            ? by
            : honest(method, params)
      const forged = Made.object({ ...chain[34]!.json, gasUsed: "0x1", transactions: [] })
      const lies = {
        forged: instead(35, forged),
        repeated: instead(35, { ...chain[33]!.json, transactions: [] }),
        "left out": instead(35, { ...chain[35]!.json, transactions: [] })
      }
      for (const [lie, replies] of Object.entries(lies)) {
        const program = new Program(31n)
        const error = yield* Effect.flip(follow(yield* open(replies, head), program, head))
        assert.strictEqual(error._tag, "RefutedError", lie)
        assert.isTrue(
          program.blocks.every((hash) => truth(chain, 31n).includes(hash)),
          lie
        )
      }
    })
  )

  it.effect("leaves nodes that lie, are silent or are behind for the honest one, over a reorganisation", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const other = yield* Effect.promise(() => LogChain.extend(chain.slice(0, 35), 9, { salt: 9 }))
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      const others: Readonly<Record<string, Nodes.Replies>> = {
        liar: (method, params) => {
          const truly = honest(method, params) as LogChain.LogBlock["json"] | null
          return truly !== null && method.startsWith("eth_getBlockBy")
            ? Made.object({ ...truly, gasUsed: "0x1" })
            : truly
        },
        silent: () => undefined,
        behind: LogChain.answers({ chain: chain.slice(0, 10) })
      }
      for (const at of [0, 1, 2, 3]) {
        head.chain = chain
        const lies: Array<string | undefined> = []
        const named: Array<readonly [string, Nodes.Replies]> = Object.entries(others)
        const members = yield* Effect.forEach(named.toSpliced(at, 0, ["honest", honest]), ([name, replies]) =>
          Effect.map(open(replies, head), (eth) => ({ name, eth }))
        )
        const nodes = ProvenNodes.make(members as [(typeof members)[number]], {
          onLie: (name) => Effect.sync(() => void lies.push(name))
        })
        const program = new Program(30n)
        yield* follow(nodes, program, head)
        head.chain = other
        yield* follow(nodes, program, head)
        assert.deepStrictEqual(program.blocks, truth(other, 30n))
        assert.deepStrictEqual([...new Set(lies)], at === 0 ? [] : ["liar"])
      }
      const liars = ProvenNodes.make([{ name: "only", eth: yield* open(others["liar"]!, head) }])
      assert.strictEqual((yield* Effect.flip(follow(liars, new Program(30n), head)))._tag, "RefutedError")
    })
  )

  it.effect("waits for an honest node that is silent for a time, whatever the other nodes say", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      const bad: Readonly<Record<string, Nodes.Replies>> = {
        refusing: () => new RemoteError({ code: -32601, message: "no such method" }),
        unproven: () =>
          Made.object({ ...chain[34]!.json, gasUsed: "0x1", inventedRoot: Hash32.ZERO, transactions: [] }),
        lacking: () => null,
        lying: () => Made.object({ ...chain[34]!.json, gasUsed: "0x1", transactions: [] })
      }
      for (const [name, replies] of Object.entries(bad)) {
        for (const isFirst of [false, true]) {
          let silences = 20
          const client = yield* open((method, params) => {
            if (silences-- > 0) throw new TransportError({ detail: "no connection", retryable: true })
            return honest(method, params)
          }, head)
          const truthful = { name: "honest", eth: client }
          const other = { name, eth: yield* open(replies, head) }
          const nodes = ProvenNodes.make(isFirst ? [truthful, other] : [other, truthful])
          const program = new Program(30n)
          yield* follow(nodes, program, head)
          assert.deepStrictEqual(program.blocks, truth(chain, 30n), `${name} ${isFirst}`)
          // without the node that may come back, the others end the watch
          const alone = ProvenNodes.make([other, other])
          assert.notStrictEqual((yield* Effect.flip(follow(alone, new Program(30n), head)))._tag, "DeepReorgError")
        }
      }
    })
  )

  it.effect("waits while the node is behind or shows an old head, and goes on without a gap", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const honest = LogChain.answers(head)
      let stale = 30
      const client = yield* open(
        (method, params) =>
          params[0] === "latest" && stale-- > 0
            ? honest(method, [`0x${(20 + (stale % 3)).toString(16)}`, params[1]])
            : honest(method, params),
        head
      )
      const program = new Program(15n)
      yield* follow(client, program, head)
      assert.deepStrictEqual(program.blocks, truth(chain, 15n))
      assert.strictEqual(program.removed, 0)
    })
  )

  it.effect("fails below the blocks of its cursor, and refuses options that make no cursor", () =>
    Effect.gen(function* () {
      const head: LogChain.Head = { chain: yield* Effect.promise(() => first) }
      const client = yield* open(LogChain.answers(head), head)
      const program = new Program(1n)
      yield* follow(client, program, head, 8)
      assert.lengthOf(program.cursor.blocks, 8)
      head.chain = yield* Effect.promise(() => LogChain.extend(head.chain.slice(0, 20), 30, { salt: 5 }))
      const nodes = ProvenNodes.make([
        { name: "a", eth: client },
        { name: "b", eth: client }
      ])
      const silent = yield* open(() => undefined, head)
      const withSilent = ProvenNodes.make([
        { name: "silent", eth: silent },
        { name: "b", eth: client }
      ])
      for (const each of [nodes, withSilent]) {
        assert.strictEqual((yield* Effect.flip(follow(each, program, head, 8)))._tag, "DeepReorgError")
      }
      const error = yield* Effect.flip(follow(client, program, head, 8))
      assert.strictEqual(error._tag, "DeepReorgError")
      for (const depth of [Number.NaN, 0, 2.5, 1025]) {
        const refused = yield* Effect.flip(follow(client, new Program(1n), head, depth))
        assert(refused._tag === "JsonRpcError" && refused.reason._tag === "EncodeError")
        assert.match(refused.message, /^HeadWatch.watch: params\.depth: /u)
      }
    })
  )
})

describe("the proof behind an item", () => {
  const NotNow = Reason.kind("NotNow", () => "the head is too old")

  /** Trusts a chain like a light client: finalized up to a number, and optimistic up to the head. */
  const lightClient = (head: LogChain.Head, final: { number: bigint }, isAsleep: () => boolean = () => false) => {
    const named = ({ hash, number }: LogChain.LogBlock) => ({
      hash,
      by: "the test",
      anchor: Anchor.lightClient({
        hash,
        checkpoint: Hash32.ZERO,
        slot: number,
        finality: number <= final.number ? "finalized" : "optimistic",
        participation: [512, 512],
        age: 1
      })
    })
    const resolve: TrustedBlock.TrustedBlock["Service"]["resolve"] = (block) =>
      Effect.sync(() => {
        if (isAsleep()) return { _tag: "Nothing", reason: NotNow({}), isYet: true }
        const newest = head.chain.at(-1)!
        const finalized = head.chain[Number(final.number) - 1]!
        if (block === "latest") return { _tag: "Exactly", ...named(newest) }
        if (typeof block !== "bigint") return { _tag: "Exactly", ...named(finalized) }
        return { _tag: "OnChain", ...named(block <= final.number ? finalized : newest) }
      })
    return { resolve }
  }

  const clientOf = (replies: Nodes.Replies, trust: TrustedBlock.TrustedBlock["Service"]) =>
    Effect.map(Effect.provideService(EthClient.make, Transport, Nodes.node(replies).transport), (eth) =>
      VerdictEthClient.make(eth, trust)
    )

  it.effect("says if the block is finalized or optimistic, and keeps one block of those that are finalized", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const client = yield* clientOf(LogChain.answers(head), lightClient(head, { number: 30n }))
      const finalityOf = ({ anchor }: ChainWatch.WatchStanding) => anchor._tag === "LightClient" && anchor.finality
      const heads = yield* inTime(
        Stream.runCollect(Stream.take(HeadWatch.watch(client, { cursor: HeadWatch.start(21n) }), 20))
      )
      assert.deepStrictEqual(
        heads.map(finalityOf),
        Array.from({ length: 20 }, (_, at) => (at < 10 ? "finalized" : "optimistic"))
      )
      const logs = yield* inTime(
        Stream.runCollect(
          Stream.takeUntil(
            LogWatch.watch(client, {}, { cursor: LogWatch.start(1n), pageBlocks: 10 }),
            (item) => item._tag === "Reached" && item.block.number === 40n
          )
        )
      )
      for (const item of logs) {
        const number = item._tag === "Log" ? item.log.blockNumber! : item.block.number
        assert.strictEqual(finalityOf(item), number <= 30n ? "finalized" : "optimistic")
        if (number <= 30n) assert.lengthOf(item.cursor.blocks, 1)
      }
      const finalized = yield* inTime(
        Stream.runCollect(
          Stream.takeUntil(
            HeadWatch.watch(client, { cursor: HeadWatch.start(29n), head: "finalized" }),
            (item) => item._tag === "Head" && item.header.number === 30n
          )
        )
      )
      assert.deepStrictEqual(finalized.map(finalityOf), ["finalized", "finalized"])
    })
  )

  it.effect("is CLAIMED with the anchor of nodes that the reader accepts, and missing for others", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      const { layer, transport } = Nodes.node(LogChain.answers(head))
      for (const accept of [true, false]) {
        const trusted = TrustedBlock.layerOperator(layer, { accept })
        const client = yield* Effect.provide(
          Effect.flatMap(TrustedBlock.TrustedBlock, (trust) =>
            Effect.map(Effect.provideService(EthClient.make, Transport, transport), (eth) =>
              VerdictEthClient.make(eth, trust)
            )
          ),
          trusted
        )
        const items = inTime(
          Effect.result(Stream.runCollect(Stream.take(HeadWatch.watch(client, { cursor: HeadWatch.start(39n) }), 2)))
        )
        const outcome = yield* items
        if (outcome._tag === "Failure") assert.deepStrictEqual([accept, outcome.failure._tag], [false, "UnprovenError"])
        else {
          assert.isTrue(accept)
          assert.deepStrictEqual(
            outcome.success.map(({ anchor, verdict }) => [verdict, anchor._tag]),
            [
              ["CLAIMED", "Operator"],
              ["CLAIMED", "Operator"]
            ]
          )
        }
      }
    })
  )

  it.effect("is waited for without end only for reasons that pass", () =>
    Effect.gen(function* () {
      const chain = yield* Effect.promise(() => first)
      const head: LogChain.Head = { chain }
      for (const passes of [true, false]) {
        let asleep = 50
        const client = yield* clientOf(
          LogChain.answers(head),
          lightClient(head, { number: 30n }, () => asleep-- > 0)
        )
        const told: Array<string> = []
        const outcome = yield* inTime(
          Effect.result(
            Stream.runCollect(
              Stream.take(
                HeadWatch.watch(client, {
                  cursor: HeadWatch.start(40n),
                  isPassing: (reason) => passes && NotNow.is(reason),
                  onRetry: (error) => Effect.sync(() => void told.push(error.message))
                }),
                1
              )
            )
          )
        )
        assert.strictEqual(outcome._tag, passes ? "Success" : "Failure")
        if (passes) {
          // more often than a node may lack a block
          assert.isAbove(told.length, 20)
          assert.match(told[0]!, /the head is too old/u)
        } else {
          assert.lengthOf(told, 0)
          assert.isAbove(asleep, 40)
        }
      }
    })
  )

  it.effect("leads a node that lacks blocks to the bound that the reader sets", () =>
    Effect.gen(function* () {
      const head: LogChain.Head = { chain: yield* Effect.promise(() => first) }
      const honest = LogChain.answers(head)
      for (const [maxLacks, tries] of [
        [0, 0],
        [3, 3]
      ] as const) {
        let told = 0
        const client = yield* open((method, params) => (params[0] === "latest" ? null : honest(method, params)), head)
        const options = {
          cursor: HeadWatch.start(40n),
          maxLacks,
          onRetry: () => Effect.sync(() => void told++)
        }
        const error = yield* inTime(Effect.flip(Stream.runDrain(HeadWatch.watch(client, options))))
        assert(error._tag === "UnprovenError")
        assert.isTrue(error.claims.some(({ reason }) => EthReason.BlockUnknown.is(reason)))
        assert.strictEqual(told, tries)
      }
    })
  )
})
