/**
 * Checks the names in a bundle: the hashed bytes that contain keys of mappings. The expected slots come from viem; the
 * test's chain stores its words at these slots.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Address } from "@plumbline/codec"
import { BundleClient, ProofBundle, ProvenStorage } from "@plumbline/proof-bundle"
import * as Solidity from "@plumbline/seeded/Solidity"
import { ContractStorage, Layout } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { concat, encodePacked, type Hex, hexToBytes, keccak256, numberToHex, stringToHex } from "viem"

import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;
contract Ledger {
  uint256 total;                                          // 0
  struct Position { uint128 amount; uint128 debt; address owner; mapping(uint256 => bool) seen; string note; }
  mapping(address => uint256) balances;                   // 1
  mapping(address => mapping(uint256 => Position)) positions; // 2
  mapping(string => uint256) byName;                      // 3
  struct Room { uint64 size; mapping(address => bool) guests; }
  Room[] rooms;                                           // 4
  uint256[4] fixedOnes;                                   // 5
  string title;                                           // 9
}`
const output = Solidity.compile({
  language: "Solidity",
  sources: { "Ledger.sol": { content: SOURCE } },
  settings: { outputSelection: { "*": { "*": ["storageLayout"], "": ["ast"] } } }
})
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Ledger"))

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const hash = (...parts: ReadonlyArray<Hex>): bigint => BigInt(keccak256(concat(parts)))
const ofKey = (address: Address.Address, slot: bigint) => hash(word(BigInt(address)), word(slot))

const ledger = World.addressOf(5000)
const [ann, bob, cat] = [World.addressOf(1), World.addressOf(2), World.addressOf(3)]
const position = hash(word(7n), word(ofKey(ann, 2n)))
const seen = hash(word(9n), word(position + 2n))
const guest = ofKey(bob, BigInt(keccak256(word(4n))) + 3n)

const storage = new Map<bigint, bigint>([
  [0n, 100n],
  [ofKey(ann, 1n), 60n],
  [ofKey(bob, 1n), 40n],
  [position, (5n << 128n) | 4n],
  [position + 1n, BigInt(ann)],
  [seen, 1n],
  [hash(stringToHex("bob"), word(3n)), 8n],
  [4n, 2n],
  [BigInt(keccak256(word(4n))) + 2n, 12n],
  [guest, 1n],
  [6n, 66n],
  // With this many entries, a proof of one word reveals few others.
  ...Array.from({ length: 300 }, (_, i): [bigint, bigint] => [ofKey(World.addressOf(9000 + i), 1n), BigInt(i + 1)])
])
const node = World.make(
  new Map([...Vault.accounts, [ledger, { nonce: 1n, balance: 0n, code: "0x6001600155", storage }]])
)

const contract = { address: ledger, layout }
const makeOf = (paths: ReadonlyArray<string>, of: ContractStorage.StoredContract = contract) =>
  node.then(({ eth, hash: block }) =>
    Effect.runPromise(Effect.provide(ProofBundle.make({ block, contracts: [{ ...of, paths }] }), eth))
  )

const foundIn = (bundle: ProofBundle.ProofBundle, of: ContractStorage.StoredContract = contract) =>
  Result.getOrThrow(ProvenStorage.find(bundle, of))
const pathsIn = (bundle: ProofBundle.ProofBundle, of?: ContractStorage.StoredContract) =>
  foundIn(bundle, of).locations.map(({ path }) => path)

const valuesIn = (bundle: ProofBundle.ProofBundle, of: ContractStorage.StoredContract = contract) =>
  Effect.runPromise(
    ContractStorage.ContractStorage.use((reader) => reader.readMany(of, pathsIn(bundle, of))).pipe(
      Effect.provide(BundleClient.layer(bundle)),
      Effect.map((verdict) => verdict.value.variables.map(({ value }) => value))
    )
  )

const blockOf = (bytes: Uint8Array) => ({
  cid: CID.createV1(0x55, Digest.create(0x1b, hexToBytes(keccak256(bytes)))),
  bytes
})
const withBlocks = (bundle: ProofBundle.ProofBundle, ...bytes: ReadonlyArray<Uint8Array>) =>
  ProofBundle.fromBlocks(bundle.blockHash, [...bundle.blocks, ...bytes.map(blockOf)] as never)
const isName = (bundle: ProofBundle.ProofBundle, bytes: Uint8Array) =>
  bundle.preimages.some((one) => Buffer.from(one).equals(bytes))
const without = (bundle: ProofBundle.ProofBundle) =>
  Result.getOrThrow(
    ProofBundle.fromBlocks(
      bundle.blockHash,
      bundle.blocks.filter(({ bytes }) => !isName(bundle, bytes))
    )
  )
const reasonOf = (made: Result.Result<ProofBundle.ProofBundle, { readonly _tag: string }>) =>
  Result.isFailure(made) ? ((made.failure as { readonly reason?: string }).reason ?? made.failure._tag) : "nothing"

const entries = [
  `balances[${ann}]`,
  `balances[${cat}]`,
  `positions[${ann}][7].owner`,
  `positions[${ann}][7].seen[9]`,
  'byName["bob"]',
  `rooms[1].guests[${bob}]`
]

describe("a bundle with names", () => {
  it("tells without a path what it proves: variables, parts of them, and entries of mappings, absent ones too", async () => {
    const { value: bundle } = await makeOf(["total", "fixedOnes[1]", "rooms.length", ...entries])
    const { left, locations, missing, unnamed } = foundIn(bundle)
    // nodes that prove one word may also prove another, such as a zero next to it
    assert.includeMembers(
      locations.map(({ path }) => path),
      ["total", "fixedOnes[1]", "rooms.length", ...entries]
    )
    assert.deepStrictEqual(left, [])
    for (const path of missing) assert.include(["title"], path)
    const named = await valuesIn(bundle)
    const value = (path: string) => named[locations.findIndex((one) => one.path === path)]
    assert.strictEqual(value(entries[0]!), 60n)
    assert.strictEqual(value(entries[1]!), 0n)
    assert.strictEqual(value(entries[2]!), ann)
    assert.strictEqual(value(entries[3]!), true)
    assert.strictEqual(value(entries[4]!), 8n)
    assert.strictEqual(value(entries[5]!), true)
    assert.strictEqual(value("fixedOnes[1]"), 66n)
    // leaves on the paths to absent words are proven too, but have no names
    for (const { slotHash, word: found } of unnamed) {
      const slot = [...storage.keys()].find((one) => keccak256(word(one)) === slotHash)
      assert.strictEqual(storage.get(slot!), found)
    }
  })

  it("has each key as a raw block whose hash is the slot, as any tool can look it up", async () => {
    const { value: bundle } = await makeOf(entries)
    const blocks = new Map(bundle.blocks.map(({ bytes, cid }) => [cid.toString(), bytes]))
    const at = (slot: bigint) => blocks.get(CID.createV1(0x55, Digest.create(0x1b, hexToBytes(word(slot)))).toString())
    const expected: ReadonlyArray<readonly [bigint, Hex]> = [
      [ofKey(ann, 1n), concat([word(BigInt(ann)), word(1n)])],
      [ofKey(cat, 1n), concat([word(BigInt(cat)), word(1n)])],
      [ofKey(ann, 2n), concat([word(BigInt(ann)), word(2n)])],
      [position, concat([word(7n), word(ofKey(ann, 2n))])],
      [seen, concat([word(9n), word(position + 2n)])],
      [hash(stringToHex("bob"), word(3n)), encodePacked(["string", "uint256"], ["bob", 3n])],
      [guest, concat([word(BigInt(bob)), word(BigInt(keccak256(word(4n))) + 3n)])],
      // only the second word of the position is proven, so the bundle contains this word's slot number, whose hash is
      // the path to the word
      [BigInt(keccak256(word(position + 1n))), word(position + 1n)]
    ]
    for (const [slot, bytes] of expected) assert.deepStrictEqual(at(slot), hexToBytes(bytes))
    assert.lengthOf(bundle.preimages, expected.length)
    assert.deepStrictEqual(
      bundle.blocks.slice(-expected.length).map(({ bytes }) => bytes),
      bundle.preimages
    )
    const file = ProofBundle.encode(bundle)
    const again = Result.getOrThrow(ProofBundle.open(file, bundle.blockHash))
    assert.isTrue(Buffer.from(ProofBundle.encode(again)).equals(file))
    const { value: reversed } = await makeOf(entries.toReversed())
    assert.isTrue(Buffer.from(ProofBundle.encode(reversed)).equals(file))
  })

  it("proves the same without them, as bundles did before: words without a name", async () => {
    const { value: bundle } = await makeOf(["total", ...entries])
    const bare = without(bundle)
    assert.includeMembers(pathsIn(bare), ["total", "rooms.length"])
    assert.deepStrictEqual(
      pathsIn(bare).filter((path) => /^balances|^positions|^byName|guests/.test(path)),
      []
    )
    const { left, unnamed } = foundIn(bare)
    assert.includeMembers(
      left.map(({ path, reason }) => `${path} ${reason}`),
      ["balances Mapping", "positions Mapping", "byName Mapping"]
    )
    const hashes = unnamed.map(({ slotHash }) => slotHash)
    for (const slot of [ofKey(ann, 1n), position + 1n, seen, guest]) assert.include(hashes, keccak256(word(slot)))
    for (const { slot, slotHash, word: found } of unnamed) {
      assert.isUndefined(slot)
      const at = [...storage.keys()].find((one) => keccak256(word(one)) === slotHash)
      assert.strictEqual(storage.get(at!), found)
    }
    const read = await Effect.runPromise(
      ContractStorage.ContractStorage.use((reader) => reader.readMany(contract, ["total", ...entries])).pipe(
        Effect.provide(BundleClient.layer(bare))
      )
    )
    assert.strictEqual(read._tag, "VERIFIED")
    assert.deepStrictEqual(
      read.value.variables.map(({ value }) => value),
      [100n, 60n, 0n, ann, true, 8n, true]
    )
  })

  it("has the raw slot where a layout does not know the name", async () => {
    const { value: bundle } = await makeOf(entries)
    const other = { ...layout, variables: layout.variables.filter(({ name }) => name === "total") }
    const { locations, unnamed } = foundIn(bundle, { ...contract, layout: other })
    assert.deepStrictEqual(
      locations.filter(({ path }) => path !== "total"),
      []
    )
    const slots = unnamed.flatMap(({ slot, word: found }) => (slot === undefined ? [] : [[slot, found] as const]))
    assert.includeDeepMembers(slots, [
      [ofKey(ann, 1n), 60n],
      [position + 1n, BigInt(ann)],
      [seen, 1n]
    ])
    for (const [slot, found] of slots) assert.strictEqual(storage.get(slot), found)
  })

  it("names no entry of an account that is not there, and of one without storage all are zero", async () => {
    const nobody = await makeOf([`balances[${ann}]`], { address: Vault.nobody, layout })
    assert.deepStrictEqual(nobody.value.preimages, [])
    const plain = await makeOf([`balances[${ann}]`], { address: Vault.plain, layout })
    assert.deepStrictEqual(plain.value.preimages, [])
  })
})

describe("names that lie", () => {
  it("are refuted after any flipped byte", async () => {
    const { value: bundle } = await makeOf(entries)
    const file = ProofBundle.encode(bundle)
    const names = bundle.preimages.reduce((sum, { length }) => sum + length + 38, 0)
    for (let at = file.length - names; at < file.length; at++) {
      const changed = file.slice()
      changed[at] = changed[at]! ^ 1
      assert.isTrue(Result.isFailure(ProofBundle.open(changed, bundle.blockHash)), `byte ${at}`)
    }
  })

  it("are refuted when their hashes are exchanged", async () => {
    const { value: bundle } = await makeOf([`balances[${ann}]`, `balances[${bob}]`])
    const [one, two] = bundle.preimages.map(blockOf)
    const rest = bundle.blocks.filter(({ bytes }) => !isName(bundle, bytes))
    const swapped = [
      { cid: one!.cid, bytes: two!.bytes },
      { cid: two!.cid, bytes: one!.bytes }
    ]
    const made = ProofBundle.fromBlocks(bundle.blockHash, [...rest, ...swapped] as never)
    assert.strictEqual(Result.isFailure(made) && made.failure._tag, "RefutedError")
  })

  it("are refused when they are of another key, another mapping, or another account's, and prove nothing of it", async () => {
    const { value: bundle } = await makeOf([`balances[${ann}]`])
    const other = async (paths: ReadonlyArray<string>) => (await makeOf(paths)).value.preimages
    const refused = [
      ...(await other([`positions[${ann}][7].seen[9]`])),
      ...(await other([`balances[${bob}]`])),
      hexToBytes(concat([word(BigInt(ann)), word(77n)])),
      hexToBytes(stringToHex("bob"))
    ]
    const accepted: Array<Uint8Array> = []
    for (const bytes of refused) {
      const made = withBlocks(bundle, bytes)
      if (Result.isSuccess(made)) accepted.push(bytes)
      else assert.strictEqual(reasonOf(made), "Unreached")
    }
    // a name is also accepted if the same nodes prove that its entry is absent; the entry is then zero, as on the chain
    for (const bytes of accepted) assert.isUndefined(storage.get(BigInt(keccak256(bytes))))
    assert.isBelow(accepted.length, refused.length)
    const account = Result.getOrThrow(ProofBundle.fromBlocks(bundle.blockHash, without(bundle).blocks))
    const nowhere = account.blocks.filter(({ cid }) => cid.code !== 0x98)
    const made = ProofBundle.fromBlocks(bundle.blockHash, [...nowhere, blockOf(bundle.preimages[0]!)] as never)
    assert.strictEqual(reasonOf(made), "Unreached")
  })

  it("lead to nothing but the words at their hashes, under a false layout as well", async () => {
    const { value: bundle } = await makeOf(["total", `balances[${ann}]`, `balances[${bob}]`])
    // a layout that fits the preimages but not the contract: another name, and keys of another type
    const variables = layout.variables.map((one) => (one.name === "balances" ? { ...one, name: "debts" } : one))
    const types = new Map(layout.types)
    const balances = layout.variables.find(({ name }) => name === "balances")!.type
    types.set(balances, { _tag: "Mapping", label: "mapping(uint256 => uint256)", key: "t_uint256", value: "t_uint256" })
    const lie = { address: ledger, layout: { ...layout, variables, types } }
    assert.includeMembers(pathsIn(bundle, lie), [`debts[${BigInt(ann)}]`, `debts[${BigInt(bob)}]`, "total"])
    const values = await valuesIn(bundle, lie)
    for (const [i, { path, slot }] of foundIn(bundle, lie).locations.entries()) {
      if (path.startsWith("debts") || path === "total") assert.strictEqual(values[i], storage.get(slot), path)
      else assert.isUndefined(storage.get(slot), path)
    }
    // bytes that do not encode a key of the layout's type leave the word without a name
    const narrow = new Map(types)
    narrow.set(balances, { _tag: "Mapping", label: "mapping(bool => uint256)", key: "t_bool", value: "t_uint256" })
    const other = { address: ledger, layout: { ...layout, variables, types: narrow } }
    assert.deepStrictEqual(
      pathsIn(bundle, other).filter((path) => path.startsWith("debts")),
      []
    )
    assert.includeMembers(
      foundIn(bundle, other).unnamed.map(({ slot }) => slot),
      [ofKey(ann, 1n), ofKey(bob, 1n)]
    )
  })

  it("are refused where no storage of the bundle could hold them, however many they are", async () => {
    const { eth, hash: block } = await node
    const accounts = [...Vault.accounts.keys(), ledger].map((address) => ({ address }))
    const { value: bundle } = await Effect.runPromise(Effect.provide(ProofBundle.make({ block, accounts }), eth))
    const names = Array.from({ length: 3000 }, (_, i) => hexToBytes(concat([word(BigInt(i)), word(1n)])))
    assert.strictEqual(reasonOf(withBlocks(bundle, ...names)), "Unreached")
  })
})
