/**
 * Reads files, directories and ranges like a client that trusts no gateway. It requests CARs, checks every block, and
 * assembles the content with the exporter of js-ipfs. Every block that the exporter needs must be in the CAR.
 */
import { createHash } from "node:crypto"

import { assert, it } from "@effect/vitest"
import { CarReader } from "@ipld/car"
import { Effect } from "effect"
import { exporter } from "ipfs-unixfs-exporter"
import { create } from "kubo-rpc-client"
import { CID } from "multiformats/cid"

import * as Service from "../src/gatewayService.ts"
import { keyStream } from "../src/suite/content.ts"

const CONTENT = keyStream("gateway", 1_500_000)

/** Returns a store that has only the blocks of a CAR. Each block must have the hash in its CID. */
const storeOf = async (body: Uint8Array) => {
  const blocks = new Map<string, Uint8Array>()
  for await (const { bytes, cid } of (await CarReader.fromBytes(body)).blocks()) {
    const digest = createHash("sha256").update(bytes).digest()
    assert.isTrue(digest.equals(cid.multihash.digest), String(cid))
    blocks.set(String(cid), bytes)
  }
  const get = async function* (cid: CID) {
    const bytes = blocks.get(String(cid))
    if (bytes === undefined) throw new Error(`the CAR lacks ${String(cid)}`)
    yield bytes
  }
  return { store: { get }, count: blocks.size }
}

const collect = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces)
}

it.live("a client that checks everything reads files, directories, shards and ranges from the trustless gateway", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { headers, url } = yield* Service.start
      yield* Effect.promise(async () => {
        const ipfs = create({ url, headers })
        const many = Array.from({ length: 40 }, (_, i) => ({ path: `d/many/${i}`, content: `entry ${i}` }))
        let root = ""
        const files = [{ path: "d/big", content: CONTENT }, { path: "d/in/small", content: "small" }, ...many]
        for await (const { cid, path } of ipfs.addAll(files, { rawLeaves: true, cidVersion: 1 })) {
          if (path === "d") root = String(cid)
        }
        const carOf = async (path: string, query = "") => {
          const response = await fetch(`${url}/ipfs/${path}?format=car${query}`, { headers })
          assert.strictEqual(response.status, 200)
          return storeOf(new Uint8Array(await response.arrayBuffer()))
        }
        const read = async (
          path: string,
          query?: string,
          range?: { readonly offset: number; readonly length: number }
        ) => {
          const { count, store } = await carOf(path, query)
          const entry = await exporter(path, store)
          if (entry.type !== "file" && entry.type !== "raw") throw new Error(`a ${entry.type}`)
          return { bytes: await collect(entry.content(range)), count }
        }
        assert.isTrue((await read(`${root}/big`)).bytes.equals(CONTENT))
        assert.strictEqual((await read(`${root}/in/small`)).bytes.toString(), "small")
        assert.strictEqual((await read(`${root}/many/7`, "&dag-scope=entity")).bytes.toString(), "entry 7")
        for (const [from, to] of [
          [0, 0],
          [262_143, 262_144],
          [700_000, 1_100_000],
          [1_499_999, 1_499_999]
        ] as const) {
          const range = { offset: from, length: to - from + 1 }
          const { bytes, count } = await read(`${root}/big`, `&dag-scope=entity&entity-bytes=${from}:${to}`, range)
          assert.isTrue(bytes.equals(Buffer.from(CONTENT.subarray(from, to + 1))))
          // The directory, the file's root, and the leaves of the range.
          assert.strictEqual(count, 2 + Math.floor(to / 262_144) - Math.floor(from / 262_144) + 1)
        }
        const { store } = await carOf(root, "&dag-scope=entity")
        const directory = await exporter(root, store)
        const names: Array<string> = []
        if (directory.type === "directory") for await (const { name } of directory.entries()) names.push(name)
        assert.deepStrictEqual(names.sort(), ["big", "in", "many"])
        const block = await fetch(`${url}/ipfs/${root}?format=raw`, { headers })
        const digest = createHash("sha256")
          .update(new Uint8Array(await block.arrayBuffer()))
          .digest()
        assert.isTrue(digest.equals(CID.parse(root).multihash.digest))
      })
    })
  )
)
