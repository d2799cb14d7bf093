/** Checks of blocks, IPLD data, CARs, and the old object commands. */
import { CarReader } from "@ipld/car/reader"
import { CarWriter } from "@ipld/car/writer"
import * as DagCbor from "@ipld/dag-cbor"
import * as DagPb from "@ipld/dag-pb"
import { CID } from "multiformats/cid"
import * as Raw from "multiformats/codecs/raw"
import { sha256, sha512 } from "multiformats/hashes/sha2"

import type { Check } from "../check.ts"
import { failureOf } from "../check.ts"
import { all, Blocks, bytesOf, digestOf, imported } from "../content.ts"

const cidOf = async (code: number, block: Uint8Array): Promise<CID> => CID.createV1(code, await sha256.digest(block))

/** Returns the CID of a block that no node has. */
const nowhere = async (seed: Uint8Array): Promise<CID> => cidOf(Raw.code, seed)

/** Returns a CAR of blocks with one root, written by @ipld/car. */
const carOf = async (root: CID, blocks: ReadonlyArray<readonly [cid: CID, bytes: Uint8Array]>): Promise<Uint8Array> => {
  const { out, writer } = CarWriter.create([root])
  const written = bytesOf(out)
  for (const [cid, bytes] of blocks) await writer.put({ cid, bytes })
  await writer.close()
  return written
}

