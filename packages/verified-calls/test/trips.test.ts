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
const hintingOf = (state: Parameters<typeof MadeNode.make>[0]) =>
  Effect.promise(async () => {
    const made = await MadeNode.make(state)
    const answers: MadeNode.Answers = async (method, params) => {
      if (method !== "eth_createAccessList") return made.answers(method, params)
      const accessList = [{ address: params[0].to, storageKeys: [word(1), word(2), word(3)] }]
      return { accessList, gasUsed: "0x0" }
    }
    return { ...made, answers }
  })

const hinting = hintingOf(accounts)

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
      const rules = { chainId: MadeNode.CHAIN_ID, hardfork: "prague", blobUpdateFraction: 5_007_716n }
      assert.deepInclude(run, { block: hash, ...rules, gasLimit: 50_000_000n, roundTrips: 2 })
      assert.deepEqual(
        run?.accounts.map(({ address, exists, slots }) => ({
          address: String(address),
          exists,
          slots: slots.map(Number)
        })),
        [{ address: CONTRACT, exists: true, slots: [1, 2, 3] }]
      )
      assert.strictEqual(run?.sentence.startsWith("the call, run here by the rules of prague in block"), true)
    })
  )
})

it.effect("a call of another contract at a known block asks for its access list too", () =>
  Effect.gen(function* () {
    const { answers, hash } = yield* hintingOf({ ...accounts, [OTHER]: accounts[CONTRACT] })
    const { packets, value } = yield* using(answers, (eth) =>
      Effect.andThen(eth.call({ to: CONTRACT }, hash), eth.call({ to: OTHER }, hash))
    )
    assert.strictEqual(value.value._tag === "Returned" && BigInt(value.value.data), 42n)
    assert.deepEqual(
      packets.slice(2).map((methods) => methods.toSorted()),
      [["eth_createAccessList"], ["eth_getCode", "eth_getProof"]]
    )
  })
)

describe("calls about the latest block", () => {
  it.effect("wait for the block alone when its contract is known", () =>
    Effect.gen(function* () {
      const { answers } = yield* hinting
      const { packets } = yield* using(answers, (eth) =>
        Effect.andThen(eth.call({ to: CONTRACT }), eth.call({ to: CONTRACT }))
      )
      assert.deepEqual(
        packets.map((methods) => methods.toSorted()),
        [["eth_createAccessList", "eth_getBlockByNumber"], ["eth_getCode", "eth_getProof"], ["eth_getBlockByNumber"]]
      )
    })
  )

  it.effect("ask for the access list at the new block when it is not the one before", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => MadeNode.make(accounts, { older: 1 }))
      const asked: Array<unknown> = []
      let older = 1n
      const answers: MadeNode.Answers = async (method, params) => {
        if (method === "eth_createAccessList") {
          asked.push(params[1])
          const accessList = [{ address: CONTRACT, storageKeys: [word(1), word(2), word(3)] }]
          return { accessList, gasUsed: "0x0" }
        }
        if (method !== "eth_getBlockByNumber") return made.answers(method, params)
        return made.answers(method, [`0x${(1000n - older--).toString(16)}`, false])
      }
      const { packets, value } = yield* using(answers, (eth) =>
        Effect.all([eth.call({ to: CONTRACT }), eth.call({ to: CONTRACT })])
      )
      for (const { value: outcome } of value)
        assert.strictEqual(outcome._tag === "Returned" && BigInt(outcome.data), 42n)
      const newest = { blockHash: String(made.hash) }
      assert.deepEqual(asked, ["latest", newest])
      assert.lengthOf(packets, 5)
    })
  )
})

describe("calls about one block", () => {
  const names = ["hash", "number", "tag"] as const
  for (const name of names) {
    it.effect(`read everything once, also at the same time (by ${name})`, () =>
      Effect.gen(function* () {
        const { answers, blocks, hash } = yield* hinting
        const block = { hash, number: blocks.at(-1)!.header.number, tag: "latest" }[name]
        const { packets } = yield* using(answers, (eth) => {
          const calls = Effect.all(
            Array.from({ length: 6 }, () => eth.call({ to: CONTRACT }, block as typeof hash)),
            { concurrency: "unbounded" }
          )
          return name === "hash" ? Effect.andThen(calls, calls) : calls
        })
        const methods = packets.flat()
        for (const method of [
          name === "hash" ? "eth_getBlockByHash" : "eth_getBlockByNumber",
          "eth_getProof",
          "eth_getCode"
        ]) {
          assert.lengthOf(
            methods.filter((asked) => asked === method),
            1,
            method
          )
        }
        assert.lengthOf(packets, 2)
      })
    )
  }

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
