/**
 * Compares the embedded node with a store on disk made of Helia's parts, with 1,000 new files of 4 KiB in each turn.
 */
import { mkdir, open } from "node:fs/promises"
import * as path from "node:path"

import { IpfsEmbedded } from "@plumbline/devnet"
import { FsBlockstore } from "blockstore-fs"
import { NextToLast } from "blockstore-fs/sharding"
import { Effect, Exit, Scope, Stream } from "effect"
import { importer } from "ipfs-unixfs-importer"
import type { CID } from "multiformats/cid"

import { bytes } from "../../inputs/byteInput.ts"
import type { Row } from "../../measure/measuredRow.ts"
import { folder } from "../../measure/owned.ts"

const FILES = 1000
const SIZE = 4096
const base = bytes(SIZE)

/** Returns file number `n`, which differs from all others. */
const file = (n: number): Buffer => {
  const content = Buffer.from(base)
  content.writeUInt32LE(n, 0)
  return content
}

const sync = async (place: string): Promise<void> => {
  const handle = await open(place, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens Helia's store on disk. `isSynced` makes each block as durable as ours, by syncing its file and its folder. */
const storeOf = async (folder: string, isSynced: boolean) => {
  await mkdir(folder)
  const sharding = new NextToLast()
  const store = new FsBlockstore(folder, { shardingStrategy: sharding })
  await store.open()
  const put = async (cid: CID, bytes: Uint8Array): Promise<CID> => {
    await store.put(cid, bytes)
    if (isSynced) {
      const place = sharding.encode(cid)
      await sync(path.join(folder, place.dir, place.file))
      await sync(path.join(folder, place.dir))
    }
    return cid
  }
  return {
    add: async (first: number): Promise<ReadonlyArray<string>> => {
      const candidates = Array.from({ length: FILES }, (_, i) => ({ path: `f${i}`, content: file(first + i) }))
      const cids: Array<string> = []
      for await (const { cid, path } of importer(candidates, { put }, { profile: "unixfs-v0-2015" })) {
        cids.push(`${path} ${String(cid)}`)
      }
      return cids
    },
    close: () => store.close()
  }
}

/** Returns the rows, and a function that closes their stores. */
export const embedded = async (): Promise<{
  readonly rows: ReadonlyArray<Row>
  readonly close: () => Promise<void>
}> => {
  const home = folder("bench-ipfs")
  const scope = Effect.runSync(Scope.make())
  const node = await Effect.runPromise(
    Effect.provideService(IpfsEmbedded.make({ folder: path.join(home.path, "ours") }), Scope.Scope, scope)
  )
  const synced = await storeOf(path.join(home.path, "synced"), true)
  const unsynced = await storeOf(path.join(home.path, "unsynced"), false)
  const add = (first: number): Promise<ReadonlyArray<string>> => {
    const entries = Array.from({ length: FILES }, (_, i) => ({ path: `f${i}`, content: file(first + i) }))
    return Effect.runPromise(
      Effect.map(Stream.runCollect(node.add(entries)), (all) =>
        all.flatMap((one) => (one._tag === "Added" ? [`${one.name} ${String(one.cid)}`] : []))
      )
    )
  }
  const row: Row = {
    name: `embedded: ${FILES} files of 4 KiB, synced, each`,
    operations: FILES,
    goal: 4,
    waits: true,
    meter: "clock",
    warmUp: 1,
    turn: 1,
    rounds: 5,
    show: (cids: ReadonlyArray<string>) => cids.toSorted().join(),
    ours: add,
    peers: { "Helia's parts on disk, synced": synced.add },
    yardsticks: { "Helia's parts, not synced": unsynced.add }
  }
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await synced.close()
    await unsynced.close()
    home.remove()
  }
  return { rows: [row], close }
}