export const checks: ReadonlyArray<Check> = [
  {
    name: "block/put: raw, version 1",
    run: async ({ fresh, ipfs }) => {
      const block = fresh("block")
      const cid = await ipfs.block.put(block, { format: "raw", version: 1 } as {})
      return { seen: String(cid), expected: String(await cidOf(Raw.code, block)) }
    }
  },
  {
    name: "block/put: dag-pb of version 0, the old way",
    run: async ({ fresh, ipfs }) => {
      const block = DagPb.encode({ Data: fresh("data"), Links: [] })
      const cid = await ipfs.block.put(block, { format: "v0" })
      return { seen: String(cid), expected: String(CID.createV0(await sha256.digest(block))) }
    }
  },
  {
    name: "block/put: another hash function",
    run: async ({ fresh, ipfs }) => {
      const block = fresh("block")
      const cid = await ipfs.block.put(block, { format: "raw", mhtype: "sha2-512", version: 1 } as {})
      return { seen: String(cid), expected: String(CID.createV1(Raw.code, await sha512.digest(block))) }
    }
  },
  {
    name: "block/put: more than 2 MiB is an error",
    run: async ({ fresh, ipfs }) => {
      const sentence =
        "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override"
      const failure = await failureOf(() => ipfs.block.put(fresh("block", 2 * 1024 * 1024 + 1), { format: "raw" }))
      return { seen: failure, expected: sentence }
    }
  },
  {
    name: "block/get: the bytes of a block",
    run: async ({ fresh, ipfs }) => {
      const block = fresh("block", 1000)
      const cid = await ipfs.block.put(block, { format: "raw" })
      return { seen: digestOf(await ipfs.block.get(cid)), expected: digestOf(block) }
    }
  },
  {
    name: "block/get: what nobody has is an error",
    run: async ({ fresh, ipfs }) => {
      const cid = await nowhere(fresh("nothing"))
      const failure = await failureOf(() => ipfs.block.get(cid, { timeout: 2000 }))
      return {
        seen: failure.replaceAll(String(cid), "<cid>"),
        expected: "block was not found locally (offline): ipld: could not find <cid>"
      }
    }
  },
  {
    name: "block/stat: how large a block is",
    run: async ({ fresh, ipfs }) => {
      const block = fresh("block", 1234)
      const { cid, size } = await ipfs.block.stat(await ipfs.block.put(block, { format: "raw" }))
      return {
        seen: { cid: String(cid), size },
        expected: { cid: String(await cidOf(Raw.code, block)), size: 1234 }
      }
    }
  },
  {
    name: "dag/put and dag/get: data with links and bytes",
    run: async ({ fresh, ipfs }) => {
      const leaf = fresh("leaf")
      const link = await cidOf(Raw.code, leaf)
      const value = { name: "x", list: [1, -2, null, true, 1.5], link, bytes: fresh("bytes", 8), in: { deep: "er" } }
      const cid = await ipfs.dag.put(value)
      const got: unknown = (await ipfs.dag.get(cid)).value
      return {
        seen: { cid: String(cid), value: digestOf(DagCbor.encode(got)) },
        expected: {
          cid: String(await cidOf(DagCbor.code, DagCbor.encode(value))),
          value: digestOf(DagCbor.encode(value))
        }
      }
    }
  },
  {
    name: "dag/put: dag-json",
    run: async ({ client, ipfs }) => {
      const json = new TextEncoder().encode(`{"a":[1,"${client.name}"]}`)
      const cid = await ipfs.dag.put(json, { inputCodec: "dag-json", storeCodec: "dag-json" })
      return { seen: String(cid), expected: String(await cidOf(0x0129, json)) }
    }
  },
  {
    name: "dag/get: a path into the data",
    run: async ({ client, ipfs }) => {
      const cid = await ipfs.dag.put({ a: { b: [0, { c: client.name }] } })
      return { seen: (await ipfs.dag.get(cid, { path: "/a/b/1/c" })).value, expected: client.name }
    }
  },
  {
    name: "dag/get: a node of a file",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("content", 300_000))
      const { value } = await ipfs.dag.get(cid)
      return {
        seen: (value as DagPb.PBNode).Links.map(({ Hash, Tsize }) => [String(Hash), Tsize]),
        expected: DagPb.decode(await ipfs.block.get(cid)).Links.map(({ Hash, Tsize }) => [String(Hash), Tsize])
      }
    }
  },
  {
    name: "dag/resolve: through links and into the data",
    run: async ({ client, ipfs }) => {
      const inner = await ipfs.dag.put({ deep: { er: client.name } })
      const outer = await ipfs.dag.put({ to: inner })
      const { cid, remainderPath } = await ipfs.dag.resolve(`/ipfs/${String(outer)}/to/deep/er`)
      return {
        seen: { isInner: String(cid) === String(inner), rest: remainderPath },
        expected: { isInner: true, rest: "/deep/er" }
      }
    }
  },
  {
    name: "dag/export: a CAR with every block of a file",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 600_000)
      const { cid } = await ipfs.add(content)
      const car = await CarReader.fromBytes(await bytesOf(ipfs.dag.export(cid)))
      const blocks = new Blocks()
      await imported([{ content }], {}, blocks)
      const found = await all(car.blocks())
      return {
        seen: {
          roots: (await car.getRoots()).map(String),
          first: String(found[0]?.cid),
          blocks: new Map(found.map(({ bytes, cid }) => [String(cid), digestOf(bytes)]))
        },
        expected: {
          roots: [String(cid)],
          first: String(cid),
          blocks: new Map([...blocks].map(([cid, bytes]) => [cid, digestOf(bytes)]))
        }
      }
    }
  },
  {
    name: "dag/import: a CAR, its root pinned and its file readable",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 600_000)
      const blocks = new Blocks()
      const [file] = await imported([{ content }], {}, blocks)
      const root = CID.parse(file!.cid)
      const car = await carOf(
        root,
        [...blocks].map(([cid, bytes]) => [CID.parse(cid), bytes])
      )
      const roots = await all(ipfs.dag.import([car]))
      const [pin] = await all(ipfs.pin.ls({ paths: [root] }))
      return {
        seen: {
          roots: roots.map((each) => [String(each.root.cid), each.root.pinErrorMsg]),
          content: digestOf(await bytesOf(ipfs.cat(root))),
          pin: pin?.type
        },
        expected: { roots: [[String(root), ""]], content: digestOf(content), pin: "recursive" }
      }
    }
  },
  {
    name: "dag/import: without pinning",
    run: async ({ fresh, ipfs }) => {
      const block = fresh("block")
      const root = await cidOf(Raw.code, block)
      await all(ipfs.dag.import([await carOf(root, [[root, block]])], { pinRoots: false }))
      const pins = await all(ipfs.pin.ls())
      return {
        seen: {
          block: digestOf(await ipfs.block.get(root)),
          isPinned: pins.some(({ cid }) => String(cid) === String(root))
        },
        expected: { block: digestOf(block), isPinned: false }
      }
    }
  },
  {
    name: "dag/import: a CAR with a wrong block is an error",
    run: async ({ fresh, ipfs }) => {
      const root = await cidOf(Raw.code, fresh("promised"))
      const car = await carOf(root, [[root, fresh("delivered")]])
      const failure = await failureOf(() => all(ipfs.dag.import([car])))
      return { seen: failure === "no error" ? failure : "an error", expected: "an error" }
    }
  },
  {
    name: "object/get: links and data of a file's root",
    only: "ipfs-http-client",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 600_000)
      const blocks = new Blocks()
      const [file] = await imported([{ content }], {}, blocks)
      const { cid } = await ipfs.add(content)
      const node = await ipfs.object.get(cid)
      return { seen: shown(node), expected: shown(oldForm(DagPb.decode(blocks.get(file!.cid)!))) }
    }
  },
  {
    name: "object/get: links of a directory have names",
    only: "ipfs-http-client",
    run: async ({ fresh, ipfs }) => {
      const files = [
        { path: "d/one", content: fresh("one") },
        { path: "d/two", content: fresh("two") }
      ]
      const blocks = new Blocks()
      const entries = await imported(files, {}, blocks)
      const added = await all(ipfs.addAll(files))
      const node = await ipfs.object.get(added.find(({ path }) => path === "d")!.cid)
      return { seen: shown(node), expected: shown(oldForm(DagPb.decode(blocks.get(entries.at(-1)!.cid)!))) }
    }
  },
  {
    name: "object/data: bytes as they are",
    only: "ipfs-http-client",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("content", 600_000))
      const { Data } = DagPb.decode(await ipfs.block.get(cid))
      return { seen: digestOf(await ipfs.object.data(cid)), expected: digestOf(Data!) }
    }
  },
  {
    name: "object/stat: the sizes of a node",
    only: "ipfs-http-client",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("content", 600_000))
      const block = await ipfs.block.get(cid)
      const { Data, Links } = DagPb.decode(block)
      const { Hash, ...sizes } = await ipfs.object.stat(cid)
      return {
        seen: { cid: String(Hash), ...sizes },
        expected: {
          cid: String(cid),
          NumLinks: Links.length,
          BlockSize: block.length,
          LinksSize: block.length - Data!.length,
          DataSize: Data!.length,
          CumulativeSize: block.length + Links.reduce((sum, { Tsize }) => sum + Tsize!, 0)
        }
      }
    }
  },
  {
    name: "object/put: a node that was made by hand",
    only: "ipfs-http-client",
    run: async ({ fresh, ipfs }) => {
      const node = { Data: fresh("data"), Links: [] }
      const cid = await ipfs.object.put(node)
      return { seen: String(cid), expected: String(await cidOf(DagPb.code, DagPb.encode(node))) }
    }
  }
]

const oldForm = ({ Data, Links }: DagPb.PBNode) => ({
  Data: Data ?? new Uint8Array(),
  Links: Links.map(({ Hash, Name, Tsize }) => ({ Name: Name ?? "", Hash, Tsize: Tsize ?? 0 }))
})

const shown = (node: {
  readonly Data: Uint8Array
  readonly Links: ReadonlyArray<{ readonly Name: string; readonly Hash: unknown; readonly Tsize: number }>
}) => ({
  data: digestOf(node.Data),
  links: node.Links.map(({ Hash, Name, Tsize }) => [Name, String(Hash), Tsize])
})
