/** The access list of a bundle's block (EIP-7928). viem encodes and hashes it. */
import { assert, describe, it } from "@effect/vitest"
import { EthEvidence, EthReason } from "@plumbline/eth-methods"
import { type Block, Cid } from "@plumbline/ipfs-client"
import { BundleClient, BundleIpfs, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Result } from "effect"
import { type Hex, hexToBytes, keccak256, pad, toRlp } from "viem"

import * as Ipfs from "../support/ipfs.ts"
import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const address = (byte: string): Hex => `0x${byte.repeat(20)}`
const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }

/** The list as a node shows it, and the same list as it is hashed. */
const shown = [
  {
    ...none,
    address: address("11"),
    storageChanges: [{ key: pad("0x5"), changes: [{ index: "0x1", value: pad("0x8") }] }],
    storageReads: [pad("0x2")]
  },
  {
    ...none,
    address: address("22"),
    nonceChanges: [{ index: "0x1", value: "0x1" }],
    codeChanges: [{ index: "0x1", code: "0x6001" }]
  }
]
const raw = toRlp([
  [address("11"), [["0x05", [["0x01", "0x08"]]]], ["0x02"], [], [], []],
  [address("22"), [], [], [], [["0x01", "0x01"]], [["0x01", "0x6001"]]]
])

const EMPTY: Hex = "0xc0"

/** A world whose block has this list, and whose node shows `said` when it is asked. */
const worldOf = (said: unknown, list: Hex | undefined = raw) =>
  Effect.promise(() =>
    World.make(
      Vault.accounts,
      (method, answer) => (method === "eth_getBlockAccessList" ? said : answer),
      undefined,
      undefined,
      undefined,
      list === undefined ? undefined : keccak256(list)
    )
  )

const makeIn = ({ eth, hash }: World.World, more: ProofBundle.WantedContents = {}) =>
  Effect.provide(ProofBundle.make({ block: hash, accessList: true, ...more }), eth)

const reopened = (bundle: ProofBundle.ProofBundle) =>
  Result.getOrThrow(ProofBundle.open(ProofBundle.encode(bundle), bundle.blockHash))

