/** Reads from nodes of other chains, and from nodes that lack a method or have limits. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Verdict } from "@plumbline/verdict"
import { Effect, Layer, type Result } from "effect"

import { TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as World from "../support/world.ts"

const made = World.make(Hardfork.Prague)
const world = Effect.promise(() => made)
const pinned = (chain: World.World) => TrustedBlock.layerPinned(Questions.hashOf(chain.block(World.HEAD)))

const ask = (
  answers: Nodes.Replies,
  question: Questions.Ask,
  trust: Layer.Layer<TrustedBlock.TrustedBlock>,
  options?: VerdictEthClient.VerdictEthClientOptions
) => {
  const { calls, layer } = Nodes.node(answers)
  return Effect.map(
    Effect.result(
      Effect.provide(
        VerdictEthClient.VerdictEthClient.use(question),
        VerdictEthClient.layer(options).pipe(Layer.provide([layer, trust]))
      )
    ),
    (result) => ({ calls: calls.map(({ method }) => method), result })
  )
}

type Asked = { readonly result: Result.Result<Verdict.Verdict<unknown>, { readonly message: string }> }

const verdictOf = ({ result }: Asked, what = ""): Verdict.Verdict<unknown> =>
  result._tag === "Success" ? result.success : assert.fail(`${what}: ${result.failure.message}`)

const failureOf = ({ result }: Asked, what = "") =>
  result._tag === "Failure" ? result.failure : assert.fail(`${what}: ${result.success._tag}`)

const sentencesOf = ({ claimed }: Verdict.Verdict<unknown>) => claimed.map(({ reason }) => reason.sentence).join("; ")

const transactionOf = (chain: World.World) => Questions.hashOf(Made.list(chain.block(World.FULL)["transactions"])[1])

describe("a node of a chain with another hash rule", () => {
  const mixHash = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"

  /** Makes a node whose blocks have the form of QBFT. Their hashes do not follow from the headers. */
  const qbft =
    (chain: World.World): Nodes.Replies =>
    (method, params) => {
      const answer = chain.answers(method, params)
      return method.startsWith("eth_getBlockBy") && answer != null
        ? { ...Made.object(answer as Made.Json), mixHash, extraData: `0x${"00".repeat(97)}` }
        : answer
    }

  it.effect("gets no proof and no blame for any read, and blame for all where the chain is Ethereum", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const transaction = transactionOf(chain)
      const questions = [
        ...Object.entries(Questions.ofHash).map(
          ([name, question]) => [name, question(Questions.hashOf(chain.block(World.FULL)))] as const
        ),
        ...Object.entries(Questions.ofNumber).map(([name, question]) => [name, question(World.FULL)] as const),
        ["eth_getLogs", Questions.ofNumber["eth_getLogs"]!("latest")] as const,
        ["range", (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: 101n, toBlock: World.HEAD })] as const,
        ...Object.entries(Questions.ofTransaction).map(([name, question]) => [name, question(transaction)] as const)
      ]
      for (const trust of [TrustedBlock.layerNone(), pinned(chain)]) {
        for (const [name, question] of questions) {
          const verdict = verdictOf(yield* ask(qbft(chain), question, trust), name)
          assert.match(sentencesOf(verdict), /another consensus \(IBFT or QBFT\)/u, name)
          // a transaction is proven by its own hash, and only its place is claimed
          assert.strictEqual(verdict._tag, name === "eth_getTransactionByHash" ? "VERIFIED" : "CLAIMED", name)
          const strict = failureOf(yield* ask(qbft(chain), question, trust, { chainId: 1n }), name)
          assert.match(strict.message, /^header hash/u, name)
        }
      }
    })
  )

  it.effect("that lies about one older block gets no proof through a trusted block", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const one: Nodes.Replies = (method, params) => {
        const answer = chain.answers(method, params)
        if (!method.startsWith("eth_getBlockBy") || answer == null) return answer
        const isOlder = Made.object(answer as Made.Json)["number"] === Made.hex(World.FULL)
        return isOlder ? qbft(chain)(method, params) : answer
      }
      const blocks = yield* ask(one, (eth) => eth.getBlockByNumber(World.FULL), pinned(chain))
      assert.strictEqual(verdictOf(blocks)._tag, "CLAIMED")
      const logs = yield* ask(one, (eth) => eth.getLogs({ fromBlock: 101n, toBlock: 103n }), pinned(chain))
      assert.strictEqual(verdictOf(logs)._tag, "CLAIMED")
      const beyond = yield* ask(one, (eth) => eth.getBlockByNumber(101n), pinned(chain))
      assert.strictEqual(verdictOf(beyond)._tag, "VERIFIED", "a leap does not need the block")
    })
  )
})

