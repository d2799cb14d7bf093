import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { Block, Car, Cid, IpfsClient, Multihash, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { BundleIpfs, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { create } from "kubo-rpc-client"

import * as Ipfs from "../support/ipfs.ts"
import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const made = World.make(Vault.accounts).then(({ eth, hash }) =>
  Effect.runPromise(
    Effect.provide(
      Effect.all(
        [
          ["name", "many"],
          ["owner", "open", "many.length"]
        ].map((paths) =>
          Effect.map(
            ProofBundle.make({
              block: hash,
              contracts: [{ address: Vault.vault, layout: Vault.layout, paths, code: paths.length === 2 }]
            }),
            ({ value }) => value
          )
        )
      ),
      eth
    )
  )
)

const start = Effect.promise(async () => {
  const [bundle, other] = await made
  return { bundle: bundle!, other: other!, file: ProofBundle.encode(bundle!) }
})

const sameFile = (bundle: ProofBundle.ProofBundle, file: Uint8Array) =>
  assert.isTrue(Buffer.from(ProofBundle.encode(bundle)).equals(file))

describe("BundleIpfs", () => {
  it.effect("is pinned as one list by a node that knows no codec of Ethereum, and fetched again, byte for byte", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const node = Ipfs.make()
      const published = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      assert.deepStrictEqual(node.calls, ["dag/import"])
      assert.deepStrictEqual([...node.pins], [Cid.toText(published.list)])
      assert.strictEqual(published.blocks, bundle.blocks.length + 1)
      assert.strictEqual(node.blocks.size, published.blocks)
      assert.isTrue(Cid.equals(published.root, bundle.root))
      for (const cid of [published.list, published.root]) {
        const fetched = yield* Effect.provide(BundleIpfs.fetch(cid, bundle.blockHash), node.layer)
        sameFile(fetched, file)
      }
    })
  )

  it.effect("is claimed by both of its CIDs to be of its block, and by no other CID", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      const published = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      node.calls.length = 0
      const claimed = (cid: Cid.Cid, { layer }: Ipfs.Node = node) => Effect.provide(BundleIpfs.claimedBlock(cid), layer)
      assert.strictEqual(yield* claimed(published.root), bundle.blockHash)
      assert.deepStrictEqual(node.calls, [])
      assert.strictEqual(yield* claimed(published.list), bundle.blockHash)
      assert.deepStrictEqual(node.calls, ["block/get"])
      // a block inside the bundle is not a bundle, and neither is a list of other blocks
      const raw = Cid.make(Block.RAW, published.root.multihash.code, published.root.multihash.digest)
      assert.strictEqual((yield* Effect.flip(claimed(raw)))._tag, "BundleError")
      const empty = Uint8Array.of(0x80)
      const other = Cid.make(Block.DAG_CBOR, Multihash.SHA2_256, Multihash.digestOf("sha2-256", empty))
      node.blocks.set(Cid.key(other), empty)
      assert.strictEqual((yield* Effect.flip(claimed(other)))._tag, "BundleError")
      // bytes that do not match the CID are refused before they are read
      const liar = Ipfs.make({ lie: () => BundleIpfs.listOf(bundle).bytes.map((byte) => byte ^ 1) })
      assert.strictEqual((yield* Effect.flip(claimed(published.list, liar)))._tag, "RefutedError")
    })
  )

  it.effect("is had by other clients, block by block, under the CIDs of Ethereum's codecs", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      const server = createServer((request, response) => {
        const cid = Cid.fromTextUnsafe(new URL(request.url!, "http://node.example").searchParams.get("arg")!)
        response.end(node.blocks.get(Cid.key(cid)))
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () =>
          Effect.sync(() => {
            server.close()
            server.closeAllConnections()
          })
      )
      const { port } = server.address() as AddressInfo
      const kubo = create({ url: `http://127.0.0.1:${port}` })
      for (const { bytes, cid } of bundle.blocks) {
        const got = yield* Effect.promise(() => kubo.block.get(cid))
        assert.isTrue(Buffer.from(got).equals(bytes))
      }
    })
  )

  it.effect("would be taken by such a node in no other way", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      const importing = IpfsClient.IpfsClient.use((ipfs) =>
        Stream.runDrain(ipfs.dagImport(Car.encode([bundle.root], Stream.fromIterable(bundle.blocks))))
      )
      const error = yield* Effect.flip(Effect.provide(importing, node.layer))
      assert.match(error.message, /no decoder registered/)
    })
  )

  it.effect("has a list that dag-cbor reads: every block as raw, under its own hash, the header first", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const list = BundleIpfs.listOf(bundle)
      assert.isTrue(Result.isSuccess(Block.check(list.cid, list.bytes)))
      const links = Result.getOrThrow(Block.links(list))
      assert.deepStrictEqual(
        links.map(({ code, multihash }) => [code, multihash.code, Buffer.from(multihash.digest).toString("hex")]),
        bundle.blocks.map(({ cid }) => [0x55, 0x1b, Buffer.from(cid.multihash.digest).toString("hex")])
      )
      // heads of arrays change their form at 24, 256 and 65,536 items
      const [block] = bundle.blocks
      for (const length of [1, 23, 24, 255, 256, 65_535, 65_536]) {
        const long = BundleIpfs.listOf({ ...bundle, blocks: Array.from({ length }, () => block!) })
        assert.lengthOf(Result.getOrThrow(Block.links(long)), length)
      }
    })
  )

  it.effect("is put block by block on nodes without dag/import", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      for (const how of ["UnknownCommandError", "ForbiddenError"] as const) {
        const node = Ipfs.make({ lacks: new Map([["dag/import", how]]) })
        const { list } = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
        assert.deepStrictEqual([...node.pins], [Cid.toText(list)])
        sameFile(yield* Effect.provide(BundleIpfs.fetch(list, bundle.blockHash), node.layer), file)
      }
    })
  )

  it.effect("says so when it could not be pinned", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make({ pinError: "no space left on device" })
      const error = yield* Effect.flip(Effect.provide(BundleIpfs.publish(bundle), node.layer))
      assert.deepInclude(error, { _tag: "PublishError", reason: "NotPinned", detail: "no space left on device" })
    })
  )

  it.effect("by the block's CID is all that the node has of the block, of other bundles too", () =>
    Effect.gen(function* () {
      const { bundle, other } = yield* start
      const node = Ipfs.make()
      yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      const { list } = yield* Effect.provide(BundleIpfs.publish(other), node.layer)
      const fetched = yield* Effect.provide(BundleIpfs.fetch(bundle.root, bundle.blockHash), node.layer)
      const both = Result.getOrThrow(ProofBundle.fromBlocks(bundle.blockHash, [...bundle.blocks, ...other.blocks]))
      sameFile(fetched, ProofBundle.encode(both))
      assert.isAbove(both.blocks.length, Math.max(bundle.blocks.length, other.blocks.length))
      // the list's CID fetches only that bundle
      sameFile(yield* Effect.provide(BundleIpfs.fetch(list, bundle.blockHash), node.layer), ProofBundle.encode(other))
    })
  )

  it.effect("does not wait for ever for what a node has not got", () =>
    Effect.gen(function* () {
      const { bundle, file } = yield* start
      const node = Ipfs.make({ silent: true })
      yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      const fetching = BundleIpfs.fetch(bundle.root, bundle.blockHash, { timeout: "1 second" })
      const fiber = yield* Effect.forkChild(Effect.provide(fetching, node.layer))
      // every link is requested once, sixteen at a time
      const links = bundle.blocks.flatMap((block) => Result.getOrElse(Block.links(block), () => []))
      for (let waited = 0; waited <= links.length; waited++) yield* TestClock.adjust("1 second")
      sameFile(yield* Fiber.join(fiber), file)
    })
  )

  it.effect("refutes a node that lies about any block, with the plain client and with the verified one", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const list = BundleIpfs.listOf(bundle).cid
      for (const { cid: lied } of [{ cid: list }, ...bundle.blocks]) {
        const node = Ipfs.make({
          lie: (cid, bytes) => (Cid.key(cid) === Cid.key(lied) ? Uint8Array.of(...bytes!.subarray(1), 1) : bytes)
        })
        yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
        const verified = Layer.provide(ProvenIpfsClient.layer(), node.layer)
        for (const layer of [node.layer, verified]) {
          const error = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(list, bundle.blockHash), layer))
          assert.deepInclude(error, { _tag: "RefutedError", check: "block hash" })
          if (lied === list) continue
          const byBlock = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(bundle.root, bundle.blockHash), layer))
          assert.deepInclude(byBlock, { _tag: "RefutedError", check: "block hash" })
        }
      }
    })
  )

  it.effect("is refuted when it is of another block than the trusted one", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      const { list } = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      for (const cid of [list, bundle.root]) {
        const error = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(cid, Hash32.ZERO), node.layer))
        assert.deepInclude(error, { _tag: "RefutedError", check: "root CID", got: Cid.toText(bundle.root) })
      }
    })
  )

  it.effect("fails for a list whose blocks are not all there, or are not a bundle", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      const { list } = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      const last = bundle.blocks[3]!
      node.blocks.delete(Cid.key(last.cid))
      const missing = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(list, bundle.blockHash), node.layer))
      assert.strictEqual(missing._tag, "IpfsError")

      const bytes = new TextEncoder().encode("a block of another kind")
      const cid = Cid.make(0x55, 0x1b, Result.getOrThrow(Block.cidOf(0x55, bytes, 0x1b)).multihash.digest)
      const strange = Ipfs.make()
      const odd = { ...bundle, blocks: [...bundle.blocks, { cid, bytes }] }
      const { list: stranger } = yield* Effect.provide(BundleIpfs.publish(odd), strange.layer)
      const refused = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(stranger, bundle.blockHash), strange.layer))
      assert.deepInclude(refused, { _tag: "BundleError", reason: "Unreached" })

      const text = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, Uint8Array.of(0x61, 0x61)))
      strange.blocks.set(Cid.key(text), Uint8Array.of(0x61, 0x61))
      const noList = yield* Effect.flip(Effect.provide(BundleIpfs.fetch(text, bundle.blockHash), strange.layer))
      assert.strictEqual(noList._tag, "BundleError")
    })
  )

  it.effect("takes no more from a node than the bounds", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const node = Ipfs.make()
      const { bytes, list } = yield* Effect.provide(BundleIpfs.publish(bundle), node.layer)
      const { length } = bundle.blocks
      for (const cid of [list, bundle.root]) {
        const fetch = (limits: ProofBundle.BundleLimits) =>
          Effect.provide(BundleIpfs.fetch(cid, bundle.blockHash, limits), node.layer)
        for (const limits of [{ maxBlocks: length - 1 }, { maxBytes: 1000 }]) {
          assert.deepInclude(yield* Effect.flip(fetch(limits)), { _tag: "BundleError", reason: "TooLarge" })
        }
        yield* fetch({ maxBlocks: length, maxBytes: bytes })
      }
    })
  )
})
