import { assert, describe, it } from "@effect/vitest"
import { createMPTFromProof } from "@ethereumjs/mpt"
import { CarReader, CarWriter } from "@ipld/car"
import { type LaterForks, StorageKey, TrustedBlock } from "@plumbline/eth-methods"
import { BundleClient, ProofBundle } from "@plumbline/proof-bundle"
import * as Random from "@plumbline/seeded/Random"
import { ContractStorage } from "@plumbline/storage-layout"
import { Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { bytesToHex, fromRlp, type Hex, hexToBytes, keccak256, numberToHex, toRlp } from "viem"

import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const world = World.make(Vault.accounts)

const wanted: ProofBundle.WantedContents = {
  contracts: [{ address: Vault.vault, layout: Vault.layout, paths: Vault.paths, code: true }],
  accounts: [{ address: Vault.nobody }, { address: Vault.plain, slots: [] }],
  transactions: true,
  receipts: true,
  uncles: true
}

const made = world.then(({ eth, hash }) =>
  Effect.runPromise(Effect.provide(ProofBundle.make({ block: hash, ...wanted }), eth))
)

const start = Effect.promise(async () => {
  const { value: bundle } = await made
  return { bundle, file: ProofBundle.encode(bundle), node: await world }
})

const readAll = (bundle: ProofBundle.ProofBundle) =>
  ContractStorage.ContractStorage.use((storage) =>
    storage.readMany({ address: Vault.vault, layout: Vault.layout }, Vault.paths)
  ).pipe(Effect.provide(BundleClient.layer(bundle)))

describe("ProofBundle", () => {
  it.effect("is of the block that it was asked for, and says so by the block's own hash as its root", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const verdict = yield* Effect.promise(() => made)
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash: node.hash })
      assert.strictEqual(bundle.blockHash, node.hash)
      const cid = CID.createV1(0x90, Digest.create(0x1b, hexToBytes(node.hash)))
      assert.isTrue(cid.equals(bundle.root))
    })
  )

  it.effect("reads by name offline what the node was asked for, VERIFIED", () =>
    Effect.gen(function* () {
      const { file, node } = yield* start
      const bundle = Result.getOrThrow(ProofBundle.open(file, node.hash))
      const verdict = yield* readAll(bundle)
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.value.variables.map(({ value }) => value),
        Vault.values
      )
      assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash: node.hash })
      assert.deepStrictEqual(verdict.claimed, [])
    })
  )

  it.effect("is a CAR of version 1 as @ipld/car reads and writes it, byte for byte", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const rewritten = yield* Effect.promise(async () => {
        const reader = await CarReader.fromBytes(file)
        assert.strictEqual(reader.version, 1)
        const roots = await reader.getRoots()
        assert.lengthOf(roots, 1)
        const { out, writer } = CarWriter.create(roots)
        const parts: Array<Uint8Array> = []
        const drained = (async () => {
          for await (const part of out) parts.push(part)
        })()
        let blocks = 0
        for await (const block of reader.blocks()) {
          assert.strictEqual(keccak256(block.bytes), bytesToHex(block.cid.multihash.digest))
          assert.strictEqual(block.cid.multihash.code, 0x1b)
          await writer.put(block)
          blocks++
        }
        await writer.close()
        await drained
        assert.strictEqual(blocks, bundle.blocks.length)
        return Buffer.concat(parts)
      })
      assert.isTrue(rewritten.equals(file))
    })
  )

  it.effect(
    "holds tries that ethereumjs reads: the account from the state root, and its words from the storage root",
    () =>
      Effect.gen(function* () {
        const { bundle } = yield* start
        const nodes = (codec: number) =>
          bundle.blocks.filter(({ cid }) => cid.code === codec).map(({ bytes }) => new Uint8Array(bytes))
        yield* Effect.promise(async () => {
          const state = await createMPTFromProof(nodes(0x96), { useKeyHashing: true })
          assert.strictEqual(bytesToHex(state.root()), bundle.header.stateRoot)
          const leaf = fromRlp((await state.get(hexToBytes(Vault.vault)))!, "hex")
          const storage = await createMPTFromProof(nodes(0x98), { useKeyHashing: true })
          assert.deepStrictEqual(leaf, ["0x01", "0x05", bytesToHex(storage.root()), keccak256(Vault.code)])
          for (const [slot, word] of Vault.storage) {
            const value = await storage.get(hexToBytes(numberToHex(slot, { size: 32 })))
            assert.strictEqual(BigInt(fromRlp(value!, "hex") as Hex), word)
          }
          assert.isNull(await state.get(hexToBytes(Vault.nobody)))
        })
      })
  )

  it.effect("has the same bytes whatever order things were asked in, and holds no block twice", () =>
    Effect.gen(function* () {
      const { bundle, file, node } = yield* start
      const random = Random.make(11)
      const shuffled = <A>(items: ReadonlyArray<A>) =>
        items
          .map((item) => ({ item, at: random() }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ item }) => item)
      for (let run = 0; run < Random.runs(5); run++) {
        const [one, two] = [shuffled(Vault.paths), shuffled(Vault.paths)].map((paths, i) => ({
          address: Vault.vault,
          layout: Vault.layout,
          paths: i === 0 ? paths.slice(0, 20) : paths.slice(Random.int(random, 3)).concat(paths),
          code: i === 0
        }))
        const again = yield* ProofBundle.make({
          ...wanted,
          block: node.hash,
          contracts: shuffled([one!, two!]),
          accounts: shuffled([...wanted.accounts!, { address: Vault.vault }])
        }).pipe(Effect.provide(node.eth))
        assert.isTrue(Buffer.from(ProofBundle.encode(again.value)).equals(file))
        const blocks = Result.getOrThrow(ProofBundle.fromBlocks(node.hash, shuffled(bundle.blocks)))
        assert.isTrue(Buffer.from(ProofBundle.encode(blocks)).equals(file))
      }
      assert.strictEqual(new Set(bundle.blocks.map(({ cid }) => cid.toString())).size, bundle.blocks.length)
      const opened = Result.getOrThrow(ProofBundle.open(file, node.hash))
      assert.isTrue(Buffer.from(ProofBundle.encode(opened)).equals(file))
    })
  )

  it.effect("opens blocks in any order", () =>
    Effect.gen(function* () {
      const { bundle, file, node } = yield* start
      const reversed = ProofBundle.encode({ ...bundle, blocks: bundle.blocks.toReversed() })
      assert.isFalse(Buffer.from(reversed).equals(file))
      const opened = Result.getOrThrow(ProofBundle.open(reversed, node.hash))
      assert.isTrue(Buffer.from(ProofBundle.encode(opened)).equals(file))
    })
  )

  it.effect("is smaller than the JSON of the same proofs: 30 slots", () =>
    Effect.gen(function* () {
      const node = yield* Effect.promise(() => World.make(Vault.accounts))
      const paths = Vault.holders.map((holder) => `balances[${holder}]`)
      const contracts = [{ address: Vault.vault, layout: Vault.layout, paths }]
      const { value } = yield* ProofBundle.make({ block: node.hash, contracts }).pipe(Effect.provide(node.eth))
      const last = node.calls.findLast(({ method }) => method === "eth_getProof")!
      const slots = (last.params[1] as ReadonlyArray<string>).map(BigInt)
      assert.lengthOf(slots, 30)
      const json = JSON.stringify(yield* Effect.promise(() => node.proof(Vault.vault, slots)))
      const file = ProofBundle.encode(value)
      console.log(`30 slots: ${file.length} bytes as a bundle, ${json.length} as the JSON of eth_getProof`)
      // The bundle is smaller because words are only in their leaves, shared nodes occur once, and bytes are not hex.
      const names = value.preimages.length * (64 + 39)
      assert.lengthOf(value.preimages, 30)
      assert.isBelow((file.length - names) * 6, json.length)
      // The bundle also has the names of thirty entries, which the JSON does not have.
      assert.isBelow(file.length * 4, json.length)
    })
  )

  it.effect("is refused after any flipped byte, wherever it is", () =>
    Effect.gen(function* () {
      const { file, node } = yield* start
      const changed = file.slice()
      for (let at = 0; at < file.length; at++) {
        for (const mask of [1 << (at % 8), 0xff]) {
          changed[at] = file[at]! ^ mask
          const opened = ProofBundle.open(changed, node.hash)
          if (Result.isSuccess(opened)) assert.fail(`byte ${at} of ${file.length} makes no difference`)
        }
        changed[at] = file[at]!
      }
      assert.isTrue(Result.isSuccess(ProofBundle.open(changed, node.hash)))
    })
  )

  it.effect("keeps what it was opened with, whatever becomes of the bytes", () =>
    Effect.gen(function* () {
      const { file, node } = yield* start
      const own = file.slice()
      const bundle = Result.getOrThrow(ProofBundle.open(own, node.hash))
      own.fill(0)
      assert.strictEqual((yield* readAll(bundle))._tag, "VERIFIED")
    })
  )

  it.effect("names the block by number or tag as surely as trust does", () =>
    Effect.gen(function* () {
      const { file, node } = yield* start
      for (const block of ["latest", node.number, { blockNumber: node.number }] as const) {
        const verdict = yield* ProofBundle.make({ ...wanted, block }).pipe(Effect.provide(node.eth))
        assert.strictEqual(verdict._tag, "CLAIMED")
        assert.isTrue(Buffer.from(ProofBundle.encode(verdict.value)).equals(file))
      }
      const byObject = yield* ProofBundle.make({ ...wanted, block: { blockHash: node.hash } }).pipe(
        Effect.provide(node.eth)
      )
      assert.strictEqual(byObject._tag, "VERIFIED")
    })
  )

  it.effect("is the same from nodes that send the root of an empty storage, and from those that send nothing", () =>
    Effect.gen(function* () {
      const slots = [0n, 1n].map((slot) => StorageKey.fromSlot(slot))
      const accounts = [{ address: Vault.plain, slots }]
      const [silent, talking] = yield* Effect.promise(() =>
        Promise.all([
          World.make(Vault.accounts),
          World.make(Vault.accounts, (method, answer) =>
            method === "eth_getProof"
              ? { ...answer, storageProof: answer.storageProof.map((slot: any) => ({ ...slot, proof: ["0x80"] })) }
              : answer
          )
        ])
      )
      const files = yield* Effect.forEach([silent, talking], ({ eth, hash }) =>
        Effect.map(Effect.provide(ProofBundle.make({ block: hash, accounts }), eth), ({ value }) =>
          Buffer.from(ProofBundle.encode(value))
        )
      )
      assert.isTrue(files[0]!.equals(files[1]!))
    })
  )

  it.effect("takes nothing from a node that is not proven", () =>
    Effect.gen(function* () {
      const lies: ReadonlyArray<readonly [tag: string, lie: World.Lie]> = [
        ["RefutedError", (method, answer) => (method === "eth_getCode" ? "0x6002600255" : answer)],
        ["RefutedError", (method, answer) => (method === "eth_getProof" ? { ...answer, balance: "0x6" } : answer)],
        [
          "RefutedError",
          (method, answer) =>
            method === "eth_getProof" ? { ...answer, accountProof: answer.accountProof.slice(0, -1) } : answer
        ],
        ["RefutedError", (method, answer) => (/Block/.test(method) ? { ...answer, gasUsed: "0x1" } : answer)],
        ["JsonRpcError", (method, answer) => (method === "eth_getProof" ? undefined : answer)],
        ["NoBlockError", (method, answer) => (/Block/.test(method) ? null : answer)],
        ["UnprovenError", (method, answer) => (method === "eth_getBlockReceipts" ? null : answer)]
      ]
      for (const [tag, lie] of lies) {
        const node = yield* Effect.promise(() => World.make(Vault.accounts, lie))
        const error = yield* Effect.flip(
          ProofBundle.make({ ...wanted, block: node.hash }).pipe(Effect.provide(node.eth))
        )
        assert.strictEqual(error._tag, tag, error.message)
      }
    })
  )

  it.effect("names the accounts that it proves, and not those that it proves absent", () =>
    Effect.gen(function* () {
      const { bundle, file, node } = yield* start
      const byHash = (a: Hex, b: Hex) => (keccak256(a) < keccak256(b) ? -1 : 1)
      assert.deepStrictEqual(bundle.accounts, [Vault.vault, Vault.plain].toSorted(byHash))
      assert.deepStrictEqual(Result.getOrThrow(ProofBundle.open(file, node.hash)).accounts, bundle.accounts)
    })
  )

  it.effect("counts what it holds", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const parts = ProofBundle.parts(bundle)
      assert.deepStrictEqual(
        parts.map(({ codec }) => codec),
        ["eth-block", "eth-state-trie", "eth-storage-trie", "raw"]
      )
      assert.strictEqual(
        parts.reduce((sum, { blocks }) => sum + blocks, 0),
        bundle.blocks.length
      )
      assert.isBelow(
        parts.reduce((sum, { bytes }) => sum + bytes, 0),
        file.length
      )
    })
  )

  it.effect("works under any trust that the client of its maker has", () =>
    Effect.gen(function* () {
      const { node } = yield* start
      const pinned = yield* ProofBundle.make({ block: "latest", accounts: [{ address: Vault.plain }] }).pipe(
        Effect.provide(node.ethWith(TrustedBlock.layerPinned(node.hash)))
      )
      assert.strictEqual(pinned._tag, "VERIFIED")
      assert.deepStrictEqual(Verdict.sentences(pinned).proven, [
        `${pinned.value.blocks.length} blocks of the data of block ${node.hash}, by their hashes`
      ])
      assert.deepStrictEqual(
        pinned.claimed.map(({ field }) => field),
        ["block"]
      )
    })
  )

  it.effect("is not made of a header with fields of a later fork, and no node is blamed", () =>
    Effect.gen(function* () {
      const inventedRoot: Hex = `0x${"a1".repeat(32)}`
      const item = (value: string): Hex => {
        if (value.length > 18) return value as Hex
        const digits = BigInt(value).toString(16)
        return digits === "0" ? "0x" : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
      }
      const later = (block: any) => {
        const fields = Object.entries<string>(block).slice(0, 16)
        const items = fields.map(([name, value]) => (name === "nonce" || value === "0x" ? (value as Hex) : item(value)))
        return { ...block, inventedRoot, hash: keccak256(toRlp([...items, inventedRoot])) }
      }
      const node = yield* Effect.promise(() =>
        World.make(Vault.accounts, (method, answer) => (method === "eth_getBlockByNumber" ? later(answer) : answer))
      )
      const forks: LaterForks.LaterForks = {
        after: "baseFeePerGas",
        forks: [{ name: "invented", headerFields: [{ name: "inventedRoot", kind: "hash" }] }]
      }
      for (const [options, said] of [
        [{}, "(inventedRoot)"],
        [{ forks }, "a bundle holds only headers of the forks that are known here"]
      ] as const) {
        const error = yield* ProofBundle.make({ block: "latest", accounts: [] }).pipe(
          Effect.provide(node.ethWith(TrustedBlock.layerNone(), options)),
          Effect.flip
        )
        assert(error._tag === "UnprovenError", error._tag)
        assert.include(error.claims[0]!.reason.sentence, said)
      }
    })
  )
})
