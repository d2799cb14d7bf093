import { assert, describe, it } from "@effect/vitest"
import { createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex } from "@ethereumjs/util"
import { Address, Hash32, Keccak256 } from "@plumbline/codec"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { Result, Schema } from "effect"

import { AccountProof, Verify } from "../../src/index.ts"
import { changes, removals } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as State from "../support/state.ts"

const here = State.CONTRACT
const nowhere = State.NOWHERE
const { EMPTY_ROOT, keys, minimal, nodesOf } = State

const state = async () => {
  const { answer, block } = await State.make()
  return {
    answer: await answer(here, keys),
    absent: await answer(nowhere, keys),
    bare: await answer(State.BARE, []),
    block
  }
}

const decode = Schema.decodeUnknownSync(AccountProof.AccountProof)
const decodeResult = Schema.decodeUnknownResult(AccountProof.AccountProof)
const about = (address: string, storageKeys = keys) => ({ address: Address.fromHexUnsafe(address), storageKeys })

describe("Verify.account", () => {
  it("proves an account with its slots, those that are there and those that are not", async () => {
    const { answer, block } = await state()
    const verified = Result.getOrThrow(Verify.account(decode(answer), about(here), block))
    assert.strictEqual(verified.value.balance, 10n ** 18n)
    assert.deepStrictEqual(
      verified.value.storageProof.map((slot) => slot.value),
      [1n, 2n ** 256n - 1n, 0n, 0x80n]
    )
    assert.deepStrictEqual(verified.claimed, [])
  })

  it("proves that an account is absent, as geth, Nethermind, reth and anvil say it", async () => {
    const { absent, block } = await state()
    for (const codeHash of [Keccak256.EMPTY, Hash32.ZERO]) {
      for (const storageHash of [EMPTY_ROOT, Hash32.ZERO]) {
        for (const proof of [[], ["0x80"]]) {
          const storageProof = keys.map((key) => ({ key, value: "0x0", proof }))
          const answer = decode({ ...absent, codeHash, storageHash, storageProof })
          assert.isTrue(Result.isSuccess(Verify.account(answer, about(nowhere), block)))
        }
      }
    }
  })

  it("takes values and keys in every client's spelling", async () => {
    const { answer, block } = await state()
    const spell = (key: (key: string) => string, value: (value: string) => string | null) => ({
      ...answer,
      storageProof: Made.list(answer["storageProof"]).map((slot) => {
        const { key: k, proof, value: v } = Made.object(slot)
        return { key: key(Made.string(k)), value: value(Made.string(v)), proof: proof! }
      })
    })
    const trimmed = (key: string): string => `0x${BigInt(key).toString(16)}`
    const spellings: ReadonlyArray<readonly [string, Made.Json]> = [
      ["geth trims the key", spell(trimmed, (value) => value)],
      [
        "some leave out the prefix of the key",
        spell(
          (key) => trimmed(key).slice(2),
          (value) => value
        )
      ],
      [
        "ganache says 0x for zero",
        spell(
          (key) => key,
          (value) => (value === "0x0" ? "0x" : value)
        )
      ],
      [
        "old Nethermind says null for zero",
        spell(
          (key) => key,
          (value) => (value === "0x0" ? null : value)
        )
      ],
      [
        "Nethermind leaves leading zeros",
        spell(
          (key) => key,
          (value) => (value.length === 66 ? value : `0x0${value.slice(2)}`)
        )
      ],
      [
        "others pad to 32 bytes",
        spell(
          (key) => key,
          (value) => `0x${value.slice(2).padStart(64, "0")}`
        )
      ]
    ]
    for (const [client, json] of spellings) {
      assert.isTrue(Result.isSuccess(Verify.account(decode(json), about(here), block)), client)
    }
  })

  it("reads null in place of a list without items, as Erigon writes it for the slots of an absent account", async () => {
    const { absent, answer, bare, block } = await state()
    const asNull = (json: Made.JsonObject, proof: Made.Json = null): Made.JsonObject => ({
      ...json,
      storageProof: Made.list(json["storageProof"]).map((slot) => ({ ...Made.object(slot), proof }))
    })
    const verified = Result.getOrThrow(Verify.account(decode(asNull(absent)), about(nowhere), block))
    assert.deepStrictEqual(
      verified,
      Result.getOrThrow(Verify.account(decode(asNull(absent, [])), about(nowhere), block))
    )
    assert.isTrue(
      Result.isSuccess(Verify.account(decode({ ...bare, storageProof: null }), about(State.BARE, []), block))
    )
    // null proves no slot of an account that has storage, and answers no question about a slot
    assert.isTrue(Result.isFailure(Verify.account(decode(asNull(answer)), about(here), block)))
    assert.isTrue(Result.isFailure(Verify.account(decode({ ...answer, storageProof: null }), about(here), block)))
    assert.isTrue(Result.isFailure(decodeResult({ ...answer, accountProof: null })))
  })

  it("puts right the codeHash of no code that geth before 1.13.5 says of every account without storage", async () => {
    const { bare, block } = await state()
    const old = decode({ ...bare, codeHash: Keccak256.EMPTY })
    const verified = Result.getOrThrow(Verify.account(old, about(State.BARE, []), block))
    assert.strictEqual(verified.value.codeHash, bare["codeHash"])
    const other = Verify.account(decode({ ...bare, codeHash: Hash32.ZERO }), about(State.BARE, []), block)
    assert.strictEqual(Result.isFailure(other) && other.failure.check, "account.codeHash")
    // an account that has storage must have the right codeHash: the exception for geth does not apply to it
    const { answer } = await state()
    const lie = Verify.account(decode({ ...answer, codeHash: Keccak256.EMPTY }), about(here), block)
    assert.strictEqual(Result.isFailure(lie) && lie.failure.check, "account.codeHash")
  })

  it("refutes anvil's proofs at block 0, whose header says that the state is empty", async () => {
    const { answer, block } = await state()
    const value = { ...block.value, stateRoot: Hash32.fromHexUnsafe(EMPTY_ROOT) }
    const genesis = Proven.make({ value, anchor: block.anchor, proven: [], claimed: [] })
    const verdict = Verify.account(decode(answer), about(here), genesis)
    assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, "accountProof")
  })

  it("refutes every change of every field and node", async () => {
    const { absent, answer, block } = await state()
    for (const [json, address] of [
      [answer, here],
      [absent, nowhere]
    ] as const) {
      let tried = 0
      for (const change of changes(json)) {
        const decoded = decodeResult(change.json)
        if (Result.isFailure(decoded)) continue
        const verdict = Verify.account(decoded.success, about(address), block)
        if (Result.isSuccess(verdict)) assert.fail(`${change.path} verified`)
        const field = change.path.replace(/\.proof\[\d+\]$/, "").replace(/^accountProof\[\d+\]$/, "accountProof")
        const check = verdict.failure.check.replace(/ node \d+$/, "").replace(/^account\./, "")
        assert.strictEqual(check, field, change.path)
        tried++
      }
      assert.isAbove(tried, 8)
    }
  })

  it("refutes dropped nodes, slots and keys that were not asked for", async () => {
    const { answer, block } = await state()
    for (const change of removals(answer)) {
      const decoded = decodeResult(change.json)
      if (Result.isFailure(decoded)) continue
      assert.isTrue(Result.isFailure(Verify.account(decoded.success, about(here), block)), change.path)
    }
    const slots = Made.list(answer["storageProof"])
    for (const storageProof of [slots.slice(1), [...slots, slots[0]!], slots.toReversed(), []]) {
      assert.isTrue(Result.isFailure(Verify.account(decode({ ...answer, storageProof }), about(here), block)))
    }
    for (let drop = 0; drop < Made.list(answer["accountProof"]).length; drop++) {
      const accountProof = Made.list(answer["accountProof"]).toSpliced(drop, 1)
      assert.isTrue(Result.isFailure(Verify.account(decode({ ...answer, accountProof }), about(here), block)))
    }
  })

  it("refutes a storage trie that is whole in itself but not the account's (ethereumjs accepts it)", async () => {
    const { answer, block } = await state()
    const forged = await createMPT()
    await forged.put(Keccak256.hash(Hash32.toBytes(keys[0]!)), RLP.encode(minimal(10n ** 24n)))
    const storageProof = [
      {
        key: keys[0]!,
        value: `0x${(10n ** 24n).toString(16)}`,
        proof: await nodesOf(forged, Keccak256.hash(Hash32.toBytes(keys[0]!)))
      }
    ]
    for (const storageHash of [answer["storageHash"]!, bytesToHex(forged.root())]) {
      const json = { ...answer, storageHash, storageProof }
      const verdict = Verify.account(decode(json), about(here, [keys[0]!]), block)
      assert.isTrue(Result.isFailure(verdict))
    }
  })

  it("refutes the absence of an account that is there, and of another account", async () => {
    const { absent, answer, block } = await state()
    const zeros = { ...absent, address: here }
    assert.isTrue(Result.isFailure(Verify.account(decode(zeros), about(here), block)))
    const withNodes = { ...zeros, accountProof: answer["accountProof"]! }
    const verdict = Verify.account(decode(withNodes), about(here), block)
    assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, "account.nonce")
  })
})
