/** Opens files that are made to mislead a reader. */
import { assert, describe, it } from "@effect/vitest"
import { type Address, Hash32 } from "@plumbline/codec"
import { BlockRlp, StorageKey } from "@plumbline/eth-methods"
import { BundleClient, type BundleError, ProofBundle } from "@plumbline/proof-bundle"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { bytesToHex, fromRlp, type Hex, hexToBytes, keccak256, toRlp } from "viem"

import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const made = World.make(Vault.accounts).then(async ({ eth, hash }) => {
  const contracts = [{ address: Vault.vault, layout: Vault.layout, paths: ["owner", "name"], code: true }]
  const { value } = await Effect.runPromise(Effect.provide(ProofBundle.make({ block: hash, contracts }), eth))
  return { bundle: value, file: ProofBundle.encode(value), hash }
})
const start = Effect.promise(() => made)

const HEADER_SIZE = 60

/** Returns the reason why a file is refused, or the check that failed. */
const refusal = (file: Uint8Array, trusted: Hash32.Hash32, limits?: ProofBundle.BundleLimits): string => {
  const opened = ProofBundle.open(file, trusted, limits)
  if (Result.isSuccess(opened)) return "nothing"
  return opened.failure._tag === "RefutedError" ? opened.failure.check : opened.failure.reason
}

const varint = (value: number): Array<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))]

const cidOf = (codec: number, bytes: Uint8Array, hash = 0x1b): CID =>
  CID.createV1(codec, Digest.create(hash, hexToBytes(keccak256(bytes))))

const section = (cid: Uint8Array, bytes: Uint8Array): Uint8Array =>
  Uint8Array.of(...varint(cid.length + bytes.length), ...cid, ...bytes)

const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

