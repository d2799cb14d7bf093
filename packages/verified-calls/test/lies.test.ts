/** Lies of the node. Each is refuted by the name of its check, or changes nothing that is VERIFIED. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { ask, call, CONTRACT, FROM, OTHER, outcome, type Setting } from "./support/calling.ts"
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

/** Simulates the call in the second block after the real one. */
const simulation = (setting: Setting) =>
  ask(setting, (eth, request, block) => eth.simulate({ blockStateCalls: [{}, { calls: [request] }] }, block))

const estimate = (setting: Setting) => ask(setting, (eth, request, block) => eth.estimateGas(request, block))

const accessList = (setting: Setting) => ask(setting, (eth, request, block) => eth.createAccessList(request, block))

const reads: ReadonlyArray<(setting: Setting) => Effect.Effect<unknown, Effect.Error<ReturnType<typeof call>>>> = [
  call,
  simulation,
  estimate,
  accessList
]

describe("a lie", () => {
  it.effect("is not needed: the honest answer is VERIFIED", () =>
    Effect.gen(function* () {
      assert.include(yield* outcome(honest), { _tag: "Returned", data: TRUTH })
      const { value } = yield* simulation(honest)
      assert.ok(value._tag === "VERIFIED" && value.value._tag === "Simulated")
      assert.strictEqual(value.value.blocks[1]!.calls[0]!.returnData, TRUTH)
      for (const [read, tag] of [
        [estimate, "Estimated"],
        [accessList, "Listed"]
      ] as const) {
        const { value } = yield* read(honest)
        assert.ok(value._tag === "VERIFIED" && value.value._tag === tag)
      }
    })
  )

  for (const [name, [check, lie]] of Object.entries(refuted)) {
    it.effect(`is refuted: ${name}`, () =>
      Effect.gen(function* () {
        for (const read of reads) {
          const error = yield* Effect.flip(read({ ...honest, lie }))
          assert.strictEqual(error._tag, "RefutedError")
          assert.match(error._tag === "RefutedError" ? error.check : "", check)
        }
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

/** A place in a JSON value. */
type Path = ReadonlyArray<string | number>

/** Returns the places of all leaves, and of all members that can be left out. */
const placesOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
    : [path]

const at = (value: any, path: Path): unknown => path.reduce((inner, key) => inner?.[key], value)

/** Returns the value with another one in this place; undefined leaves it out. */
const put = (value: any, [key, ...rest]: Path, other: unknown): unknown => {
  if (key === undefined) return other
  const changed = Array.isArray(value) ? [...value] : { ...value }
  changed[key] = put(value[key], rest, other)
  if (changed[key] === undefined) {
    if (Array.isArray(changed)) changed.splice(Number(key), 1)
    else delete changed[key]
  }
  return changed
}

/** Returns what a lying node may put in place of a value: other digits, a value from elsewhere, nothing. */
const othersOf = (value: unknown, elsewhere: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const alike = elsewhere.filter((other) => typeof other === typeof value && String(other) !== String(value))
  const same = alike.filter((other) => String(other).length === String(value).length)
  const texts =
    typeof value === "string" && value.length > 2
      ? [
          value.slice(0, -1) + (value.endsWith("1") ? "2" : "1"),
          `${value}00`,
          `0x${value.slice(4)}`,
          "0x",
          "0x0",
          word(9)
        ]
      : []
  return [...texts, ...same.slice(0, 2), ...alike.slice(0, 1), null, undefined, [], {}]
}

describe("each part of what the node answers", () => {
  it.effect("can be changed, exchanged or left out, and the outcome stays the true one or is not VERIFIED", () =>
    Effect.gen(function* () {
      const hint: Lie = listing([{ address: CONTRACT, storageKeys: [word(1)] }])
      const seen = new Map<string, { readonly method: string; readonly answer: unknown }>()
      const nameOf = (method: string, params: ReadonlyArray<unknown>) => JSON.stringify([method, params])
      const record: Lie = (method, answer, params) => {
        const told = hint(method, answer, params)
        if (told !== undefined) seen.set(nameOf(method, params), { method, answer: JSON.parse(JSON.stringify(told)) })
        return told
      }
      const truth = yield* outcome({ ...honest, lie: record })
      assert.include(truth, { _tag: "Returned", data: TRUTH })
      const texts = [...seen.values()].flatMap(({ answer }) => placesOf(answer).map((path) => at(answer, path)))
      const elsewhere = [...new Set(texts)].filter((value) => typeof value !== "object")
      const lies = [...seen].flatMap(([name, { answer, method }]) =>
        placesOf(answer).flatMap((path) =>
          othersOf(at(answer, path), elsewhere).map((other) => ({
            name,
            method,
            path,
            other,
            told: put(answer, path, other)
          }))
        )
      )
      assert.isAbove(lies.length, 500)
      const refused = new Set<string>()
      for (const { method, name, other, path, told } of lies) {
        const lie: Lie = (asked, answer, params) =>
          nameOf(asked, params) === name ? told : hint(asked, answer, params)
        const end = yield* Effect.result(call({ ...honest, lie }))
        if (end._tag === "Success" && end.success.value._tag === "VERIFIED") {
          assert.deepEqual(end.success.value.value, truth, `${name} ${path.join(".")} ${JSON.stringify(other)}`)
        } else refused.add(method)
      }
      assert.deepEqual([...refused].toSorted(), ["eth_getBlockByHash", "eth_getCode", "eth_getProof"])
    })
  )
})
