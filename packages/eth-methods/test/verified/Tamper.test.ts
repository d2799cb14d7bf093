/** Changes every answer in every way. The fields of an accepted answer are proven, or named as claims. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Schema } from "effect"

import { EthEvidence, Log, TrustedBlock } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import type { Replies } from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as Tamper from "../support/tamper.ts"
import * as World from "../support/world.ts"

/**
 * Fields that a lie may change, grouped by the answer that holds them. They are claims: every result that has such a
 * field names it as a claim.
 */
const CLAIMED: Readonly<Record<string, ReadonlyArray<string>>> = {
  // hashes of transactions and uncles, if the answer lacks the transactions and uncles themselves, and the fields that
  // follow from these hashes; senders, if the read only looks up the place of a transaction
  block: ["size", "transactions", "transactions[]", "transactions[].from", "uncles", "uncles[]"],
  // the block of a transaction, if the node does not know that block
  transaction: ["blockHash"],
  receipts: ["[].blobGasPrice"],
  receipt: ["blobGasPrice"]
}

/**
 * Answers that are only claims: absence, a pending block, a block without its seal, a place in a block that no trusted
 * block leads to.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  "block nulled ",
  "block nulled mixHash",
  "block removed mixHash",
  "block removed nonce",
  "block nulled hash",
  "receipts nulled ",
  "receipt nulled ",
  "receipt changed blockHash",
  "receipt flipped blockHash",
  "transaction nulled "
])

/** Returns the name of the Schema of a method's answer. */
const kindOf = (method: string): string =>
  ({
    eth_getBlockReceipts: "receipts",
    eth_getTransactionReceipt: "receipt",
    eth_getLogs: "logs",
    eth_getProof: "proof"
  })[method] ??
  /(Block|Uncle|Transaction)By/u.exec(method)?.[1]?.toLowerCase() ??
  method

const [london, prague] = [Hardfork.London, Hardfork.Prague].map(async (fork) => ({
  chain: await World.make(fork),
  forged: await World.make(fork, 1)
}))

/** Returns the read for a method, about the block that has all kinds of parts. */
const ask = (method: string, chain: World.World): Questions.Ask => {
  const block = chain.block(World.FULL)
  const hash = Questions.hashOf(block)
  const transactions = Made.list(block["transactions"]).map(Made.object)
  const blob = transactions.find(({ type }) => type === "0x3") ?? transactions.at(-1)
  return (
    Questions.ofHash[method]?.(hash) ??
    Questions.ofNumber[method]?.(World.FULL) ??
    Questions.ofTransaction[method]!(Questions.hashOf(blob))
  )
}

const methods = Object.keys({ ...Questions.ofHash, ...Questions.ofNumber, ...Questions.ofTransaction })

/** Returns the worlds in which a method is tested. Methods about uncles are tested only in worlds before the Merge. */
const worldsOf = (method: string) =>
  method.includes("Uncle") || method.includes("BlockBy") ? [london, prague] : [prague]

const prepare = Effect.fnUntraced(function* (world: typeof london) {
  const { chain, forged } = yield* Effect.promise(() => world!)
  const bench = yield* Tamper.bench(chain.answers, TrustedBlock.layerPinned(Questions.hashOf(chain.block(World.HEAD))))
  return { bench, chain, forged }
})

/** Timeout in milliseconds. The tests share the processor, so each test may take as long as all tests together. */
const TIMEOUT = 240_000

/** The number of lies for each outcome. */
interface Tally {
  tried: number
  /** Number of lies that a named check refuted. */
  refuted: number
  /** Number of lies that do not match the method's Schema. */
  malformed: number
  /** Number of lies after which the answer is CLAIMED, so that nothing wrong counts as proven. */
  withheld: number
  /** Number of lies about logs in whose place the proven logs are the answer. */
  repaired: number
  /** Number of lies after which the answer is VERIFIED: each field is proven, or named as a claim. */
  accepted: number
}