describe("the access list of a bundle", () => {
  it.effect("is one raw block under the header's hash, and is read offline, proven", () =>
    Effect.gen(function* () {
      const world = yield* worldOf(shown)
      const { value: made } = yield* makeIn(world)
      assert.deepStrictEqual(
        made.blocks.map(({ cid }) => cid.code),
        [0x90, 0x55]
      )
      assert.deepStrictEqual(made.blocks[1]!.bytes, hexToBytes(raw))
      const bundle = reopened(made)
      for (const block of [world.hash, world.number, "latest"] as const) {
        const verdict = yield* BundleClient.makeVerdicts(bundle).getBlockAccessList(block)
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(verdict.proven.find(EthEvidence.BlockAccessList.is)?.accounts, 2)
        assert.deepStrictEqual(
          verdict.value?.map((account) => account.address),
          [address("11"), address("22")]
        )
        assert.strictEqual(verdict.value?.[0]?.storageChanges[0]?.changes[0]?.value, pad("0x8"))
      }
      const plain = yield* BundleClient.make(bundle).getBlockAccessList(world.hash)
      assert.deepStrictEqual(plain?.[1]?.codeChanges, [{ index: 1n, code: "0x6001" }])
      const other = yield* Effect.flip(BundleClient.make(bundle).getBlockAccessList(world.number - 1n))
      assert.isDefined(NotInBundleError.fromError(other))
    })
  )

  it.effect("comes after the state, whatever the order in which the blocks are given", () =>
    Effect.gen(function* () {
      const { value: made } = yield* makeIn(yield* worldOf(shown), { accounts: [{ address: Vault.plain }] })
      const codecs = ProofBundle.parts(made).map(({ codec }) => codec)
      assert.deepStrictEqual(codecs, ["eth-block", "eth-state-trie", "raw"])
      const turned = Result.getOrThrow(ProofBundle.fromBlocks(made.blockHash, made.blocks.toReversed()))
      assert.deepStrictEqual(ProofBundle.encode(turned), ProofBundle.encode(made))
      assert.deepStrictEqual(made.blocks.find(({ cid }) => cid.code === 0x55)!.bytes, hexToBytes(raw))
    })
  )

  it.effect("that is empty needs no block: the header proves it", () =>
    Effect.gen(function* () {
      const world = yield* worldOf([], EMPTY)
      const { value: made } = yield* makeIn(world)
      assert.lengthOf(made.blocks, 1)
      const verdict = yield* BundleClient.makeVerdicts(reopened(made)).getBlockAccessList(world.hash)
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.value, [])
    })
  )

  it.effect("is refused after any flipped byte", () =>
    Effect.gen(function* () {
      const { value: made } = yield* makeIn(yield* worldOf(shown))
      const file = ProofBundle.encode(made)
      for (let at = 0; at < file.length; at++) {
        const changed = file.slice()
        changed[at]! ^= 1 << (at % 8)
        assert.isTrue(Result.isFailure(ProofBundle.open(changed, made.blockHash)), `byte ${at}`)
      }
    })
  )

  it.effect("that is left out is named as missing, and that of another block is refused", () =>
    Effect.gen(function* () {
      const world = yield* worldOf(shown)
      const { value: made } = yield* makeIn(world)
      const [header, list] = made.blocks as [Block.Block, Block.Block]
      const cut = Result.getOrThrow(ProofBundle.fromBlocks(made.blockHash, [header]))
      const errors = yield* Effect.all([
        Effect.flip(BundleClient.make(cut).getBlockAccessList(world.hash)),
        Effect.flip(BundleClient.makeVerdicts(cut).getBlockAccessList(world.hash))
      ])
      for (const error of errors) {
        const missing = NotInBundleError.fromError(error)
        assert.strictEqual(missing?.wanted, "the block's access list")
        assert.isTrue(missing?.missing.endsWith(Cid.toText(list.cid)))
      }
      const { value: empty } = yield* makeIn(yield* worldOf([], EMPTY))
      const stray = ProofBundle.fromBlocks(empty.blockHash, [...empty.blocks, list])
      assert(Result.isFailure(stray) && stray.failure._tag === "BundleError")
      assert.strictEqual(stray.failure.reason, "Unreached")
    })
  )

  it.effect("is not made of a node's lie, null, or refusal", () =>
    Effect.gen(function* () {
      for (const [said, tag] of [
        [[shown[0]], "RefutedError"],
        [shown.toReversed(), "RefutedError"],
        [[], "RefutedError"],
        [null, "UnprovenError"],
        [undefined, "JsonRpcError"],
        [7, "JsonRpcError"]
      ] as const) {
        const error = yield* Effect.flip(makeIn(yield* worldOf(said)))
        assert.strictEqual(error._tag, tag, JSON.stringify(said))
      }
    })
  )

  it.effect("is nothing that a block from before Amsterdam has", () =>
    Effect.gen(function* () {
      const world = yield* Effect.promise(() =>
        World.make(Vault.accounts, (method, answer) => (method === "eth_getBlockAccessList" ? [] : answer))
      )
      const error = yield* Effect.flip(makeIn(world))
      assert(error._tag === "UnprovenError")
      assert.isTrue(EthReason.BeforeAmsterdam.is(error.claims[0]!.reason))
      const { value: made } = yield* makeIn(world, { accessList: false })
      const missing = yield* Effect.flip(BundleClient.makeVerdicts(made).getBlockAccessList(world.hash))
      assert.strictEqual(NotInBundleError.fromError(missing)?.missing, "blockAccessListHash in its header")
    })
  )

  it.effect("survives a node of IPFS, by the bundle's CID and by the block's", () =>
    Effect.gen(function* () {
      const { value: made } = yield* makeIn(yield* worldOf(shown), { accounts: [{ address: Vault.plain }] })
      const node = Ipfs.make()
      const published = yield* Effect.provide(BundleIpfs.publish(made), node.layer)
      for (const cid of [published.list, published.root]) {
        const fetched = yield* Effect.provide(BundleIpfs.fetch(cid, made.blockHash), node.layer)
        assert.deepStrictEqual(ProofBundle.encode(fetched), ProofBundle.encode(made))
      }
    })
  )
})