describe("a block with a transaction of an unknown type", () => {
  it.effect("names the type as the reason, whatever is read from the block", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const [, second] = Made.list(chain.block(World.FULL)["transactions"]).map(Made.object)
      const hash = Questions.hashOf(chain.block(World.FULL))
      const answers: Nodes.Replies = (method, params) => {
        const answer = chain.answers(method, params)
        if (!method.startsWith("eth_getBlockBy") || answer == null) return answer
        const block = Made.object(answer as Made.Json)
        const [first, ...others] = Made.list(block["transactions"])
        return typeof first !== "object" || first === null
          ? answer
          : { ...block, transactions: [{ type: "0x64", hash: Made.object(first)["hash"]! }, ...others] }
      }
      const own = Questions.hashOf(second)
      const questions: ReadonlyArray<Questions.Ask> = [
        (eth) => eth.getBlockByHash(hash, { full: true }),
        (eth) => eth.getTransactionByHash(own),
        (eth) => eth.getTransactionByBlockHashAndIndex(hash, 1n),
        (eth) => eth.getBlockTransactionCountByHash(hash),
        (eth) => eth.getTransactionReceipt(own),
        (eth) => eth.getBlockReceipts(hash),
        (eth) => eth.getLogs({ blockHash: hash })
      ]
      for (const [at, question] of questions.entries()) {
        const verdict = verdictOf(yield* ask(answers, question, pinned(chain)), `question ${at}`)
        assert.match(sentencesOf(verdict), /of type 0x64 are not known/u, `question ${at}`)
        assert.notMatch(sentencesOf(verdict), /only the hashes were asked for/u)
      }
    })
  )
})

describe("a node without eth_getBlockReceipts", () => {
  const errors = [
    new RemoteError({ code: -32601, message: "the method eth_getBlockReceipts does not exist/is not available" }),
    new RemoteError({ code: -32600, message: "Unsupported method: eth_getBlockReceipts" })
  ]
  const lacking =
    (chain: World.World, error: RemoteError, change: (receipt: Made.JsonObject) => Made.Json = (same) => same) =>
    (method: string, params: ReadonlyArray<unknown>) => {
      if (method === "eth_getBlockReceipts") return error
      const answer = chain.answers(method, params)
      return method === "eth_getTransactionReceipt" && answer != null
        ? change(Made.object(answer as Made.Json))
        : answer
    }

  it.effect("proves receipts and logs by the single receipts of the block", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const hash = Questions.hashOf(chain.block(World.FULL))
      const questions: ReadonlyArray<Questions.Ask> = [
        (eth) => eth.getTransactionReceipt(transactionOf(chain)),
        (eth) => eth.getBlockReceipts(hash),
        (eth) => eth.getLogs({ blockHash: hash }),
        (eth) => eth.getLogs({ fromBlock: 101n, toBlock: World.HEAD })
      ]
      const count = chain.receipts(World.FULL).length
      for (const error of errors) {
        for (const [at, question] of questions.entries()) {
          const honest = verdictOf(yield* ask(chain.answers, question, pinned(chain)), `${at}`)
          const { calls, result } = yield* ask(lacking(chain, error), question, pinned(chain))
          const verdict = verdictOf({ result }, `${error.message} ${at}`)
          assert.strictEqual(verdict._tag, "VERIFIED")
          assert.deepStrictEqual(verdict.value, honest.value)
          // each receipt is read once; a range has one more block with a receipt
          const single = calls.filter((method) => method === "eth_getTransactionReceipt").length
          assert.isAtMost(single, count + 1)
        }
      }
    })
  )

  it.effect("does not hide a lie, and a receipt of another block is no lie", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const hash = Questions.hashOf(chain.block(World.FULL))
      const lie = lacking(chain, errors[0]!, (receipt) => ({ ...receipt, cumulativeGasUsed: "0x5" }))
      for (const question of [
        (eth: VerdictEthClient.Client) => eth.getTransactionReceipt(transactionOf(chain)),
        (eth: VerdictEthClient.Client) => eth.getBlockReceipts(hash)
      ]) {
        assert.match(failureOf(yield* ask(lie, question, pinned(chain))).message, /^receiptsRoot/u)
      }
      const elsewhere = lacking(chain, errors[0]!, (receipt) => ({ ...receipt, blockHash: `0x${"ab".repeat(32)}` }))
      const moved = failureOf(yield* ask(elsewhere, (eth) => eth.getBlockReceipts(hash), pinned(chain)))
      assert.match(moved.message, /the chain moved/u)
      const none = lacking(chain, errors[0]!, () => null)
      const refused = failureOf(yield* ask(none, (eth) => eth.getBlockReceipts(hash), pinned(chain)))
      assert.match(refused.message, /does not exist/u)
    })
  )
})

