import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Reason, Verdict } from "@plumbline/verdict"
import { Effect, Layer } from "effect"

import { TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

/**
 * The forks to test: before the Merge, parent hashes lead to older blocks; since Prague, hashes in the state do too.
 */
const forks: ReadonlyArray<Hardfork> = [Hardfork.London, Hardfork.Prague]
const worlds = new Map(forks.map((fork) => [fork, Promise.all([World.make(fork), World.make(fork, 1)])] as const))
const world = (fork: Hardfork) => Effect.promise(() => worlds.get(fork)!)

const ask = (
  answers: Nodes.Replies,
  question: Questions.Ask,
  trust: Layer.Layer<TrustedBlock.TrustedBlock> = TrustedBlock.layerNone()
) => {
  const { calls, layer } = Nodes.node(answers)
  return Effect.map(
    Effect.result(
      Effect.provide(
        VerdictEthClient.VerdictEthClient.use(question),
        VerdictEthClient.layer().pipe(Layer.provide([layer, trust]))
      )
    ),
    (result) => ({ calls, result })
  )
}

/** Returns the verdict of a read. */
const verdictOf = ({ result }: Effect.Success<ReturnType<typeof ask>>, what: string): Verdict.Verdict<unknown> =>
  result._tag === "Success" ? result.success : assert.fail(`${what}: ${result.failure.message}`)

const pinned = (chain: World.World) => TrustedBlock.layerPinned(Questions.hashOf(chain.block(World.HEAD)))
const operator = (chain: World.World) => TrustedBlock.layerOperator(Nodes.node(chain.answers).layer)
const quorum = (...chains: ReadonlyArray<World.World>) =>
  TrustedBlock.layerQuorum(
    chains.map(({ answers }, at) => ({ name: `node ${at}`, transport: Nodes.node(answers).transport })),
    { needed: 2 }
  )

const TAGS = ["latest", "safe", "finalized"] as const
const tags: ReadonlySet<unknown> = new Set(TAGS)

describe.each(forks)("VerdictEthClient on %s", (fork) => {
  it.effect("proves what is asked by a hash, without any trust and with any", () =>
    Effect.gen(function* () {
      const [chain, other] = yield* world(fork)
      const hash = Questions.hashOf(chain.block(World.FULL))
      for (const trust of [TrustedBlock.layerNone(), pinned(chain), operator(other), quorum(chain, other)]) {
        for (const [method, question] of Object.entries(Questions.ofHash)) {
          const verdict = verdictOf(yield* ask(chain.answers, question(hash), trust), method)
          assert.strictEqual(verdict._tag, "VERIFIED", method)
          assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash }, method)
        }
      }
    })
  )

  it.effect("takes a number or tag for the node's word without trust", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      for (const parameter of [World.FULL, ...TAGS]) {
        for (const [method, question] of Object.entries(Questions.ofNumber)) {
          const verdict = verdictOf(yield* ask(chain.answers, question(parameter)), method)
          assert.strictEqual(verdict._tag, "CLAIMED", method)
          assert.isNull(verdict.anchor)
          assert.isNotEmpty(verdict.proven, method)
          assert.strictEqual(verdict.claimed[0]?.field, "value")
          assert.include(verdict.claimed[0]?.reason.sentence, "is on the chain is the node's word")
        }
      }
    })
  )

  it.effect("proves numbers and tags from a pinned head, and says that a tag is the node's word", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      const hash = Questions.hashOf(chain.block(World.HEAD))
      for (const parameter of [World.FIRST, World.FULL, World.HEAD, ...TAGS]) {
        for (const [method, question] of Object.entries(Questions.ofNumber)) {
          const what = `${method} ${parameter}`
          const verdict = verdictOf(yield* ask(chain.answers, question(parameter), pinned(chain)), what)
          assert.strictEqual(verdict._tag, "VERIFIED", what)
          assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash }, what)
          const isHead = parameter === World.HEAD || parameter === "latest"
          assert.strictEqual(
            verdict.proven.at(-1)?.sentence,
            `its block is on the chain, by a pinned hash${isHead ? "" : ", of which it is an ancestor"}`,
            what
          )
          const tagged = verdict.claimed.find(({ field }) => field === "block")
          assert.strictEqual(
            tagged?.reason.sentence,
            tags.has(parameter) ? `that it is the ${parameter} block is the node's word` : undefined
          )
        }
      }
    })
  )

  it.effect("reaches an old block by parents' hashes, or in one leap through the state of the head", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      const { calls } = yield* ask(chain.answers, (eth) => eth.getBlockByNumber(World.FIRST), pinned(chain))
      const head = chain.block(World.HEAD)["hash"]
      const { hash, number } = chain.block(World.FULL)
      const between = calls.filter(({ params }) => params[0] === hash || params[0] === number)
      const history = calls.filter(({ method }) => method === "eth_getProof")
      assert.strictEqual(history.length, 1)
      assert.deepStrictEqual(history[0]?.params[2], { blockHash: head })
      assert.strictEqual(between.length, fork === Hardfork.London ? 1 : 0)
    })
  )

  it.effect("claims numbers and tags by an operator's node and by a quorum, and names that anchor", () =>
    Effect.gen(function* () {
      const [chain, other] = yield* world(fork)
      for (const [by, trust] of [
        [{ _tag: "Operator", accepted: false }, operator(chain)],
        [{ _tag: "Quorum", agree: 2, of: 3, names: ["node 1", "node 2"], accepted: false }, quorum(other, chain, chain)]
      ] as const) {
        for (const parameter of [World.FULL, ...TAGS]) {
          for (const [method, question] of Object.entries(Questions.ofNumber)) {
            const what = `${method} ${parameter} by ${by._tag}`
            const asked = yield* ask(chain.answers, question(parameter), trust)
            const verdict = verdictOf(asked, what)
            assert.strictEqual(verdict._tag, "CLAIMED", what)
            assert.deepInclude(verdict.anchor, by, what)
            // everything else is proven: the first claim is that only nodes vouch for the block
            const [first, ...others] = verdict.claimed
            assert.isTrue(first !== undefined && first.about === "Value" && Reason.RestsOn.is(first.reason), what)
            assert.notInclude(
              others.map(({ about }) => about),
              "Value"
            )
            assert.isNotEmpty(verdict.proven, what)
            assert.isUndefined(verdict.claimed.find(({ field }) => field === "block"))
            // the node is asked about the hash that the trusted source gave, never about a tag or the number
            for (const { params } of asked.calls) assert(params.every((param) => !tags.has(param) && param !== "0x66"))
          }
        }
      }
    })
  )

  it.effect("asks about a tag once, then only about the hash that it meant", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      for (const tag of TAGS) {
        for (const [method, question] of Object.entries(Questions.ofNumber)) {
          const { calls } = yield* ask(chain.answers, question(tag))
          const [first, ...others] = calls
          assert.strictEqual(first?.method, "eth_getBlockByNumber", method)
          assert.strictEqual(first?.params[0], tag)
          const number = { latest: World.HEAD, safe: World.HEAD - 1n, finalized: World.FULL }[tag]
          for (const call of others) {
            assert.include(
              JSON.stringify(call.params),
              Questions.hashOf(chain.block(number)),
              `${method} ${call.method}`
            )
          }
        }
      }
    })
  )

  it.effect("is not confused by a head that moves while it asks", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      for (const [method, question] of Object.entries(Questions.ofNumber)) {
        let asked = 0
        const moving: Nodes.Replies = (method, params) =>
          chain.answers(
            method,
            params.map((param) => (param === "latest" ? (asked++ === 0 ? "0x66" : "0x68") : param))
          )
        const verdict = verdictOf(yield* ask(moving, question("latest"), pinned(chain)), method)
        const still = verdictOf(yield* ask(chain.answers, question(World.FULL), pinned(chain)), method)
        assert.deepStrictEqual(verdict.value, still.value, method)
        assert.strictEqual(verdict._tag, "VERIFIED", method)
      }
    })
  )

  it.effect("refutes a block in the place of a trusted one, however consistent it is in itself", () =>
    Effect.gen(function* () {
      const [chain, forged] = yield* world(fork)
      // the liar answers questions by number from the forged chain, and questions by hash from both chains
      const liar: Nodes.Replies = (method, params) => {
        const byNumber = method.endsWith("ByNumber") || method.includes("ByBlockNumber")
        const known = JSON.stringify(params).includes("0x") && !byNumber ? chain.answers(method, params) : undefined
        return known ?? forged.answers(method, params)
      }
      for (const parameter of [World.HEAD, World.FULL, World.FIRST]) {
        for (const [method, question] of Object.entries(Questions.ofNumber)) {
          const { result } = yield* ask(liar, question(parameter), pinned(chain))
          assert(result._tag === "Failure" && result.failure._tag === "RefutedError", `${method} ${parameter}`)
          assert.match(result.failure.check, /^trusted block$|^block 10\d before the trusted block 0x/)
        }
      }
    })
  )

  it.effect("only claims what a node of another chain says, whoever is trusted", () =>
    Effect.gen(function* () {
      const [chain, forged] = yield* world(fork)
      for (const trust of [pinned(chain), operator(chain), quorum(chain, chain)]) {
        for (const [method, question] of Object.entries(Questions.ofNumber)) {
          const { result } = yield* ask(forged.answers, question(World.FULL), trust)
          assert(result._tag === "Success", `${method}: it contradicts nothing that it was asked`)
          assert.strictEqual(result.success._tag, "CLAIMED", method)
        }
      }
    })
  )

  it.effect("proves a transaction by its hash, and its block and receipt by trust", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      const transactions = chain.receipts(World.FULL).length
      for (let index = 0; index < transactions; index++) {
        const { transactionHash } = chain.receipts(World.FULL)[index] as { transactionHash: string }
        const hash = Questions.hashOf({ hash: transactionHash })
        const ofTransaction = Questions.ofTransaction["eth_getTransactionByHash"]!(hash)
        const ofReceipt = Questions.ofTransaction["eth_getTransactionReceipt"]!(hash)
        const alone = verdictOf(yield* ask(chain.answers, ofTransaction), "transaction")
        assert.deepStrictEqual(alone.anchor, { _tag: "Transaction", hash })
        assert.include(
          alone.claimed.map(({ field }) => field),
          "blockHash"
        )
        assert.strictEqual(verdictOf(yield* ask(chain.answers, ofReceipt), "receipt")._tag, "CLAIMED")
        const trusted = verdictOf(yield* ask(chain.answers, ofTransaction, pinned(chain)), "transaction")
        assert.strictEqual(trusted._tag, "VERIFIED")
        assert.notInclude(
          trusted.claimed.map(({ field }) => field),
          "blockHash"
        )
        assert.strictEqual(verdictOf(yield* ask(chain.answers, ofReceipt, pinned(chain)), "receipt")._tag, "VERIFIED")
        for (const trust of [operator(chain), quorum(chain, chain)]) {
          // the hash of the transaction proves its content, and only nodes vouch for its place
          const placed = verdictOf(yield* ask(chain.answers, ofTransaction, trust), "transaction")
          assert.strictEqual(placed._tag, "VERIFIED")
          const place = placed.claimed.find(({ field }) => field === "blockHash")
          assert.isTrue(place !== undefined && Reason.RestsOn.is(place.reason))
          assert.strictEqual(verdictOf(yield* ask(chain.answers, ofReceipt, trust), "receipt")._tag, "CLAIMED")
        }
      }
    })
  )

  it.effect("proves absence where it can be proven, and only claims it where it cannot", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(fork)
      const hash = Questions.hashOf(chain.block(World.FULL))
      const cases: ReadonlyArray<readonly [string, Questions.Ask, unknown]> = [
        ["uncle", (eth) => eth.getUncleByBlockHashAndIndex(hash, 2n), null],
        ["transaction", (eth) => eth.getTransactionByBlockHashAndIndex(hash, 8n), null],
        ["account", (eth) => eth.getBalance(State.NOWHERE, hash), 0n],
        ["code", (eth) => eth.getCode(State.NOWHERE, hash), "0x"],
        ["slot", (eth) => eth.getStorageAt(State.CONTRACT, Questions.slot, hash), `0x${"00".repeat(32)}`],
        ["logs", (eth) => eth.getLogs({ blockHash: hash, address: Questions.nobody }), []]
      ]
      for (const [what, question, value] of cases) {
        const verdict = verdictOf(yield* ask(chain.answers, question), what)
        assert.strictEqual(verdict._tag, "VERIFIED", what)
        assert.deepStrictEqual(verdict.value, value, what)
      }
      const nowhere = Questions.hashOf({ hash: `0x${"ee".repeat(32)}` })
      for (const [method, question] of Object.entries({
        eth_getTransactionByHash: Questions.ofTransaction["eth_getTransactionByHash"]!,
        eth_getTransactionReceipt: Questions.ofTransaction["eth_getTransactionReceipt"]!,
        eth_getBlockByHash: Questions.ofHash["eth_getBlockByHash"]!,
        eth_getUncleCountByBlockHash: Questions.ofHash["eth_getUncleCountByBlockHash"]!
      })) {
        const verdict = verdictOf(yield* ask(chain.answers, question(nowhere), pinned(chain)), method)
        assert.strictEqual(verdict._tag, "CLAIMED", method)
        assert.isNull(verdict.value, method)
        assert.include(verdict.claimed[0]?.reason.sentence, "cannot be proven")
      }
    })
  )
})

