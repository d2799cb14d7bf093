/** The waits for the node, and what is shared between calls. */
import { assert, describe, it } from "@effect/vitest"
import { EthEvidence } from "@plumbline/eth-methods"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect, Fiber } from "effect"

import { CONTRACT, FROM, OTHER, using } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const { word } = MadeNode

/** Adds the words of slots 1 to 3, of which the third is named by the second. */
const code = "0x6001546002548054010160005260206000f3"
const accounts = { [CONTRACT]: { code, storage: { 1: 10n, 2: 3n, 3: 29n } } } as const

/** A chain whose node also knows the right access list. */
const hinting = Effect.promise(async () => {
  const made = await MadeNode.make(accounts)
  const accessList = [{ address: CONTRACT, storageKeys: [word(1), word(2), word(3)] }]
  const answers: MadeNode.Answers = async (method, params) =>
    method === "eth_createAccessList" ? { accessList, gasUsed: "0x0" } : made.answers(method, params)
  return { ...made, answers }
})

describe("a call", () => {
  it.effect("waits twice with the node's access list", () =>
    Effect.gen(function* () {
      const { answers, hash } = yield* hinting
      const { packets, value } = yield* using(answers, (eth) => eth.call({ to: CONTRACT }, hash))
      assert.strictEqual(value.value._tag === "Returned" && BigInt(value.value.data), 42n)
      assert.deepEqual(
        packets.map((methods) => methods.toSorted()),
        [
          ["eth_createAccessList", "eth_getBlockByHash"],
          ["eth_getCode", "eth_getProof"]
        ]
      )
    })
  )

  it.effect("waits once more for each read that depends on another one without it", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => MadeNode.make(accounts))
      const { packets, value } = yield* using(made.answers, (eth) => eth.call({ to: CONTRACT }, made.hash))
      assert.strictEqual(value._tag, "VERIFIED")
      // accounts; slots 0, 1 and 2 together; slot 3, which slot 2 names
      assert.lengthOf(packets, 4)
    })
  )

  it.effect("says what it read", () =>
    Effect.gen(function* () {
      const { answers, hash } = yield* hinting
      const { value } = yield* using(answers, (eth) => eth.call({ to: CONTRACT, from: FROM }, hash))
      const run = value.proven.find(EthEvidence.CallRun.is)
      assert.deepInclude(run, { block: hash, hardfork: "prague", gasLimit: 50_000_000n, roundTrips: 2 })
      assert.deepEqual(
        run?.accounts.map(({ address, exists, slots }) => ({ address: String(address), exists, slots })),
        [{ address: CONTRACT, exists: true, slots: 3 }]
      )
      assert.strictEqual(run?.sentence.startsWith("the call, run here by the rules of prague in block"), true)
    })
  )
})

describe("calls about one block", () => {
  it.effect("read everything once, also at the same time", () =>
    Effect.gen(function* () {
      const { answers, hash } = yield* hinting
      const { packets } = yield* using(answers, (eth) =>
        Effect.andThen(
          Effect.all(
            Array.from({ length: 6 }, () => eth.call({ to: CONTRACT }, hash)),
            { concurrency: "unbounded" }
          ),
          Effect.all(
            Array.from({ length: 6 }, () => eth.call({ to: CONTRACT }, hash)),
            { concurrency: "unbounded" }
          )
        )
      )
      const methods = packets.flat()
      assert.lengthOf(
        methods.filter((method) => method === "eth_getProof"),
        1
      )
      assert.lengthOf(
        methods.filter((method) => method === "eth_getCode"),
        1
      )
      assert.lengthOf(packets, 2)
    })
  )

  /** Returns the word of the slot that the call's data names. */
  const reader = { [CONTRACT]: { code: "0x5f35545f5260205ff3", storage: { 1: 10n, 2: 3n, 3: 29n } } } as const

  it.effect("ask for different slots of one account at the same time in one proof", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => MadeNode.make(reader))
      const slots = Array.from({ length: 10 }, (_, slot) => slot)
      const { packets, value } = yield* using(made.answers, (eth) =>
        Effect.forEach(slots, (slot) => eth.call({ to: CONTRACT, data: word(slot) }, made.hash), {
          concurrency: "unbounded"
        })
      )
      assert.deepEqual(
        value.map(({ value }) => value._tag === "Returned" && BigInt(value.data)),
        [0n, 10n, 3n, 29n, 0n, 0n, 0n, 0n, 0n, 0n]
      )
      const methods = packets.flat()
      const asked = (name: string) => methods.filter((method) => method === name).length
      // the account first, and then the slots of all calls
      assert.strictEqual(asked("eth_getProof"), 2)
      assert.strictEqual(asked("eth_getCode"), 1)
      assert.lengthOf(packets, 3)
    })
  )

  it.effect("read again what an interrupted call was reading for them", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => MadeNode.make(reader))
      const hung = Promise.withResolvers<void>()
      let together = 0
      const hanging: MadeNode.Answers = async (method, params) => {
        if (method !== "eth_getProof" || params[1].length !== 2) return made.answers(method, params)
        together += 1
        hung.resolve()
        return new Promise(() => {})
      }
      const { value } = yield* using(hanging, (eth) =>
        Effect.gen(function* () {
          const read = (slot: number) => eth.call({ to: CONTRACT, data: word(slot) }, made.hash)
          yield* read(0)
          const [first, second] = [yield* Effect.forkChild(read(1)), yield* Effect.forkChild(read(2))]
          yield* Effect.promise(() => hung.promise)
          yield* Fiber.interrupt(first)
          return yield* Fiber.join(second)
        })
      )
      assert.strictEqual(value.value._tag === "Returned" && BigInt(value.value.data), 3n)
      assert.strictEqual(together, 1)
    })
  )

  it.effect("read again what another call failed to read", () =>
    Effect.gen(function* () {
      const { answers, hash } = yield* hinting
      let failures = 1
      const flaky: MadeNode.Answers = async (method, params) =>
        method === "eth_getCode" && failures-- > 0 ? 5 : answers(method, params)
      const { value } = yield* using(flaky, (eth) =>
        Effect.all([Effect.result(eth.call({ to: CONTRACT }, hash)), Effect.result(eth.call({ to: CONTRACT }, hash))], {
          concurrency: "unbounded"
        })
      )
      assert.sameMembers(
        value.map(({ _tag }) => _tag),
        ["Failure", "Success"]
      )
    })
  )
})

it.effect("codes are kept across blocks by their hash", () =>
  Effect.gen(function* () {
    const made = yield* Effect.promise(() => MadeNode.make({ ...accounts, [OTHER]: { code: "0x00" } }, { older: 1 }))
    const [older, newer] = made.blocks.map((block) => block.hash())
    const at = (bytes: Uint8Array | undefined) =>
      ({ blockHash: `0x${Buffer.from(bytes!).toString("hex")}` }) as { readonly blockHash: typeof made.hash }
    const { packets } = yield* using(
      made.answers,
      (eth) => Effect.andThen(eth.call({ to: CONTRACT }, at(older)), eth.call({ to: CONTRACT }, at(newer))),
      { chain: Hardforks.always(MadeNode.CHAIN_ID, "prague") }
    )
    assert.lengthOf(
      packets.flat().filter((method) => method === "eth_getCode"),
      1
    )
  })
)