const tally = (): Tally => ({ tried: 0, refuted: 0, malformed: 0, withheld: 0, repaired: 0, accepted: 0 })

/** True if the answer has proven logs in place of the node's. */
const isRepaired = (outcome: Tamper.Outcome): boolean =>
  outcome._tag === "Success" && outcome.success.proven.some(EthEvidence.LogsRepaired.is)

/** Counts an outcome, and returns the tag of the verdict unless the outcome is an error. */
const count = (outcome: Tamper.Outcome, counts: Tally): "CLAIMED" | "VERIFIED" | undefined => {
  counts.tried++
  if (outcome._tag === "Success") {
    const kind = isRepaired(outcome) ? "repaired" : outcome.success._tag === "CLAIMED" ? "withheld" : "accepted"
    counts[kind]++
    return outcome.success._tag
  }
  const { failure } = outcome
  if (failure._tag === "RefutedError") counts.refuted++
  else {
    assert(failure._tag === "JsonRpcError", failure.message)
    assert.strictEqual(failure.reason._tag, "DecodeError", failure.message)
    counts.malformed++
  }
  return undefined
}

const decodeLogs = Schema.decodeUnknownResult(Schema.Array(Log.Log))

/** True if the answer is no list of logs. */
const isMalformedLogs = (json: Made.Json): boolean => Result.isFailure(decodeLogs(json))

/** Prints the counts in one line, and asserts that no lie is missing in them. */
const summary = (what: string, counts: Tally): void => {
  const { accepted, malformed, refuted, repaired, tried, withheld } = counts
  assert.strictEqual(refuted + malformed + withheld + repaired + accepted, tried)
  console.log(
    `${what}: ${tried} lies, ${refuted} refuted, ${malformed} malformed, ${withheld} withheld, ${repaired} repaired, ${accepted} of claims`
  )
}

/** Asserts that a proven answer is not wrong. */
const assertNotFooled = (outcome: Tamper.Outcome, { verdict }: Tamper.Conversation, what: () => string): void => {
  if (outcome._tag === "Failure" || outcome.success._tag === "CLAIMED") return
  const wrong = Tamper.fooled(outcome.success, verdict.value)
  if (wrong.length > 0) assert.fail(`${what()}: taken for proven: ${wrong.join(", ")}`)
}

describe("a node that tells one lie", () => {
  it.effect.each(methods)(
    "is refuted: %s",
    (method) =>
      Effect.gen(function* () {
        const counts = tally()
        const random = Random.make(4)
        for (const world of worldsOf(method)) {
          const { bench, chain } = yield* prepare(world)
          const conversation = yield* bench.record(method, ask(method, chain))
          const whole = Random.isWhole && (world === prague || method.includes("Uncle"))
          for (const told of conversation.told) {
            const kind = kindOf(told.method)
            for (const lie of (whole && told.method === method ? Tamper.everyLie : Tamper.oneLieEach)(
              told.answer,
              random
            )) {
              const outcome = yield* bench.against(conversation.ask, Tamper.lying(told, lie.json))
              const path = Tamper.anywhere(lie.path)
              const what = `${kind} ${lie.kind} ${path}`
              assertNotFooled(outcome, conversation, () => `${method}: ${what}`)
              const verdict = count(outcome, counts)
              if (verdict === "CLAIMED") assert(WITHHELD.has(what), `${method} is only claimed: ${what}`)
              // what is left out of a proven answer is filled in or claimed
              const isLess = lie.kind === "nulled" || lie.kind === "removed"
              if (told.method === "eth_getLogs") {
                // a lie is repaired, and an answer that is no list of logs is not needed
                assert.strictEqual(verdict, "VERIFIED", what)
                assert(isRepaired(outcome) || isLess || isMalformedLogs(lie.json) || lie.kind === "widened", what)
              } else if (verdict === "VERIFIED" && lie.kind !== "widened" && !isLess) {
                assert.include(CLAIMED[kind] ?? [], path, `${method} accepts: ${what}`)
              }
            }
          }
        }
        assert.isAbove(counts.refuted + counts.repaired, 50)
        assert.strictEqual(counts.repaired > 0, method === "eth_getLogs")
        summary(method, counts)
      }),
    TIMEOUT
  )
})

