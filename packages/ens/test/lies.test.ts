/** Lies of the node about each step from a name to its record. Each is refuted by the name of its check. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ALICE, BOB, ensWorld, type Lie } from "./support/ensWorld.ts"

const world = ensWorld()

/** Changes the proofs of one contract. */
const ofProof =
  (contract: () => string, change: (proof: any) => unknown): Lie =>
  (method, answer, [address]) =>
    method === "eth_getProof" && address.toLowerCase() === contract() ? change(answer) : answer

const registry = () => world().registry
const records = () => world().contracts["records"]!
const entry = () => world().entry

const firstSlot = (change: (slot: any) => unknown) => (proof: any) => ({
  ...proof,
  storageProof: proof.storageProof.map((slot: any, i: number) => (i === 0 ? change(slot) : slot))
})

const lies: Readonly<Record<string, readonly [check: RegExp, lie: Lie]>> = {
  "the implementation behind the proxy is another": [
    /^storageProof\[0\]\.value$/u,
    ofProof(
      entry,
      firstSlot((slot) => ({ ...slot, value: `0x${world().contracts["records"]!.slice(2)}` }))
    )
  ],
  "the registry has another resolver": [
    /^storageProof\[0\]\.value$/u,
    ofProof(
      registry,
      firstSlot((slot) => ({ ...slot, value: `0x${world().contracts["wildcard"]!.slice(2)}` }))
    )
  ],
  "the registry's record is left out": [
    /^storageProof\[0\] node \d+$/u,
    ofProof(
      registry,
      firstSlot((slot) => ({ ...slot, value: "0x0", proof: slot.proof.slice(0, -1) }))
    )
  ],
  "the slot is that of another name": [
    /^storageProof\[0\]\.key$/u,
    ofProof(
      registry,
      firstSlot((slot) => ({ ...slot, key: `0x${"11".repeat(32)}` }))
    )
  ],
  "the record is another": [
    /^storageProof\[0\]\.value$/u,
    ofProof(
      records,
      firstSlot((slot) => ({ ...slot, value: "0x1" }))
    )
  ],
  "the resolver does not exist": [
    /^(?:accountProof node \d+|account\.\w+)$/u,
    ofProof(records, (proof) => ({
      ...proof,
      accountProof: proof.accountProof.slice(0, -1),
      codeHash: `0x${"00".repeat(32)}`
    }))
  ],
  "the resolver has other code": [
    /^code hash$/u,
    (method, answer, [address]) =>
      method === "eth_getCode" && address.toLowerCase() === records() ? `${answer}00` : answer
  ],
  "the Universal Resolver has other code": [
    /^code hash$/u,
    (method, answer, [address]) =>
      method === "eth_getCode" && address.toLowerCase() === entry() ? "0x602a5f5260205ff3" : answer
  ],
  "the header has another state": [
    /^header hash$/u,
    (method, answer) =>
      method.startsWith("eth_getBlockBy") ? { ...answer, stateRoot: `0x${"22".repeat(32)}` } : answer
  ]
}

describe("a lie is refuted:", () => {
  for (const [what, [check, lie]] of Object.entries(lies)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { lie }))
        assert.strictEqual(error._tag, "RefutedError", error.message)
        assert.match(error._tag === "RefutedError" ? error.check : "", check)
      })
    )
  }
})

describe("an answer of another block", () => {
  it.effect("is refuted: the state before the last change", () =>
    Effect.gen(function* () {
      const stale = yield* Effect.promise(async () => {
        const { number } = await world().viem.getBlock({ blockHash: world().earlier })
        return number
      })
      const proof = yield* Effect.promise(() =>
        world().viem.request({ method: "eth_getProof", params: [records() as never, [], `0x${stale.toString(16)}`] })
      )
      const lie = ofProof(records, (answer) => ({ ...answer, accountProof: proof.accountProof }))
      const error = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { lie }))
      assert.strictEqual(error._tag, "RefutedError")
    })
  )

  it.effect("is not taken for that of the named block", () =>
    Effect.gen(function* () {
      const at = (block: "earlier" | "block") =>
        Effect.map(
          world().using((ens) => ens.address("alice.eth", { block: world()[block] })),
          ({ value }) => value
        )
      assert.deepStrictEqual([yield* at("earlier"), yield* at("block")], [BOB, ALICE])
    })
  )
})

describe("what the node does not say proves nothing:", () => {
  for (const method of ["eth_getProof", "eth_getCode", "eth_getBlockByHash"]) {
    it.effect(`null of ${method}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          world().using((ens) => ens.address("alice.eth", { block: world().block }), {
            lie: (asked, answer) => (asked === method ? null : answer)
          })
        )
        assert.oneOf(error._tag, ["JsonRpcError", "UnprovenError"])
      })
    )
  }

  it.effect("a wrong answer of eth_call, which is never asked for", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { value } = yield* world().using((ens) => ens.address("alice.eth"), {
        lie: (method, answer) => {
          asked.push(method)
          return answer
        }
      })
      assert.strictEqual(value, ALICE)
      assert.notInclude(asked, "eth_call")
    })
  )
})
