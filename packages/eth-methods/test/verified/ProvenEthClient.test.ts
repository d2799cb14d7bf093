import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32, Hex } from "@plumbline/codec"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Effect, Layer } from "effect"

import { EthClient, ProvenEthClient, TrustedBlock } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as Receipts from "../support/receipts.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const world = World.make(Hardfork.Prague)
const chain = Effect.promise(() => world)

type Ask = (eth: ProvenEthClient.Client) => EthClient.EthRead<unknown, ProvenEthClient.ProvenReadFailure>

/** A program that was written before the proving client existed. It works with any client. */
const summary = Effect.fnUntraced(function* <E>(eth: EthClient.Client<E>, number: bigint) {
  const block = yield* eth.getBlockByNumber(number)
  const balance = yield* eth.getBalance(State.CONTRACT, number)
  return { transactions: block?.transactions, balance, head: yield* eth.blockNumber }
})

interface Setting {
  readonly answers: Nodes.Replies
  readonly trust?: Layer.Layer<TrustedBlock.TrustedBlock>
  readonly options?: ProvenEthClient.ProvenEthClientOptions
}

const run = <A, E>(
  program: Effect.Effect<A, E, ProvenEthClient.ProvenEthClient>,
  { answers, options, trust = TrustedBlock.layerNone() }: Setting
) => {
  const { calls, layer } = Nodes.node(answers)
  const verified = ProvenEthClient.layer(options).pipe(Layer.provide([layer, trust]))
  return Effect.map(Effect.result(Effect.provide(program, verified)), (result) => ({ calls, result }))
}

const pinned = (made: World.World) => TrustedBlock.layerPinned(Questions.hashOf(made.block(World.HEAD)))

/** Returns the plain client's answer without `blobGasPrice`, the only field of these blocks that nothing proves. */
const withoutClaims = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutClaims)
  if (typeof value !== "object" || value === null) return value
  const { blobGasPrice: _, ...others } = value as Record<string, unknown>
  return others
}

/** Makes a node that is honest except for one method. */
const lying =
  (made: World.World, method: string, answer: Made.Json): Nodes.Replies =>
  (asked, params) =>
    asked === method ? answer : made.answers(asked, params)

/** A quorum whose two operators tell the same. */
const quorum = (answers: Nodes.Replies, accept: boolean) =>
  TrustedBlock.layerQuorum(
    ["one", "two"].map((name) => ({ name, transport: Nodes.node(answers).transport })),
    { needed: 2, accept }
  )

