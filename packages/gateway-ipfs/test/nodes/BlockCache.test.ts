/** The cache of blocks of remote nodes: in memory, in a folder, after a restart, and with the rules for callers. */
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { IpfsNodes } from "@plumbline/gateway-ipfs"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { KEY } from "@plumbline/gateway/support/service"
import { Block, Cid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, type Scope, Stream } from "effect"

import * as Ipfs from "../support/ipfs.ts"
import { over } from "../support/ipfsProjects.ts"

const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(tmpdir(), "plumbline-cache-"))),
  (dir) => Effect.sync(() => Fs.rmSync(dir, { recursive: true, force: true }))
)

const random = Random.make(7)
const block = (size: number): Block.Block => {
  const bytes = Random.bytes(random, size)
  return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
}

/** Returns a node with these blocks that counts its reads. */
const counting = (blocks: ReadonlyArray<Block.Block>) => {
  const known = new Map<string, Uint8Array>(blocks.map(({ bytes, cid }) => [Cid.toText(cid), bytes]))
  let reads = 0
  const node: IpfsNode.IpfsNodeCommands = Ipfs.nodeOf({
    pinLs: () => Stream.empty,
    blockGet: (cid) => {
      reads++
      const bytes = known.get(cid)
      return bytes === undefined
        ? Effect.fail(new IpfsNodeError.IpfsNodeError({ reason: new IpfsNodeError.NotFound({ cid }) }))
        : Effect.succeed(Uint8Array.from(bytes))
    }
  })
  return { node, reads: () => reads }
}

const read = (node: IpfsNode.IpfsNodeCommands, { bytes, cid }: Block.Block) =>
  Effect.map(node.blockGet(Cid.toText(cid)), (got) => assert.isTrue(Buffer.from(got).equals(bytes)))

/** Returns the files in the cache's folder. */
const filesOf = (dir: string): ReadonlyArray<string> =>
  Fs.readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [Path.join(entry.parentPath, entry.name)] : []
  )

const bytesOf = (files: ReadonlyArray<string>) => files.reduce((sum, file) => sum + Fs.statSync(file).size, 0)

describe("the memory", () => {
  it.live("keeps the blocks that were used last, within its bytes, under every CID of the same bytes", () =>
    Effect.gen(function* () {
      const blocks = Array.from({ length: 20 }, () => block(10_000))
      const remote = counting(blocks)
      const nodes = yield* IpfsNodes.make({ name: "a", node: remote.node }, [], { cache: { memory: 100_000 } })
      for (const each of blocks) {
        yield* read(nodes.node, each)
        yield* read(nodes.node, blocks[0]!)
        assert.isAtMost((yield* nodes.health).cache!.memoryBytes, 100_000)
      }
      // The first block is used repeatedly, so it stays in the cache and was read from the node only once.
      assert.strictEqual(remote.reads(), 20)
      yield* read(nodes.node, blocks[1]!)
      assert.strictEqual(remote.reads(), 21)
      const asCbor = Cid.make(Block.DAG_CBOR, 0x12, blocks[1]!.cid.multihash.digest)
      yield* nodes.node.blockGet(Cid.toText(asCbor))
      assert.strictEqual(remote.reads(), 21)
      const large = block(100_001)
      yield* Effect.flip(nodes.node.blockGet(Cid.toText(large.cid)))
    }).pipe(Effect.scoped)
  )

  it.live("has no blocks of a node of this machine, and none is asked for in vain", () =>
    Effect.gen(function* () {
      const one = block(100)
      const here = counting([one])
      const nodes = yield* IpfsNodes.make({ name: "here", node: here.node, isRemote: false }, [], {
        cache: { memory: 100_000 }
      })
      yield* read(nodes.node, one)
      yield* read(nodes.node, one)
      assert.strictEqual(here.reads(), 2)
      const { cache } = yield* nodes.health
      assert.deepStrictEqual([cache?.memoryBytes, cache?.hits, cache?.misses], [0, 0, 0])
    }).pipe(Effect.scoped)
  )
})