describe("VerdictEthClient", () => {
  it.effect("reads the blocks of a range of logs one before the other, from the trusted one", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(Hardfork.London)
      const range = { fromBlock: World.FIRST, toBlock: World.HEAD, address: State.NOWHERE } as const
      const none = verdictOf(yield* ask(chain.answers, (eth) => eth.getLogs(range), pinned(chain)), "none")
      assert.strictEqual(none._tag, "VERIFIED")
      assert.deepStrictEqual(none.value, [])
      const some = verdictOf(
        yield* ask(chain.answers, (eth) => eth.getLogs({ fromBlock: World.FIRST, toBlock: "latest" }), pinned(chain)),
        "some"
      )
      assert.strictEqual(some._tag, "VERIFIED")
      assert.isAbove((some.value as ReadonlyArray<unknown>).length, 6)
    })
  )

  it.effect("claims where a range of logs begins if a tag says so, and refutes a beginning on another chain", () =>
    Effect.gen(function* () {
      const [chain, forged] = yield* world(Hardfork.London)
      const range: Questions.Ask = (eth) => eth.getLogs({ fromBlock: "finalized", toBlock: World.HEAD })
      const verdict = verdictOf(yield* ask(chain.answers, range, pinned(chain)), "range")
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(Verdict.sentences(verdict).claimed[0], {
        field: "fromBlock",
        reason: "that it is the finalized block is the node's word"
      })
      const sure = verdictOf(yield* ask(chain.answers, range, operator(chain)), "range")
      assert.deepStrictEqual(
        sure.claimed.map(({ reason }) => reason._tag),
        ["RestsOn"]
      )
      const elsewhere: Nodes.Replies = (method, params) =>
        params[0] === "finalized" ? forged.answers(method, params) : chain.answers(method, params)
      const { result } = yield* ask(elsewhere, range, pinned(chain))
      assert(result._tag === "Failure" && result.failure._tag === "RefutedError")
    })
  )

  it.effect("names as claims these fields and no others", () =>
    Effect.gen(function* () {
      const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
        "london eth_getBlockByHash": ["uncles", "size"],
        // `from` is claimed, because this read does not recover the senders from signatures
        "london eth_getBlockReceipts": ["receipts[].contractAddress", "receipts[].from"],
        "prague eth_getBlockReceipts": ["receipts[].blobGasPrice", "receipts[].contractAddress", "receipts[].from"]
      }
      for (const fork of forks) {
        const [chain] = yield* world(fork)
        const { hash, transactions } = chain.block(World.FULL)
        const asked = [
          ...Object.entries(Questions.ofHash).map(
            ([method, ask]) => [method, ask(Questions.hashOf({ hash: hash! }))] as const
          ),
          ...Object.entries(Questions.ofTransaction).map(
            ([method, ask]) => [method, ask(Questions.hashOf((transactions as Array<never>)[0]))] as const
          )
        ]
        for (const [method, question] of asked) {
          const verdict = verdictOf(yield* ask(chain.answers, question, pinned(chain)), method)
          const fields = verdict.claimed.map(({ field }) => field)
          assert.sameMembers(fields, [...(expected[`${fork} ${method}`] ?? [])], `${fork} ${method}`)
        }
      }
    })
  )

  it.effect(
    "asks for uncles in the way that the node knows, and for none where the header says that there are none",
    () =>
      Effect.gen(function* () {
        const unknown = new RemoteError({ code: -32601, message: "the method does not exist" })
        const [old] = yield* world(Hardfork.London)
        const byNumber: Nodes.Replies = (method, params) =>
          /Uncle.*ByBlockHash/u.test(method) ? unknown : old.answers(method, params)
        const without: (chain: World.World) => Nodes.Replies = (chain) => (method, params) =>
          method.includes("Uncle") ? unknown : chain.answers(method, params)
        const [recent] = yield* world(Hardfork.Prague)
        const none: Readonly<Record<string, unknown>> = {
          eth_getUncleByBlockNumberAndIndex: null,
          eth_getUncleCountByBlockNumber: 0n
        }
        for (const [method, value] of Object.entries(none)) {
          const question = Questions.ofNumber[method]!(World.FULL)
          assert.strictEqual(verdictOf(yield* ask(byNumber, question, pinned(old)), method)._tag, "VERIFIED")
          const verdict = verdictOf(yield* ask(without(recent), question, pinned(recent)), method)
          assert.strictEqual(verdict._tag, "VERIFIED")
          assert.strictEqual(verdict.value, value)
          const { result } = yield* ask(without(old), question, pinned(old))
          assert(result._tag === "Failure" && result.failure._tag === "JsonRpcError")
        }
      })
  )

  it.effect("only claims what the node will not prove, and fails where it will later", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(Hardfork.Prague)
      const pruned = new RemoteError({ code: -32000, message: "missing trie node" })
      const busy = new RemoteError({ code: -32005, message: "rate limit exceeded" })
      const transaction = Questions.hashOf((chain.block(World.FULL)["transactions"] as Array<never>)[0])
      const cases: ReadonlyArray<readonly [lacking: string, question: Questions.Ask]> = [
        ["eth_getProof", Questions.ofNumber["eth_getBalance"]!(World.FULL)],
        ["eth_getBlockReceipts", Questions.ofTransaction["eth_getTransactionReceipt"]!(transaction)],
        ["eth_getBlockReceipts", Questions.ofNumber["eth_getLogs"]!(World.FULL)]
      ]
      for (const [lacking, question] of cases) {
        const failing =
          (error: RemoteError): Nodes.Replies =>
          (method, params) =>
            // the other receipts of the block, one by one, would prove the same
            method === lacking || (method === "eth_getTransactionReceipt" && params[0] !== transaction)
              ? error
              : chain.answers(method, params)
        assert.strictEqual(verdictOf(yield* ask(failing(pruned), question, operator(chain)), lacking)._tag, "CLAIMED")
        const { result } = yield* ask(failing(busy), question, operator(chain))
        assert(result._tag === "Failure" && result.failure._tag === "JsonRpcError", lacking)
      }
    })
  )

  it.effect("reads a block once for many proofs of its state, and each time that it is asked for itself", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(Hardfork.Prague)
      const hash = Questions.hashOf(chain.block(World.FULL))
      const proofs = [hash, { blockHash: hash }, { blockHash: hash, requireCanonical: true }] as const
      const { calls, result } = yield* ask(chain.answers, (eth) =>
        Effect.flatMap(eth.getBlockByNumber(World.FULL), () =>
          Effect.forEach(proofs, (block) => eth.getProof(State.CONTRACT, State.keys, block)).pipe(
            Effect.map((verdicts) => Verdict.map(verdicts[0], () => verdicts))
          )
        )
      )
      const verdicts = result._tag === "Success" ? (result.success.value as Array<Verdict.Verdict<unknown>>) : []
      // the read by number gave a block that was only claimed; the reads by its hash are proven, although only the node
      // had named that hash
      assert.deepStrictEqual(
        verdicts.map(({ _tag, anchor, claimed }) => [_tag, anchor?.hash, claimed.length]),
        [
          ["VERIFIED", hash, 0],
          ["VERIFIED", hash, 0],
          ["VERIFIED", hash, 1]
        ]
      )
      const asked = calls.map(({ method }) => method)
      assert.deepStrictEqual(asked, ["eth_getBlockByNumber", "eth_getProof", "eth_getProof", "eth_getProof"])
      // only the node can state that the block is on the main chain, so the call asks the node for that
      assert.deepStrictEqual(
        calls.slice(1).map(({ params }) => params[2]),
        [{ blockHash: hash }, { blockHash: hash }, { blockHash: hash, requireCanonical: true }]
      )
      const again = yield* ask(chain.answers, (eth) =>
        Effect.andThen(eth.getBlockByHash(hash), eth.getBlockByHash(hash))
      )
      assert.lengthOf(again.calls, 2)
    })
  )

  it.effect("takes a node's refusal of all receipts of a block for a fault, not for absence", () =>
    Effect.gen(function* () {
      const [chain] = yield* world(Hardfork.Prague)
      const { result } = yield* ask(
        (method, params) => (/Receipts?$/u.test(method) ? undefined : chain.answers(method, params)),
        Questions.ofNumber["eth_getBlockReceipts"]!(World.FULL),
        operator(chain)
      )
      assert(result._tag === "Failure" && result.failure._tag === "JsonRpcError")
    })
  )
})