describe("a node that answers another question", () => {
  it.effect(
    "is refuted, be it of another block, account, slot, place or world, there or not there",
    () =>
      Effect.gen(function* () {
        const counts = tally()
        const { bench, chain, forged } = yield* prepare(prague)
        const other = yield* Tamper.bench(forged.answers, TrustedBlock.layerNone())
        const conversations = yield* Effect.forEach(methods, (method) => bench.record(method, ask(method, chain)))
        const foreign = yield* Effect.forEach(Object.keys(Questions.ofHash), (method) =>
          other.record(method, ask(method, forged))
        )
        const near = yield* Effect.forEach(Object.entries(Questions.ofHash), ([method, question]) =>
          bench.record(method, question(Questions.hashOf(chain.block(World.HEAD))))
        )
        // some of these accounts and slots do not exist; below, each question gets the answers of the others
        const accounts = yield* Effect.forEach(Questions.accounts, (question, at) =>
          bench.record(`account ${at}`, question(Questions.hashOf(chain.block(World.FULL))))
        )
        const pool = Map.groupBy(
          [...conversations, ...foreign, ...near, ...accounts].flatMap(({ told }) => told),
          ({ method }) => method
        )
        for (const conversation of [...conversations, ...accounts]) {
          for (const told of conversation.told) {
            const honest = JSON.stringify(told.answer)
            const others = new Map(pool.get(told.method)!.map(({ answer }) => [JSON.stringify(answer), answer]))
            for (const [text, answer] of others) {
              if (text === honest) continue
              const outcome = yield* bench.against(conversation.ask, Tamper.lying(told, answer))
              const what = `${conversation.name}: ${told.method} about something else`
              assertNotFooled(outcome, conversation, () => what)
              const verdict = count(outcome, counts)
              if (verdict === "CLAIMED") assert.isNull(answer, what)
              // a block with whole transactions states the same as the block with the hashes of its transactions
              // and the logs of another block are replaced
              if (verdict === "VERIFIED" && !isRepaired(outcome)) assert.include(told.method, "eth_getBlockBy", what)
            }
          }
        }
        assert.isAbove(counts.refuted, 300)
        summary("other questions", counts)
      }),
    TIMEOUT
  )
})

