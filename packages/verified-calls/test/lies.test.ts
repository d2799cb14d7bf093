/** Lies of the node. Each is refuted by the name of its check, or changes nothing that is VERIFIED. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { call, CONTRACT, FROM, OTHER, outcome, type Setting } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const { word } = MadeNode

/** Adds slot 1, the balance and the code size of another account, and whether a third one has code. */
const code = `0x60015473${OTHER.slice(2)}310173${OTHER.slice(2)}3b0173${FROM.slice(2)}3b015f5260205ff3` as const
const honest: Setting = {
  code,
  storage: { 1: 40n },
  accounts: { [OTHER]: { balance: 1n, code: "0x00" } }
}
const TRUTH = word(42)

type Lie = NonNullable<Setting["lie"]>

/** Changes the proof of one account. */
const ofProof =
  (address: string, change: (proof: any) => unknown): Lie =>
  (method, answer, [asked]) =>
    method === "eth_getProof" && asked === address ? change(answer) : answer

const ofCode =
  (address: string, code: string): Lie =>
  (method, answer, [asked]) =>
    method === "eth_getCode" && asked === address ? code : answer

const listing =
  (accessList: unknown): Lie =>
  (method, answer) =>
    method === "eth_createAccessList" ? { accessList, gasUsed: "0x0" } : answer

const refuted: Readonly<Record<string, readonly [check: RegExp, lie: Lie]>> = {
  "a word of another value": [
    /^storageProof\[0\]\.value$/u,
    ofProof(CONTRACT, (proof) => ({
      ...proof,
      storageProof: proof.storageProof.map((slot: {}) => ({ ...slot, value: "0x29" }))
    }))
  ],
  "a word without its nodes": [
    /^storageProof\[0\] node 0$/u,
    ofProof(CONTRACT, (proof) => ({
      ...proof,
      storageProof: proof.storageProof.map((slot: {}) => ({ ...slot, proof: [] }))
    }))
  ],
  "another slot": [
    /^storageProof\[0\]\.key$/u,
    ofProof(CONTRACT, (proof) => ({
      ...proof,
      storageProof: proof.storageProof.map((slot: {}) => ({ ...slot, key: word(9) }))
    }))
  ],
  "no slots": [/^storageProof$/u, ofProof(CONTRACT, (proof) => ({ ...proof, storageProof: [] }))],
  "another balance": [/^account\.balance$/u, ofProof(OTHER, (proof) => ({ ...proof, balance: "0x2" }))],
  "another nonce": [/^account\.nonce$/u, ofProof(OTHER, (proof) => ({ ...proof, nonce: "0x1" }))],
  "another hash of the code": [/^account\.codeHash$/u, ofProof(OTHER, (proof) => ({ ...proof, codeHash: word(1) }))],
  "another root of the storage": [
    /^account\.storageHash$/u,
    ofProof(CONTRACT, (proof) => ({ ...proof, storageHash: word(1) }))
  ],
  "an absent account with a balance": [/^account\.balance$/u, ofProof(FROM, (proof) => ({ ...proof, balance: "0x1" }))],
  "an account without its leaf": [
    /^accountProof node \d$/u,
    ofProof(OTHER, (proof) => ({ ...proof, accountProof: proof.accountProof.slice(0, -1) }))
  ],
  "no proof at all": [/^accountProof node 0$/u, ofProof(OTHER, (proof) => ({ ...proof, accountProof: [] }))],
  "another account": [/^address$/u, ofProof(OTHER, (proof) => ({ ...proof, address: FROM }))],
  "other code": [/^code hash$/u, ofCode(OTHER, "0x01")],
  "no code": [/^code hash$/u, ofCode(OTHER, "0x")],
  "other code of the contract": [/^code hash$/u, ofCode(CONTRACT, "0x602a5f5260205ff3")],
  "another header": [
    /^header hash$/u,
    (method, answer: any) => (method === "eth_getBlockByHash" ? { ...answer, timestamp: "0x1" } : answer)
  ],
  "the proof of another block": [
    /^accountProof node 0$/u,
    ofProof(OTHER, (proof) => ({ ...proof, accountProof: [proof.accountProof[0].replace(/..$/u, "00")] }))
  ]
}

const harmless: Readonly<Record<string, Lie>> = {
  "an empty access list": listing([]),
  "a short access list": listing([{ address: CONTRACT, storageKeys: [] }]),
  "a wrong access list": listing([
    { address: CONTRACT, storageKeys: [word(7)] },
    { address: word(5).slice(0, 42), storageKeys: [] }
  ]),
  "a huge access list": listing(
    Array.from({ length: 5000 }, (_, i) => ({ address: `0x${word(i).slice(26)}`, storageKeys: [word(i)] }))
  ),
  "an access list of nonsense": listing({ not: "a list" }),
  "an access list of null": listing(null)
}

describe("a lie", () => {
  it.effect("is not needed: the honest answer is VERIFIED", () =>
    Effect.gen(function* () {
      assert.include(yield* outcome(honest), { _tag: "Returned", data: TRUTH })
    })
  )

  for (const [name, [check, lie]] of Object.entries(refuted)) {
    it.effect(`is refuted: ${name}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(call({ ...honest, lie }))
        assert.strictEqual(error._tag, "RefutedError")
        assert.match(error._tag === "RefutedError" ? error.check : "", check)
      })
    )
  }

  for (const [name, lie] of Object.entries(harmless)) {
    it.effect(`changes nothing: ${name}`, () =>
      Effect.gen(function* () {
        const { value } = yield* call({ ...honest, lie })
        assert.strictEqual(value._tag, "VERIFIED")
        assert.include(value.value, { data: TRUTH })
      })
    )
  }

  it.effect("of null in place of a proof, a code or a block proves nothing", () =>
    Effect.gen(function* () {
      for (const method of ["eth_getProof", "eth_getCode", "eth_getBlockByHash"]) {
        const error = yield* Effect.flip(
          call({ ...honest, lie: (asked, answer) => (asked === method ? null : answer) })
        )
        assert.oneOf(error._tag, ["JsonRpcError", "UnprovenError"])
      }
    })
  )
})