describe("VerdictEthClient on shanghai", () => {
  it.effect("reaches blocks over those that it has read, whatever their bodies", () =>
    Effect.gen(function* () {
      // a chain with withdrawals, on a node that has pruned its old states, so that the walk reads every block on the
      // way
      const chain = yield* Effect.promise(() => World.make(Hardfork.Shanghai))
      const upwards = Array.from({ length: Number(World.HEAD - World.FIRST) + 1 }, (_, i) => World.FIRST + BigInt(i))
      const pruned = new RemoteError({ code: -32000, message: "missing trie node" })
      const { result } = yield* ask(
        (method, params) => (method === "eth_getProof" ? pruned : chain.answers(method, params)),
        (eth) =>
          Effect.gen(function* () {
            // first the client reads all headers by their hashes and keeps them; then it finds them again as ancestors
            // of the head
            yield* Effect.forEach(upwards, (number) => eth.getBlockByHash(Questions.hashOf(chain.block(number))))
            const verdicts = yield* Effect.forEach(upwards, (number) => eth.getBlockByNumber(number))
            return Verdict.map(verdicts[0]!, () => verdicts)
          }),
        pinned(chain)
      )
      const verdicts = result._tag === "Success" ? (result.success.value as Array<Verdict.Verdict<unknown>>) : []
      assert.deepStrictEqual(
        verdicts.map(({ _tag }) => _tag),
        upwards.map(() => "VERIFIED")
      )
    })
  )
})