describe("a node of a forged chain", () => {
  /**
   * Returns the answers of another world under the hashes of this world. These answers are consistent with each other.
   */
  const disguised = (chain: World.World, forged: World.World, only: (method: string) => boolean): Replies => {
    const numbers = [World.FIRST, 101n, World.FULL, 103n, World.HEAD]
    const pairs = numbers.map((number) => [chain, forged].map((world) => Made.string(world.block(number)["hash"])))
    const replaced = <A>(value: A, from: number, to: number): A =>
      JSON.parse(pairs.reduce((text, pair) => text.replaceAll(pair[from]!, pair[to]!), JSON.stringify(value)))
    return (method, params) => {
      if (!only(method)) return undefined
      const answer = forged.answers(method, replaced(params, 0, 1))
      return answer instanceof Promise
        ? answer.then((settled) => replaced(settled ?? null, 1, 0))
        : replaced((answer ?? null) as Made.Json, 1, 0)
    }
  }

  it.effect("is refuted by the header's hash, however well all else fits", () =>
    Effect.gen(function* () {
      const counts = tally()
      for (const world of [london, prague]) {
        const { bench, chain, forged } = yield* prepare(world)
        for (const method of methods) {
          const conversation = yield* bench.record(method, ask(method, chain))
          const outcome = yield* bench.against(
            conversation.ask,
            disguised(chain, forged, () => true)
          )
          assert(outcome._tag === "Failure" && outcome.failure._tag === "RefutedError", method)
          assert.strictEqual(outcome.failure.check, "header hash", method)
          count(outcome, counts)
        }
      }
      summary("forged headers with tries to match", counts)
    })
  )

  it.effect("is refuted by the roots of the true header, which its own tries do not have", () =>
    Effect.gen(function* () {
      const counts = tally()
      for (const world of [london, prague]) {
        const { bench, chain, forged } = yield* prepare(world)
        for (const method of methods) {
          const conversation = yield* bench.record(method, ask(method, chain))
          const lies = disguised(chain, forged, (asked) => !asked.startsWith("eth_getBlockBy"))
          const outcome = yield* bench.against(conversation.ask, lies)
          assertNotFooled(outcome, conversation, () => method)
          const verdict = count(outcome, counts)
          // VERIFIED is possible: some answers, such as the number of transactions, are the same in both worlds
          assert.notStrictEqual(verdict, "CLAIMED", method)
        }
      }
      assert.isAbove(counts.refuted, 20)
      summary("true headers with forged tries", counts)
    })
  )

  it.effect("is refuted when it puts its own root into the true header", () =>
    Effect.gen(function* () {
      const counts = tally()
      const { bench, chain, forged } = yield* prepare(prague)
      const [mine, theirs] = [chain.block(World.FULL), forged.block(World.FULL)]
      for (const root of ["stateRoot", "transactionsRoot", "receiptsRoot", "sha3Uncles", "withdrawalsRoot"]) {
        const lies = disguised(chain, forged, (asked) => !asked.startsWith("eth_getBlockBy"))
        for (const method of methods) {
          const conversation = yield* bench.record(method, ask(method, chain))
          const outcome = yield* bench.against(conversation.ask, (asked, params) => {
            const told = conversation.told.find(
              (one) => Tamper.idOf(one.method, one.params) === Tamper.idOf(asked, params)
            )
            const isBlock = asked.startsWith("eth_getBlockBy") && told !== undefined
            if (!isBlock || Made.object(told.answer)["hash"] !== mine["hash"]) return lies(asked, params)
            return { ...Made.object(told.answer), [root]: Tamper.otherThan(theirs[root]!, mine[root]!) }
          })
          assert(outcome._tag === "Failure" && outcome.failure._tag === "RefutedError", `${method} ${root}`)
          count(outcome, counts)
        }
      }
      summary("true headers with a forged root", counts)
    })
  )
})

describe("a node that lies at random", () => {
  it.effect(
    "never gets a lie proven",
    () =>
      Effect.gen(function* () {
        const counts = tally()
        const random = Random.make(20_261_121)
        const benches = yield* Effect.forEach([london, prague], prepare)
        const conversations = yield* Effect.forEach(benches, ({ bench, chain }) =>
          Effect.forEach(methods, (method) =>
            Effect.map(bench.record(method, ask(method, chain)), (conversation) => ({ bench, conversation }))
          )
        )
        const all = conversations.flat()
        for (let run = Random.runs(Random.sized(3000)); run > 0; run--) {
          const { bench, conversation } = Random.pick(random, all)
          const lies = Array.from({ length: 1 + Random.int(random, 2) }, () => {
            const told = Random.pick(random, conversation.told)
            let json = told.answer
            for (let times = 1 + Random.int(random, 3); times > 0; times--) json = Tamper.randomLie(json, random)
            return Tamper.lying(told, json)
          })
          const outcome = yield* bench.against(conversation.ask, (method, params) => {
            const lie = lies.find((one) => one(method, params) !== undefined)
            return lie?.(method, params)
          })
          assertNotFooled(outcome, conversation, () => `${conversation.name}, ${run} runs before the end`)
          // a lie about a transaction's place or index may lead the client to other calls; the node refuses these
          if (outcome._tag === "Failure" && outcome.failure._tag === "JsonRpcError") {
            counts.tried++
            counts.malformed++
          } else count(outcome, counts)
        }
        assert.isAbove(counts.refuted, counts.tried / 4)
        summary("random lies", counts)
      }),
    TIMEOUT
  )
})
