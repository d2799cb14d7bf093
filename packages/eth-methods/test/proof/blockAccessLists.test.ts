/** Block access lists, proven by the header. ethereumjs encodes and hashes them. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { createBlockLevelAccessList, hexToBytes } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer, Result } from "effect"
import { keccak256 } from "viem"

import {
  BlockRlp,
  EthEvidence,
  EthReason,
  ProvenEthClient,
  TrustedBlock,
  VerdictEthClient,
  Verify
} from "../../src/index.ts"
import * as AccessLists from "../support/accessLists.ts"
import { changes, removals } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import { node } from "../support/node.ts"
import * as Receipts from "../support/receipts.ts"

const RUNS = Random.runs(40)

const honest = async (seed: number) => {
  const list = AccessLists.make(seed)
  const block = await AccessLists.blockOf(list)
  return { list, answer: AccessLists.answerOf(list), json: block, block: Receipts.proven(block) }
}

describe("Verify.blockAccessList", () => {
  it("proves lists of every form, with whole or short words, and writes them as they were", async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const { answer, block, list } = await honest(seed)
      for (const said of [answer, AccessLists.answerOf(list, "short")]) {
        const decoded = AccessLists.decode(said)
        const verdict = Result.getOrThrow(Verify.blockAccessList(decoded, block))
        assert.strictEqual(verdict._tag, "VERIFIED", `seed ${seed}`)
        assert.deepStrictEqual(verdict.claimed, [])
        assert.deepStrictEqual(verdict.proven.at(-1), EthEvidence.BlockAccessList({ accounts: answer.length }))
        assert.deepStrictEqual(AccessLists.encode(decoded), answer as never, `seed ${seed}`)
      }
    }
  })

  it("reads and writes the RLP of a list, byte for byte", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const list = AccessLists.make(seed)
      const raw = list.serialize()
      const decoded = Result.getOrThrow(BlockRlp.decodeAccessList(raw))
      assert.deepStrictEqual(AccessLists.encode(decoded), AccessLists.answerOf(list) as never, `seed ${seed}`)
      assert.deepStrictEqual(BlockRlp.encodeAccessList(decoded), Uint8Array.from(raw), `seed ${seed}`)
    }
  })

  it("proves that a block touched nothing by the hash of the empty list only", async () => {
    const block = Receipts.proven(await AccessLists.blockOf(createBlockLevelAccessList()))
    assert.strictEqual(block.value.blockAccessListHash, keccak256("0xc0"))
    assert.strictEqual(Result.getOrThrow(Verify.blockAccessList([], block))._tag, "VERIFIED")
    const { block: other } = await honest(1)
    assert.strictEqual(refutation([], other), "blockAccessListHash")
  })

  it("refutes a changed value, a left out, repeated or moved entry, and the list of another block", async () => {
    let tried = 0
    for (let seed = 1; seed <= Math.max(4, RUNS / 4); seed++) {
      const { answer, block } = await honest(seed)
      const lies = changes(answer).flatMap(({ json, path }) =>
        Result.match(AccessLists.decodeResult(json), {
          onFailure: () => [],
          // hex digits that differ in case are the same value
          onSuccess: (list) => (same(json, answer) ? [] : [{ list, path }])
        })
      )
      for (const [at, account] of answer.entries()) {
        lies.push({ list: AccessLists.decode(answer.toSpliced(at, 1)), path: `without [${at}]` })
        lies.push({ list: AccessLists.decode(answer.toSpliced(at, 0, account)), path: `[${at}] twice` })
        for (const [name, items] of Object.entries(Made.object(account))) {
          if (!Array.isArray(items) || items.length === 0) continue
          const without = answer.with(at, { ...Made.object(account), [name]: items.slice(1) })
          lies.push({ list: AccessLists.decode(without), path: `without [${at}].${name}[0]` })
        }
      }
      lies.push({ list: AccessLists.decode(answer.toReversed()), path: "reversed" })
      lies.push({ list: AccessLists.decode(AccessLists.answerOf(AccessLists.make(seed + 1000))), path: "another" })
      for (const { list, path } of lies) assert.strictEqual(refutation(list, block), "blockAccessListHash", path)
      tried += lies.length
    }
    assert.isAbove(tried, 200)
  })

  it("does not decode an answer in which a member of an entry is missing", async () => {
    const { answer } = await honest(3)
    for (const { json, path } of removals(answer)) assert.isTrue(Result.isFailure(AccessLists.decodeResult(json)), path)
  })

  it("claims null, a list of a block from before Amsterdam, and a list of more entries than gas can pay", async () => {
    const { answer, block } = await honest(5)
    const list = AccessLists.decode(answer)
    const before = Receipts.proven(await Made.block(Hardfork.Osaka))
    const long = Array.from({ length: 30_001 }, () => list[0]!)
    for (const [said, under, kind] of [
      [null, block, EthReason.AccessListUnknown],
      [list, before, EthReason.BeforeAmsterdam],
      [[], before, EthReason.BeforeAmsterdam],
      [long, block, EthReason.AccessListTooLong]
    ] as const) {
      const verdict = Result.getOrThrow(Verify.blockAccessList(said, under))
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.isTrue(kind.is(verdict.claimed[0]!.reason), verdict.claimed[0]!.reason.sentence)
    }
  })

  it("claims an unknown field of an entry, and the list if a later fork may have put the field into the hash", async () => {
    const { answer, block } = await honest(5)
    const more = AccessLists.decode(answer.with(0, { ...Made.object(answer[0]), codeHash: "0x01" }))
    const verdict = Result.getOrThrow(Verify.blockAccessList(more, block))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.deepStrictEqual(
      verdict.claimed.map(({ field, reason }) => [field, reason._tag]),
      [["[].codeHash", "BesideAccessList"]]
    )
    const other = Result.getOrThrow(Verify.blockAccessList(more.slice(0, -1), block))
    assert.strictEqual(other._tag, "CLAIMED")
    assert(EthReason.UnknownAccessListFields.is(other.claimed[0]!.reason))
    assert.deepStrictEqual(other.claimed[0]!.reason.fields, ["[].codeHash"])
  })

  it("reports a list that has the header's hash and breaks a rule of EIP-7928", async () => {
    const a = hexToBytes(`0x${"11".repeat(20)}`)
    const b = hexToBytes(`0x${"22".repeat(20)}`)
    const one = Uint8Array.of(1)
    const two = Uint8Array.of(2)
    const account = (address: Uint8Array, storage: Nested = [], reads: Nested = [], balances: Nested = []): Nested => [
      address,
      storage,
      reads,
      balances,
      [],
      []
    ]
    const slot = (key: Uint8Array, indexes: ReadonlyArray<Uint8Array>): Nested => [
      key,
      indexes.map((index) => [index, one])
    ]
    const cases: ReadonlyArray<readonly [rule: string, at: string, list: Nested]> = [
      ["account-order", "[1]", [account(b), account(a)]],
      ["account-order", "[1]", [account(a), account(a)]],
      ["slot-order", "[0].storageChanges[1]", [account(a, [slot(two, [one]), slot(one, [one])])]],
      ["read-order", "[0].storageReads[1]", [account(a, [], [two, one])]],
      ["read-and-written", "[0].storageReads[0]", [account(a, [slot(one, [one])], [one])]],
      ["empty-slot", "[0].storageChanges[0]", [account(a, [slot(one, [])])]],
      ["index-order", "[0].storageChanges[0].changes[1]", [account(a, [slot(one, [two, two])])]],
      [
        "index-order",
        "[0].balanceChanges[1]",
        [
          account(
            a,
            [],
            [],
            [
              [two, one],
              [one, one]
            ]
          )
        ]
      ]
    ]
    for (const [rule, at, items] of cases) {
      const raw = RLP.encode(items as never)
      const json = await Made.block(Hardfork.Amsterdam, [], [], { blockAccessListHash: hexToBytes(keccak256(raw)) })
      const list = Result.getOrThrow(BlockRlp.decodeAccessList(raw))
      const verdict = Result.getOrThrow(Verify.blockAccessList(list, Receipts.proven(json)))
      assert.strictEqual(verdict._tag, "CLAIMED", rule)
      const { reason } = verdict.claimed[0]!
      assert(EthReason.AccessListRuleBroken.is(reason), rule)
      assert.deepStrictEqual([reason.rule, reason.at], [rule, at])
      const alone = Verify.blockAccessListRules(list, { chainId: 1n })
      assert(Result.isFailure(alone), rule)
      assert.deepInclude(alone.failure, { check: `blockAccessList ${rule}`, got: at })
      assert.isTrue(Result.isSuccess(Verify.blockAccessListRules(list, { chainId: 1337n })), rule)
      assert.isTrue(Result.isSuccess(Verify.blockAccessListRules(list, {})), rule)
    }
  })

  it("are kept by every list of ethereumjs", () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const list = AccessLists.decode(AccessLists.answerOf(AccessLists.make(seed)))
      assert.isTrue(Result.isSuccess(Verify.blockAccessListRules(list, { chainId: 1n })), `seed ${seed}`)
    }
  })
})

describe("BlockRlp.decodeAccessList", () => {
  it("reads bytes as they would be written, or fails, for random changes of bytes", () => {
    let read = 0
    for (let seed = 1; seed <= RUNS * 20; seed++) {
      const random = Random.make(seed)
      const raw = Uint8Array.from(AccessLists.make(1 + (seed % 50)).serialize())
      for (let times = 1 + Random.int(random, 3); times > 0; times--) {
        raw[Random.int(random, raw.length)] = Random.int(random, 256)
      }
      const decoded = BlockRlp.decodeAccessList(raw)
      if (Result.isFailure(decoded)) continue
      read++
      assert.deepStrictEqual(BlockRlp.encodeAccessList(decoded.success), raw, `seed ${seed}`)
    }
    assert.isAbove(read, RUNS)
  })
})

describe("the clients", () => {
  const clientsOf = (json: Made.JsonObject, list: Made.Json) => {
    const { layer } = node((method) =>
      method === "eth_getBlockAccessList" ? list : method.startsWith("eth_getBlockBy") ? json : undefined
    )
    return layer
  }
  const read = (json: Made.JsonObject, list: Made.Json, block: Hash32.Hash32 | "latest") =>
    VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockAccessList(block)).pipe(
      Effect.provide(VerdictEthClient.layer().pipe(Layer.provide([clientsOf(json, list), TrustedBlock.layerNone()])))
    )

  it.effect("prove a list by its block's hash, and claim it for a tag that nothing proves", () =>
    Effect.gen(function* () {
      const { answer, json } = yield* Effect.promise(() => honest(7))
      const hash = Hash32.fromHexUnsafe(Made.string(json["hash"]))
      const proven = yield* read(json, answer, hash)
      assert.strictEqual(proven._tag, "VERIFIED")
      assert.strictEqual(proven.anchor?.hash, hash)
      assert.strictEqual((yield* read(json, answer, "latest"))._tag, "CLAIMED")
      const refuted = yield* Effect.flip(read(json, answer.slice(1), hash))
      assert.strictEqual(refuted._tag, "RefutedError")
    })
  )

  it.effect("refuse what is only claimed, where only proven answers pass", () =>
    Effect.gen(function* () {
      const { answer, json } = yield* Effect.promise(() => honest(7))
      const hash = Hash32.fromHexUnsafe(Made.string(json["hash"]))
      const ask = (list: Made.Json) =>
        ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockAccessList(hash)).pipe(
          Effect.provide(ProvenEthClient.layer().pipe(Layer.provide([clientsOf(json, list), TrustedBlock.layerNone()])))
        )
      assert.deepStrictEqual(AccessLists.encode((yield* ask(answer))!), answer as never)
      assert.strictEqual((yield* Effect.flip(ask(null)))._tag, "UnprovenError")
    })
  )
})

type Nested = Uint8Array | ReadonlyArray<Nested>

const refutation = (...args: Parameters<typeof Verify.blockAccessList>): string => {
  const verdict = Verify.blockAccessList(...args)
  return Result.isFailure(verdict) ? verdict.failure.check : verdict.success._tag
}

const same = (a: Made.Json, b: Made.Json): boolean =>
  JSON.stringify(a).toLowerCase() === JSON.stringify(b).toLowerCase()