describe("a hostile file", () => {
  it.effect("that is of another block is refuted", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const opened = ProofBundle.open(file, Hash32.ZERO)
      assert.deepInclude(Result.isFailure(opened) && opened.failure, {
        _tag: "RefutedError",
        check: "root CID",
        got: bundle.root.toString()
      })
      assert.deepStrictEqual(ProofBundle.claimedBlock(file), Result.succeed(bundle.blockHash))
    })
  )

  it.effect("is of the block whose hash is trusted in capitals, too, and says it in lower case", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const opened = ProofBundle.open(file, Hash32.fromHexUnsafe(`0x${hash.slice(2).toUpperCase()}`))
      assert.strictEqual(Result.getOrThrow(opened).blockHash, hash)
    })
  )

  it.effect("that ends early is cut, wherever it ends, and short of its blocks it is nothing", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const seen = new Set<string>()
      let wholeBlocks = 0
      for (let size = 0; size < file.length; size++) {
        const reason = refusal(file.subarray(0, size), hash)
        seen.add(reason)
        // a file that is cut between two blocks is a valid bundle: its blocks are proven, and the others are missing
        if (reason === "nothing") wholeBlocks++
      }
      assert.deepStrictEqual([...seen], ["BadHeader", "NoRoot", "Cut", "nothing"])
      assert.strictEqual(wholeBlocks, (yield* start).bundle.blocks.length - 1)
    })
  )

  it.effect("with a block that hashes to something else is refuted, by its codec", () =>
    Effect.gen(function* () {
      const { bundle, file, hash } = yield* start
      const last = bundle.blocks.at(-1)!
      const changed = file.slice()
      changed[file.length - 1]! ^= 1
      assert.strictEqual(last.cid.code, 0x55)
      assert.strictEqual(refusal(changed, hash), "block raw")
      const opened = ProofBundle.open(changed, hash)
      assert.deepInclude(Result.isFailure(opened) && opened.failure, {
        expected: bytesToHex(last.cid.multihash.digest),
        got: keccak256(changed.subarray(file.length - last.bytes.length))
      })
    })
  )

  it.effect("with blocks that nothing links to, or one twice, is refused", () =>
    Effect.gen(function* () {
      const { bundle, file, hash } = yield* start
      const stranger = new TextEncoder().encode("anything at all, true to its hash")
      assert.strictEqual(refusal(join(file, section(cidOf(0x55, stranger).bytes, stranger)), hash), "Unreached")
      // a trie node of the bundle, with another codec in its CID than in the links to it
      const node = bundle.blocks.find(({ cid }) => cid.code === 0x96)!
      assert.strictEqual(refusal(join(file, section(cidOf(0x98, node.bytes).bytes, node.bytes)), hash), "Unreached")
      assert.strictEqual(refusal(join(file, section(node.cid.bytes, node.bytes)), hash), "Duplicate")
      // the address of an account that the bundle lacks
      const address = hexToBytes(World.addressOf(3))
      assert.strictEqual(refusal(join(file, section(cidOf(0x55, address).bytes, address)), hash), "Unreached")
      // a block in the middle is left out, so nothing links to the blocks below it
      const root = bundle.blocks.findIndex(({ cid }) => cid.code === 0x98)
      const headless = { ...bundle, blocks: bundle.blocks.filter((_, i) => i !== root) }
      assert.strictEqual(refusal(ProofBundle.encode(headless), hash), "Unreached")
    })
  )

  it.effect("with another block of the chain is refused: a parent is linked to, and has a bundle of its own", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const [parent] = bundle.blocks
      const fields = fromRlp(bytesToHex(parent!.bytes)) as ReadonlyArray<Hex>
      const child = hexToBytes(toRlp([keccak256(parent!.bytes), ...fields.slice(1)]))
      const head = file.slice(0, HEADER_SIZE)
      const cid = cidOf(0x90, child)
      head.set(cid.multihash.digest, 19)
      const trusted = Hash32.fromBytesUnsafe(cid.multihash.digest)
      const alone = join(head, section(cid.bytes, child))
      assert.strictEqual(refusal(alone, trusted), "nothing")
      assert.strictEqual(refusal(join(alone, section(parent!.cid.bytes, parent!.bytes)), trusted), "Unreached")
    })
  )

  it.effect("with the preimage of a way through the state that is not an address is refused", () =>
    Effect.gen(function* () {
      const odd = "0x0102030405" as Address.Address
      const node = yield* Effect.promise(() =>
        World.make(new Map([[odd, { nonce: 0n, balance: 1n, code: "0x" as const, storage: new Map() }]]))
      )
      const { bundle, file } = yield* start
      const { accountProof } = yield* Effect.promise(() => node.proof(odd, []))
      const header = { ...bundle.header, stateRoot: Hash32.fromBytesUnsafe(node.state.root()) }
      const encoded = Result.getOrThrow(BlockRlp.encodeHeader(header))
      const cid = cidOf(0x90, encoded)
      const head = file.slice(0, HEADER_SIZE)
      head.set(cid.multihash.digest, 19)
      const trusted = Hash32.fromBytesUnsafe(cid.multihash.digest)
      const nodes = accountProof.map((one: Hex) => hexToBytes(one))
      const sections = nodes.map((one: Uint8Array) => section(cidOf(0x96, one).bytes, one))
      const honest = join(head, section(cid.bytes, encoded), ...sections)
      assert.strictEqual(refusal(honest, trusted), "nothing")
      const preimage = hexToBytes(odd)
      assert.strictEqual(refusal(join(honest, section(cidOf(0x55, preimage).bytes, preimage)), trusted), "Unreached")
    })
  )

  it.effect("with a block for what is not there is refused: no code, no storage, no transactions", () =>
    Effect.gen(function* () {
      const node = yield* Effect.promise(() => World.make(Vault.accounts))
      const making = ProofBundle.make({ block: node.hash, accounts: [{ address: Vault.plain, code: true }] })
      const file = ProofBundle.encode((yield* Effect.provide(making, node.eth)).value)
      const nothing = [
        [0x98, "0x80"],
        [0x92, "0x80"],
        [0x94, "0x80"],
        [0x91, "0xc0"]
      ] as const
      assert.strictEqual(refusal(file, node.hash), "nothing")
      for (const [codec, hex] of nothing) {
        const bytes = hexToBytes(hex)
        assert.strictEqual(refusal(join(file, section(cidOf(codec, bytes).bytes, bytes)), node.hash), "Unreached")
      }
      const none = { cid: cidOf(0x55, new Uint8Array(0)), bytes: new Uint8Array(0) }
      const blocks = [...Result.getOrThrow(ProofBundle.open(file, node.hash)).blocks, none]
      const opened = ProofBundle.fromBlocks(node.hash, blocks)
      assert.deepInclude(Result.isFailure(opened) && opened.failure, { reason: "Unreached" })
    })
  )

  it.effect("whose code is an account's address still names the account", () =>
    Effect.gen(function* () {
      const address = World.addressOf(5)
      const account = { nonce: 1n, balance: 1n, code: address as Hex, storage: new Map() }
      const node = yield* Effect.promise(() => World.make(new Map([[address, account]])))
      const accounts = [{ address, code: true }]
      const { value } = yield* Effect.provide(ProofBundle.make({ block: node.hash, accounts }), node.eth)
      assert.deepStrictEqual(value.accounts, [address])
      const opened = Result.getOrThrow(ProofBundle.open(ProofBundle.encode(value), node.hash))
      assert.deepStrictEqual(opened, { ...value, nodes: opened.nodes })
    })
  )

  it.effect("of contracts with the same code and the same storage has each block once", () =>
    Effect.gen(function* () {
      const twins = [World.addressOf(1), World.addressOf(2)]
      const storage = new Map(Array.from({ length: 40 }, (_, i): [bigint, bigint] => [BigInt(i), BigInt(i + 1)]))
      const account = { nonce: 1n, balance: 1n, code: Vault.code, storage }
      const node = yield* Effect.promise(() => World.make(new Map(twins.map((address) => [address, account]))))
      const slots = [StorageKey.fromSlot(3n), StorageKey.fromSlot(4n)]
      const accounts = twins.map((address) => ({ address, slots, code: true }))
      const { value } = yield* Effect.provide(ProofBundle.make({ block: node.hash, accounts }), node.eth)
      const names = value.blocks.map(({ cid }) => cid.toString())
      assert.strictEqual(new Set(names).size, names.length)
      const opened = Result.getOrThrow(ProofBundle.open(ProofBundle.encode(value), node.hash))
      assert.deepStrictEqual(
        opened.blocks.map(({ cid }) => cid.toString()),
        names
      )
    })
  )

  it.effect("whose blocks' hashes begin alike is read like any other", () =>
    Effect.gen(function* () {
      const { bundle, file, hash } = yield* start
      // the same node occurs with two codecs, so two blocks have the same hash
      const node = bundle.blocks.find(({ cid }) => cid.code === 0x98)!
      const twice = join(file, section(cidOf(0x96, node.bytes).bytes, node.bytes))
      assert.strictEqual(refusal(twice, hash), "Unreached")
      const first = join(file.subarray(0, HEADER_SIZE), section(cidOf(0x96, node.bytes).bytes, node.bytes))
      assert.strictEqual(refusal(join(first, file.subarray(HEADER_SIZE)), hash), "Unreached")
    })
  )

  it.effect("with other CIDs than those of a bundle is refused", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const bytes = new Uint8Array(40).fill(7)
      const cids: ReadonlyArray<Uint8Array> = [
        cidOf(0x71, bytes).bytes,
        cidOf(0x93, bytes).bytes,
        cidOf(0x97, bytes).bytes,
        cidOf(0x0129, bytes).bytes,
        cidOf(0x55, bytes, 0x12).bytes,
        CID.createV0(Digest.create(0x12, new Uint8Array(32))).bytes,
        CID.createV1(0x55, Digest.create(0, bytes)).bytes,
        CID.createV1(0x55, Digest.create(0x1b, new Uint8Array(20))).bytes,
        Uint8Array.of(1, 0xd5, 0, 0x1b, 32),
        Uint8Array.of(1, 0x96),
        Uint8Array.of(1)
      ]
      for (const cid of cids) assert.strictEqual(refusal(join(file, section(cid, bytes)), hash), "BadCid")
    })
  )

  it.effect("with lengths that lie is refused before anything is taken for a block", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const head = file.subarray(0, HEADER_SIZE)
      const tails: ReadonlyArray<readonly [reason: BundleError["reason"], bytes: ReadonlyArray<number>]> = [
        ["Cut", [0x80]],
        ["Cut", [0xff, 0xff, 0xff]],
        ["TooLarge", [0xff, 0xff, 0xff, 0xff]],
        ["TooLarge", Array.from({ length: 10_000 }, () => 0x80)],
        ["TooLarge", [0xff, 0xff, 0xff, 0x7f]],
        ["TooLarge", varint(2 * 1024 * 1024 + 38)],
        ["Cut", varint(2 * 1024 * 1024 + 37)],
        ["BadSection", [0x80, 0]],
        ["BadSection", [0xa6, 0x80, 0]],
        ["BadCid", [0]],
        ["Cut", [1]],
        ["BadSection", section(cidOf(0x55, new Uint8Array(0)).bytes, new Uint8Array(0)) as never]
      ]
      for (const [reason, bytes] of tails) {
        assert.strictEqual(refusal(join(head, Uint8Array.from(bytes)), hash), reason, String(bytes.slice(0, 8)))
      }
    })
  )

  it.effect("that is too long, or has too many blocks, is not read", () =>
    Effect.gen(function* () {
      const { bundle, file, hash } = yield* start
      const { length } = bundle.blocks
      assert.strictEqual(refusal(file, hash, { maxBytes: file.length - 1 }), "TooLarge")
      assert.strictEqual(refusal(file, hash, { maxBytes: file.length }), "nothing")
      assert.strictEqual(refusal(file, hash, { maxBlocks: length - 1 }), "TooLarge")
      assert.strictEqual(refusal(file, hash, { maxBlocks: length }), "nothing")
      // 40,000 blocks of one byte each: they are counted before any block is hashed
      const code = Uint8Array.of(0)
      const one = section(cidOf(0x55, code).bytes, code)
      const swarm = Buffer.concat([file.subarray(0, HEADER_SIZE), ...Array.from({ length: 40_000 }, () => one)])
      assert.strictEqual(refusal(swarm, hash), "TooLarge")
    })
  )

  it.effect("that is a CAR of another kind is refused: two roots, none, version 2, another codec", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const body = file.subarray(HEADER_SIZE)
      const ascii = (text: string) => new TextEncoder().encode(text)
      const link = file.subarray(9, 51)
      const headers: ReadonlyArray<Uint8Array> = [
        join(
          Uint8Array.of(0xa2, 0x65),
          ascii("roots"),
          Uint8Array.of(0x82),
          link,
          link,
          Uint8Array.of(0x67),
          ascii("version"),
          Uint8Array.of(1)
        ),
        join(Uint8Array.of(0xa2, 0x65), ascii("roots"), Uint8Array.of(0x80, 0x67), ascii("version"), Uint8Array.of(1)),
        join(Uint8Array.of(0xa1, 0x67), ascii("version"), Uint8Array.of(2)),
        join(
          Uint8Array.of(0xa2, 0x67),
          ascii("version"),
          Uint8Array.of(1, 0x65),
          ascii("roots"),
          Uint8Array.of(0x81),
          link
        )
      ]
      for (const header of headers) {
        assert.strictEqual(refusal(join(Uint8Array.from(varint(header.length)), header, body), hash), "BadHeader")
      }
      const state = file.slice()
      state[15] = 0x96
      assert.strictEqual(refusal(state, hash), "BadHeader")
    })
  )

  it.effect("whose trusted block is not a header is refused, true as its hash may be", () =>
    Effect.gen(function* () {
      const { file } = yield* start
      for (const bytes of [hexToBytes("0xc0"), hexToBytes(toRlp(["0x01", "0x02"])), new Uint8Array(600)]) {
        const cid = cidOf(0x90, bytes)
        const start = file.slice(0, HEADER_SIZE)
        start.set(cid.multihash.digest, 19)
        const trusted = Hash32.fromBytesUnsafe(cid.multihash.digest)
        assert.strictEqual(refusal(join(start, section(cid.bytes, bytes)), trusted), "Malformed")
      }
    })
  )

  it.effect("whose few nodes hold millions of transactions is not read to their end", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const sections: Array<Uint8Array> = []
      const add = (codec: number, bytes: Uint8Array): Hex => {
        const cid = cidOf(codec, bytes)
        sections.push(section(cid.bytes, bytes))
        return keccak256(bytes)
      }
      const node = (items: ReadonlyArray<Hex>): Hex => add(0x92, hexToBytes(toRlp([...items])))
      const branch = (children: ReadonlyArray<Hex>): Hex =>
        node(Array.from({ length: 17 }, (_, at) => children[at] ?? "0x"))
      // a trie of equal leaves below every path of six digits has seven different nodes
      const below: Array<Hex> = [node(["0x20", `0x${"ab".repeat(40)}`])]
      for (let depth = 1; depth <= 6; depth++) below.push(branch(Array.from({ length: 16 }, () => below[depth - 1]!)))
      // the keys 0x80, 0x81.., 0x82.... and 0x83......, after those of one byte
      const longer = branch([below[0]!, below[2]!, below[4]!, below[6]!])
      const transactionsRoot = branch([...Array.from({ length: 8 }, () => below[1]!), longer]) as Hash32.Hash32
      const encoded = Result.getOrThrow(BlockRlp.encodeHeader({ ...bundle.header, transactionsRoot }))
      const cid = cidOf(0x90, encoded)
      const head = file.slice(0, HEADER_SIZE)
      head.set(cid.multihash.digest, 19)
      const trusted = Hash32.fromBytesUnsafe(cid.multihash.digest)
      const opened = Result.getOrThrow(ProofBundle.open(join(head, section(cid.bytes, encoded), ...sections), trusted))
      const refused = yield* Effect.flip(BundleClient.make(opened).getBlockByHash(trusted))
      assert.include(refused.message, "it has no list of at most 65536 of them")
    })
  )

  it.effect("of any bytes at all makes nothing throw", () =>
    Effect.gen(function* () {
      const { file, hash } = yield* start
      const random = Random.make(23)
      for (let run = 0; run < Random.runs(2000); run++) {
        const changed = file.slice(0, Random.int(random, 4) === 0 ? Random.int(random, file.length) : file.length)
        for (let i = Random.int(random, 4); i >= 0; i--) {
          const at = Random.int(random, changed.length)
          const kind = Random.int(random, 3)
          if (kind === 0) changed[at] = Random.int(random, 256)
          else if (kind === 1) changed.copyWithin(at, Random.int(random, changed.length))
          else changed.fill(Random.pick(random, [0, 0x80, 0xff]), at, at + Random.int(random, 50))
        }
        const opened = ProofBundle.open(changed, hash)
        // if a changed file is accepted, all its blocks must be blocks of the true file
        if (Result.isSuccess(opened)) {
          const cids = new Set((yield* start).bundle.blocks.map(({ cid }) => cid.toString()))
          assert.isTrue(opened.success.blocks.every(({ cid }) => cids.has(cid.toString())))
        } else assert.isBelow(opened.failure.message.length, 400)
      }
    })
  )
})