describe("a node with a limit on eth_getLogs", () => {
  const errors = [
    new RemoteError({ code: -32005, message: "query returned more than 10000 results. Try with this block range" }),
    new RemoteError({ code: -32602, message: "range 42 exceeds limit of 16" }),
    new RemoteError({ code: -32614, message: "eth_getLogs is limited to a 5 range" }),
    new RemoteError({ code: 35, message: "ranges over 10000 blocks are not supported on freetier" }),
    new RemoteError({ code: -32000, message: "query timeout exceeded" }),
    new RemoteError({ code: -32601, message: "the method eth_getLogs does not exist/is not available" })
  ]
  const limited =
    (chain: World.World, error: RemoteError): Nodes.Replies =>
    (method, params) =>
      method === "eth_getLogs" ? error : chain.answers(method, params)

  it.effect("is not needed for proven logs, of a range or of one block", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const hash = Questions.hashOf(chain.block(World.FULL))
      const questions: ReadonlyArray<Questions.Ask> = [
        (eth) => eth.getLogs({ fromBlock: World.FIRST, toBlock: World.HEAD }),
        (eth) => eth.getLogs({ fromBlock: 101n, toBlock: "latest" }),
        (eth) => eth.getLogs({ fromBlock: World.FULL, toBlock: World.FULL }),
        (eth) => eth.getLogs({ blockHash: hash }),
        Questions.ofHash["eth_getLogs"]!(hash),
        Questions.ofNumber["eth_getLogs"]!(World.FULL)
      ]
      for (const [at, question] of questions.entries()) {
        const honest = verdictOf(yield* ask(chain.answers, question, pinned(chain)), `${at}`)
        assert.isNotEmpty(honest.value)
        for (const error of errors) {
          const verdict = verdictOf(yield* ask(limited(chain, error), question, pinned(chain)), error.message)
          assert.strictEqual(verdict._tag, honest._tag, error.message)
          assert.deepStrictEqual(verdict.value, honest.value)
        }
      }
    })
  )

  it.effect("still fails a read that only the node's logs could answer", () =>
    Effect.gen(function* () {
      const chain = yield* world
      const range = (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: World.FIRST, toBlock: World.HEAD })
      for (const error of errors) {
        // a node without receipts
        const noReceipts: Nodes.Replies = (method, params) =>
          /Receipts?$/u.test(method) ? error : limited(chain, error)(method, params)
        assert.include(failureOf(yield* ask(noReceipts, range, pinned(chain))).message, error.message)
      }
      const busy = new RemoteError({ code: -32005, message: "rate limit exceeded" })
      assert.strictEqual(verdictOf(yield* ask(limited(chain, busy), range, pinned(chain)))._tag, "VERIFIED")
    })
  )
})