describe("ProvenEthClient", () => {
  it.effect("refuses what rests on a quorum, and names it, unless the reader accepts it by name", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const [hash] = (made.receipts(World.FULL) as ReadonlyArray<{ readonly transactionHash: string }>).map(
        ({ transactionHash }) => Questions.hashOf({ hash: transactionHash })
      )
      const asks: ReadonlyArray<Ask> = [
        (eth) => eth.getBalance(State.CONTRACT, World.FULL),
        (eth) => eth.getBlockByNumber("latest"),
        (eth) => eth.blockNumber,
        (eth) => eth.getTransactionReceipt(hash!),
        (eth) => eth.getTransactionByHash(hash!)
      ]
      for (const ask of asks) {
        const program = ProvenEthClient.ProvenEthClient.use(ask)
        const said = (accept: boolean) => run(program, { answers: made.answers, trust: quorum(made.answers, accept) })
        const { result: refused } = yield* said(false)
        assert(refused._tag === "Failure" && refused.failure._tag === "UnprovenError")
        assert.match(refused.failure.message, /2 of 2 operators \(one, two\)/u)
        const { result: accepted } = yield* said(true)
        const { result: proven } = yield* run(program, { answers: made.answers, trust: pinned(made) })
        assert(accepted._tag === "Success" && proven._tag === "Success")
        assert.deepStrictEqual(accepted.success, proven.success)
      }
      // consent covers the block, and nothing below it
      const lie = lying(made, "eth_getBalance", "0x1")
      const balance = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(State.CONTRACT, World.FULL))
      const { result } = yield* run(balance, { answers: lie, trust: quorum(made.answers, true) })
      assert(result._tag === "Failure" && result.failure._tag === "RefutedError")
      const call = ProvenEthClient.ProvenEthClient.use((eth) => eth.call({ to: State.CONTRACT }, World.FULL))
      const { result: unproven } = yield* run(call, { answers: made.answers, trust: quorum(made.answers, true) })
      assert(unproven._tag === "Failure" && unproven.failure._tag === "UnprovenError")
    })
  )

  it.effect("answers code written for the plain client as the plain layer does, and proves it", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const plain = EthClient.layer().pipe(Layer.provide(Nodes.node(made.answers).layer))
      const unproven = yield* Effect.provide(
        EthClient.EthClient.use((eth) => summary(eth, World.FULL)),
        plain
      )
      const { result } = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => summary(eth, World.FULL)),
        { answers: made.answers, trust: pinned(made) }
      )
      assert(result._tag === "Success")
      assert.deepStrictEqual(result.success, unproven)
      assert.strictEqual(result.success.transactions?.length, 8)
    })
  )

  it.effect("fails with what was refuted where the plain layer believes the lie", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const answers = lying(made, "eth_getBalance", "0x1")
      const plain = EthClient.layer().pipe(Layer.provide(Nodes.node(answers).layer))
      assert.strictEqual(
        (yield* Effect.provide(
          EthClient.EthClient.use((eth) => summary(eth, World.FULL)),
          plain
        )).balance,
        1n
      )
      for (const claimed of ["refuse", "accept"] as const) {
        const { result } = yield* run(
          ProvenEthClient.ProvenEthClient.use((eth) => summary(eth, World.FULL)),
          { answers, trust: pinned(made), options: { claimed } }
        )
        assert(result._tag === "Failure" && result.failure._tag === "RefutedError")
        assert.strictEqual(result.failure.check, "balance")
      }
    })
  )

  it.effect("proves the hashes of a block's transactions, which the plain answer only claims", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const block = made.block(World.FULL)
      const hash = Questions.hashOf(block)
      const { calls, result } = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockByHash(hash)),
        { answers: made.answers }
      )
      assert(result._tag === "Success")
      assert.deepStrictEqual(
        result.success?.transactions.map(String),
        Made.list(Receipts.withHashes(block)["transactions"]).map(Made.string)
      )
      assert.deepStrictEqual(calls, [{ method: "eth_getBlockByHash", params: [hash, true] }])
      const transactions = Made.list(block["transactions"]).toSpliced(2, 1)
      const dropped = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockByHash(hash)),
        { answers: () => ({ ...block, transactions }) }
      )
      assert(dropped.result._tag === "Failure" && dropped.result.failure._tag === "RefutedError")
    })
  )

  it.effect("reads the header alone for the number of the head", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const { calls, result } = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => eth.blockNumber),
        { answers: made.answers, trust: pinned(made) }
      )
      assert(result._tag === "Success")
      assert.strictEqual(result.success, World.HEAD)
      assert.deepStrictEqual(calls, [{ method: "eth_getBlockByNumber", params: ["latest", false] }])
    })
  )

  it.effect("refuses what nothing proves, or takes it at the node's word", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const nowhere = Hash32.fromHexUnsafe(`0x${"ee".repeat(32)}`)
      const program = ProvenEthClient.ProvenEthClient.use((eth) => eth.getTransactionReceipt(nowhere))
      const refused = yield* run(program, { answers: made.answers, trust: pinned(made) })
      assert(refused.result._tag === "Failure" && refused.result.failure._tag === "UnprovenError")
      assert.strictEqual(refused.result.failure.subject, "eth_getTransactionReceipt")
      assert.include(refused.result.failure.message, "that there is none cannot be proven")
      const accepted = yield* run(program, { answers: made.answers, options: { claimed: "accept" } })
      assert(accepted.result._tag === "Success")
      assert.isNull(accepted.result.success)
      // the block proves that it has no transaction at this index, so null is returned without the option
      const hash = Questions.hashOf(made.block(World.FULL))
      const none = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => eth.getTransactionByBlockHashAndIndex(hash, 8n)),
        { answers: made.answers }
      )
      assert(none.result._tag === "Success")
      assert.isNull(none.result.success)
    })
  )

  it.effect("refuses a number or tag without trust, the head's as well", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const questions: Readonly<Record<string, Ask>> = {
        eth_getBalance: (eth) => eth.getBalance(State.CONTRACT),
        eth_getBlockByNumber: (eth) => eth.getBlockByNumber(World.FULL),
        eth_blockNumber: (eth) => eth.blockNumber
      }
      for (const [method, question] of Object.entries(questions)) {
        const { result } = yield* run(ProvenEthClient.ProvenEthClient.use(question), { answers: made.answers })
        assert(result._tag === "Failure" && result.failure._tag === "UnprovenError", method)
        assert.strictEqual(result.failure.subject, method)
        const accepted = yield* run(ProvenEthClient.ProvenEthClient.use(question), {
          answers: made.answers,
          options: { claimed: "accept" }
        })
        assert.strictEqual(accepted.result._tag, "Success", method)
      }
    })
  )

  it.effect("answers every read of the plain client with the same value, by every way to ask", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const hash = Questions.hashOf(made.block(World.FULL))
      const transaction = Questions.hashOf(Made.list(made.block(World.FULL)["transactions"])[5])
      const plain = EthClient.layer().pipe(Layer.provide(Nodes.node(made.answers).layer))
      const { eth_getBlockReceipts: _, ...ofNumber } = Questions.ofNumber
      // all reads of the verified client; the plain client has the same reads under the same names
      const all = [
        (eth: ProvenEthClient.Client) => eth.getBlockReceipts(World.FULL),
        ...Object.values(ofNumber).map((question) => question(World.FULL)),
        ...Object.keys(Questions.ofHash).flatMap((name) =>
          name in Questions.ofNumber ? [] : [Questions.ofHash[name]!(hash)]
        ),
        ...Object.values(Questions.ofTransaction).map((question) => question(transaction))
      ] as unknown as ReadonlyArray<Ask>
      for (const question of all) {
        const { result } = yield* run(ProvenEthClient.ProvenEthClient.use(question), {
          answers: made.answers,
          trust: pinned(made)
        })
        assert(result._tag === "Success")
        const unproven = yield* Effect.provide(EthClient.EthClient.use(question), plain)
        assert.deepStrictEqual(result.success, withoutClaims(unproven))
      }
    })
  )

  it.effect("does not ask for facts that no proof shows, unless the node's word will do", () =>
    Effect.gen(function* () {
      const facts: Readonly<Record<string, Ask>> = {
        eth_call: (eth) => eth.call({ to: State.CONTRACT }),
        eth_chainId: (eth) => eth.chainId,
        net_version: (eth) => eth.networkId
      }
      for (const [method, question] of Object.entries(facts)) {
        const answers: Nodes.Replies = (asked) => (asked === "net_version" ? "1" : "0x1")
        const refused = yield* run(ProvenEthClient.ProvenEthClient.use(question), { answers })
        assert(refused.result._tag === "Failure" && refused.result.failure._tag === "UnprovenError", method)
        assert.strictEqual(refused.result.failure.subject, method)
        assert.deepStrictEqual(refused.calls, [])
      }
      const accepted = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) => eth.chainId),
        { answers: () => "0x1", options: { claimed: "accept" } }
      )
      assert(accepted.result._tag === "Success")
      assert.strictEqual(accepted.result.success, 1n)
    })
  )

  it.effect("passes on advice, and what a node says about itself", () =>
    Effect.gen(function* () {
      const { result } = yield* run(
        ProvenEthClient.ProvenEthClient.use((eth) =>
          Effect.all([eth.gasPrice, eth.maxPriorityFeePerGas, eth.blobBaseFee, eth.estimateGas({})])
        ),
        { answers: () => "0x7" }
      )
      assert(result._tag === "Success")
      assert.deepStrictEqual(result.success, [7n, 7n, 7n, 7n])
    })
  )

  it.effect("takes no other hash for a transaction that was handed in, with blobs or without", () =>
    Effect.gen(function* () {
      const { network, transaction } = Made.withBlob(Hardfork.Prague)
      const handed = [
        ...Made.signed(Hardfork.Prague).map((one) => ({ raw: one.serialize(), hash: one.hash() })),
        { raw: network, hash: transaction.hash() }
      ]
      for (const { hash, raw } of handed) {
        const program = ProvenEthClient.ProvenEthClient.use((eth) => eth.sendRawTransaction(Hex.fromBytes(raw)))
        const sent = yield* run(program, { answers: () => Hex.fromBytes(hash) })
        assert.strictEqual(sent.result._tag, "Success")
        const lied = yield* run(program, { answers: () => Hash32.ZERO })
        assert(lied.result._tag === "Failure" && lied.result.failure._tag === "RefutedError")
        assert.strictEqual(lied.result.failure.expected, Hex.fromBytes(hash))
      }
    })
  )

  it.effect("proves the receipt that a node sends after a transaction, and refuses another or an unproven one", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const block = made.block(World.FULL)
      const receipts = made.receipts(World.FULL) as ReadonlyArray<Readonly<Record<string, Made.Json>>>
      const raw = Made.signed(Hardfork.Prague)[0]!.serialize()
      const program = ProvenEthClient.ProvenEthClient.use((eth) => eth.sendRawTransactionSync(Hex.fromBytes(raw)))
      const answers =
        (said: Made.Json, held: Nodes.Replies = made.answers): Nodes.Replies =>
        (method, params) =>
          method === "eth_sendRawTransactionSync" ? said : held(method, params)
      const honest = yield* run(program, { answers: answers(receipts[0]!), trust: pinned(made) })
      assert(honest.result._tag === "Success")
      assert.strictEqual<unknown>(honest.result.success.blockHash, block["hash"])
      // a lie in the first answer is not believed, because the proven receipt is read again
      const changed = yield* run(program, { answers: answers({ ...receipts[0]!, status: "0x0" }), trust: pinned(made) })
      assert.deepStrictEqual(changed.result, honest.result)
      const another = yield* run(program, { answers: answers(receipts[1]!), trust: pinned(made) })
      assert(another.result._tag === "Failure" && another.result.failure._tag === "RefutedError")
      const none: Nodes.Replies = (method, params) =>
        method === "eth_getTransactionReceipt" ? null : made.answers(method, params)
      const lost = yield* run(program, { answers: answers(receipts[0]!, none), trust: pinned(made) })
      assert(lost.result._tag === "Failure" && lost.result.failure._tag === "UnprovenError")
      assert.strictEqual(lost.result.failure.subject, "eth_sendRawTransactionSync")
      const taken = yield* run(program, {
        answers: answers(receipts[0]!, none),
        trust: pinned(made),
        options: { claimed: "accept" }
      })
      assert(
        taken.result._tag === "Success" && taken.result.success.transactionHash === receipts[0]!["transactionHash"]
      )
    })
  )

  it.effect("compares a hash that a node computes with its own", () =>
    Effect.gen(function* () {
      const program = ProvenEthClient.ProvenEthClient.use((eth) => eth.sha3("0x"))
      // https://eips.ethereum.org/EIPS/eip-1052: the hash of no bytes
      const empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
      const { result } = yield* run(program, { answers: () => empty })
      assert(result._tag === "Success")
      assert.strictEqual<string>(result.success, empty)
      for (const claimed of ["refuse", "accept"] as const) {
        const lied = yield* run(program, { answers: () => Hash32.ZERO, options: { claimed } })
        assert(lied.result._tag === "Failure" && lied.result.failure._tag === "RefutedError")
        assert.strictEqual(lied.result.failure.expected, empty)
      }
    })
  )

  it.effect("lets faults be faults", () =>
    Effect.gen(function* () {
      const made = yield* chain
      const program = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockReceipts(World.FULL))
      const lacking: Nodes.Replies = (method, params) =>
        /Receipts?$/u.test(method)
          ? new RemoteError({ code: -32601, message: `the method ${method} does not exist` })
          : made.answers(method, params)
      for (const claimed of ["refuse", "accept"] as const) {
        const { result } = yield* run(program, { answers: lacking, trust: pinned(made), options: { claimed } })
        assert(result._tag === "Failure" && result.failure._tag === "JsonRpcError")
      }
    })
  )
})