describe("the folder", () => {
  const make = (node: IpfsNode.IpfsNodeCommands, dir: string, bytes = 1_000_000) =>
    IpfsNodes.make({ name: "a", node }, [], { cache: { memory: 0, disk: { folder: dir, bytes } } })

  it.live("serves the blocks of an earlier process, without its node", () =>
    Effect.gen(function* () {
      const dir = Path.join(yield* folder, "cache")
      const blocks = Array.from({ length: 10 }, () => block(5000))
      const remote = counting(blocks)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const nodes = yield* make(remote.node, dir)
          for (const each of blocks) yield* read(nodes.node, each)
        })
      )
      assert.strictEqual(remote.reads(), 10)
      Fs.writeFileSync(Path.join(dir, "half.new"), "x")
      const away = counting([])
      const nodes = yield* make(away.node, dir)
      for (const each of blocks) yield* read(nodes.node, each)
      assert.strictEqual(away.reads(), 0)
      assert.strictEqual(bytesOf(filesOf(dir)), 50_000)
      assert.strictEqual((yield* nodes.health).cache?.hits, 10)
    }).pipe(Effect.scoped)
  )

  it.live("stays within its bytes, without the blocks that were used the longest time ago, also when it shrinks", () =>
    Effect.gen(function* () {
      const dir = Path.join(yield* folder, "cache")
      const blocks = Array.from({ length: 50 }, () => block(4096))
      const remote = counting(blocks)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const nodes = yield* make(remote.node, dir, 20 * 4096)
          for (const each of blocks) yield* read(nodes.node, each)
        })
      )
      assert.strictEqual(bytesOf(filesOf(dir)), 20 * 4096)
      const nodes = yield* make(remote.node, dir, 5 * 4096)
      assert.strictEqual(bytesOf(filesOf(dir)), 5 * 4096)
      assert.strictEqual((yield* nodes.health).cache?.diskBytes, 5 * 4096)
    }).pipe(Effect.scoped)
  )

  it.live("with any changed block has the right one again after one read", () =>
    Effect.gen(function* () {
      const dir = Path.join(yield* folder, "cache")
      const blocks = Array.from({ length: 8 }, (_, i) => block(1000 + i))
      const remote = counting(blocks)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const nodes = yield* make(remote.node, dir)
          for (const each of blocks) yield* read(nodes.node, each)
        })
      )
      for (const [index, file] of filesOf(dir).entries()) {
        const bytes = Fs.readFileSync(file)
        const at = Random.int(random, bytes.length)
        if (index % 2 === 0) bytes[at]! ^= 1
        Fs.writeFileSync(file, index % 2 === 0 ? bytes : bytes.subarray(0, at))
      }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const nodes = yield* make(remote.node, dir)
          for (const each of blocks) yield* read(nodes.node, each)
          assert.strictEqual((yield* nodes.health).cache?.damaged, 8)
        })
      )
      assert.strictEqual(remote.reads(), 16)
      const away = counting([])
      const nodes = yield* make(away.node, dir)
      for (const each of blocks) yield* read(nodes.node, each)
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be used is said in the health, and reads go on", () =>
    Effect.gen(function* () {
      const dir = yield* folder
      Fs.writeFileSync(Path.join(dir, "file"), "x")
      const one = block(100)
      const remote = counting([one])
      const nodes = yield* make(remote.node, Path.join(dir, "file"))
      yield* read(nodes.node, one)
      assert.strictEqual((yield* nodes.health).cache?.problem, "EEXIST")
    }).pipe(Effect.scoped)
  )
})

describe("callers", () => {
  it.live("get no more from the cache than from a node: quotas count, and blocked content stays so", () =>
    Effect.gen(function* () {
      const [one, blocked] = [block(1000), block(1000)]
      const remote = counting([one, blocked])
      const nodes = yield* IpfsNodes.make({ name: "a", node: remote.node }, [], { cache: { memory: 100_000 } })
      const projects = yield* over(nodes.node, yield* Databases.kinds[0]!.fresh)
      const service = yield* Ipfs.start(({ project }) => projects.node(project, { downloaded: 2500 }), {
        ipfs: { health: nodes.health, gatewayBlocked: [Cid.toText(blocked.cid)] }
      })
      yield* read(nodes.node, blocked)
      const get = ({ cid }: Block.Block) =>
        Service.ask(service, { method: "GET", path: `/v3/${KEY}/ipfs/${Cid.toText(cid)}?format=raw` })
      const statuses = yield* Effect.forEach([one, one, one, blocked], (each) =>
        Effect.map(get(each), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [200, 200, 429, 410])
      assert.strictEqual(remote.reads(), 2)
      const health = yield* Service.ask(service, { method: "GET", path: "/health" })
      const { cache, nodes: shown } = JSON.parse(health.body).ipfs
      assert.deepStrictEqual(shown, [{ name: "a", state: "up", lies: 0 }])
      assert.strictEqual(cache.misses, 2)
    }).pipe(Effect.scoped)
  )
})
