/** The waits for the node, and what is shared between calls. */
import { assert, describe, it } from "@effect/vitest"
import { EthEvidence } from "@plumbline/eth-methods"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect } from "effect"

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
        run?.accounts.map(({ address, exists, slots }) => ({
          address: String(address),
          exists,
          slots: slots.map(String)
        })),
        [{ address: CONTRACT, exists: true, slots: [word(1), word(2), word(3)] }]
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
