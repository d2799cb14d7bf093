import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes } from "@ethereumjs/util"
import { Address, Hash32, Keccak256 } from "@plumbline/codec"
import { Result, Schema } from "effect"

import { AccountProof, type Block, StorageKey, type Verified, verifyAccountProof } from "../src/index.ts"
import { makeVerified } from "../src/internal/verified.ts"
import { changes, removals } from "./support/changes.ts"
import * as Made from "./support/made.ts"

const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const here = "0x1234567890123456789012345678901234567890"
const nowhere = "0x9999999999999999999999999999999999999999"
const keys = [0n, 1n, 5n, 2n ** 255n].map(StorageKey.fromSlot)

const nodesOf = async (trie: MerklePatriciaTrie, key: Uint8Array): Promise<Array<string>> =>
  (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32).map(bytesToHex)

const minimal = (n: bigint): Uint8Array =>
  n === 0n
    ? new Uint8Array(0)
    : hexToBytes(`0x${n.toString(16).padStart(n.toString(16).length + (n.toString(16).length % 2), "0")}`)

/** A state of many accounts, made by ethereumjs, in which `here` has storage and `nowhere` does not exist. */
const state = async () => {
  const storage = await createMPT()
  const values: Record<string, bigint> = { [keys[0]!]: 1n, [keys[1]!]: 2n ** 256n - 1n, [keys[3]!]: 0x80n }
  for (const [key, value] of Object.entries(values)) {
    await storage.put(Keccak256.hash(hexToBytes(key as `0x${string}`)), RLP.encode(minimal(value)))
  }
  for (let i = 100n; i < 140n; i++) await storage.put(Keccak256.hash(Made.word(i)), RLP.encode(minimal(i)))
  const accounts = await createMPT()
  const codeHash = Keccak256.hash(Uint8Array.of(0x60))
  await accounts.put(
    Keccak256.hash(hexToBytes(here)),
    RLP.encode([minimal(7n), minimal(10n ** 18n), storage.root(), codeHash])
  )
  for (let i = 0; i < 60; i++) {
    const address = Keccak256.hash(Uint8Array.of(i)).subarray(12)
    const leaf = RLP.encode([minimal(BigInt(i)), minimal(0n), hexToBytes(EMPTY_ROOT), Hash32.toBytes(Keccak256.EMPTY)])
    await accounts.put(Keccak256.hash(address), leaf)
  }
  const answer: Made.JsonObject = {
    address: here,
    balance: "0xde0b6b3a7640000",
    codeHash: bytesToHex(codeHash),
    nonce: "0x7",
    storageHash: bytesToHex(storage.root()),
    accountProof: await nodesOf(accounts, Keccak256.hash(hexToBytes(here))),
    storageProof: await Promise.all(
      keys.map(async (key) => ({
        key,
        value: `0x${(values[key] ?? 0n).toString(16)}`,
        proof: await nodesOf(storage, Keccak256.hash(hexToBytes(key as `0x${string}`)))
      }))
    )
  }
  const absent: Made.JsonObject = {
    address: nowhere,
    balance: "0x0",
    codeHash: Keccak256.EMPTY,
    nonce: "0x0",
    storageHash: EMPTY_ROOT,
    accountProof: await nodesOf(accounts, Keccak256.hash(hexToBytes(nowhere))),
    storageProof: keys.map((key) => ({ key, value: "0x0", proof: [] }))
  }
  // the header itself is verifyBlock's to prove; here only its stateRoot counts
  const json = { ...(await Made.block(Hardfork.Prague, [])), stateRoot: bytesToHex(accounts.root()) }
  const value = Made.decodeBlock(json)
  const block: Verified.Verified<Block.Block> = makeVerified({
    value,
    anchor: { _tag: "Block", hash: value.hash! },
    proven: [],
    claimed: []
  })
  return { answer, absent, block }
}

const decode = Schema.decodeUnknownSync(AccountProof.AccountProof)
const decodeResult = Schema.decodeUnknownResult(AccountProof.AccountProof)
const about = (address: string, storageKeys = keys) => ({ address: Address.fromHexUnsafe(address), storageKeys })

describe("verifyAccountProof", () => {
  it("proves an account with its slots, those that are there and those that are not", async () => {
    const { answer, block } = await state()
    const verified = Result.getOrThrow(verifyAccountProof(decode(answer), about(here), block))
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
          assert.isTrue(Result.isSuccess(verifyAccountProof(answer, about(nowhere), block)))
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
      assert.isTrue(Result.isSuccess(verifyAccountProof(decode(json), about(here), block)), client)
    }
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
        const verdict = verifyAccountProof(decoded.success, about(address), block)
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
      assert.isTrue(Result.isFailure(verifyAccountProof(decoded.success, about(here), block)), change.path)
    }
    const slots = Made.list(answer["storageProof"])
    for (const storageProof of [slots.slice(1), [...slots, slots[0]!], slots.toReversed(), []]) {
      assert.isTrue(Result.isFailure(verifyAccountProof(decode({ ...answer, storageProof }), about(here), block)))
    }
    for (let drop = 0; drop < Made.list(answer["accountProof"]).length; drop++) {
      const accountProof = Made.list(answer["accountProof"]).toSpliced(drop, 1)
      assert.isTrue(Result.isFailure(verifyAccountProof(decode({ ...answer, accountProof }), about(here), block)))
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
      const verdict = verifyAccountProof(decode(json), about(here, [keys[0]!]), block)
      assert.isTrue(Result.isFailure(verdict))
    }
  })

  it("refutes the absence of an account that is there, and of another account", async () => {
    const { absent, answer, block } = await state()
    const zeros = { ...absent, address: here }
    assert.isTrue(Result.isFailure(verifyAccountProof(decode(zeros), about(here), block)))
    const withNodes = { ...zeros, accountProof: answer["accountProof"]! }
    const verdict = verifyAccountProof(decode(withNodes), about(here), block)
    assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, "account.nonce")
  })
})
