/**
 * Copies the folder of an embedded IPFS node, also while the node runs: its blocks, each checked by its CID, and its
 * pins.
 *
 * Copy the blocks, then the pins, then the blocks that came since: every block of a pin was on the disk before the pin.
 */
import * as NodeFs from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

import * as Effect from "effect/Effect"

import * as BlockFiles from "./blockFiles.ts"
import { codeOf } from "./embeddedFailure.ts"
import * as FlatfsBlocks from "./flatfsBlocks.ts"
import { IpfsFolderError } from "./IpfsFolderError.ts"
import * as PinDatabase from "./pinDatabase.ts"
import { syncFolder } from "./syncFolder.ts"

/** A block in a folder: its name, which is its multihash in base32, and its size in bytes. */
export interface StoredBlock {
  readonly name: string
  readonly size: number
}

/** A copy of blocks. */
export interface CopiedBlocks {
  /** The blocks that the copy holds, in the order of their names. */
  readonly blocks: ReadonlyArray<StoredBlock>
  /** Number and size of the blocks that were written. The others were there before. */
  readonly written: { readonly blocks: number; readonly bytes: number }
  /** The names of blocks whose bytes do not match their CID. They were not copied. */
  readonly damaged: ReadonlyArray<string>
}

/** Lists the blocks of a folder, in the order of their names. The list is empty if there is no such folder. */
export const list = (folder: string): Effect.Effect<ReadonlyArray<StoredBlock>, IpfsFolderError> =>
  using(async () => {
    const found: Array<StoredBlock> = []
    const { blocks } = placesOf(folder)
    if (!NodeFs.existsSync(blocks)) return found
    for await (const { key, size } of FlatfsBlocks.list(blocks)) found.push({ name: key, size })
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  })

/**
 * Copies blocks that the folder `to` lacks. Each block is checked by its CID and is on the disk before this returns. A
 * block that a collection has removed since it was listed is left out.
 */
export const copyBlocks = (options: {
  readonly from: string
  readonly to: string
  readonly blocks: ReadonlyArray<StoredBlock>
}): Effect.Effect<CopiedBlocks, IpfsFolderError> =>
  Effect.gen(function* () {
    const places = placesOf(options.to)
    const source = BlockFiles.make(placesOf(options.from).blocks, "")
    const target = BlockFiles.make(places.blocks, places.temporary)
    yield* using(async () => {
      await Fs.mkdir(places.blocks, { recursive: true, mode: 0o700 })
      // unfinished files of a copy that was cut short
      await Fs.rm(places.temporary, { recursive: true, force: true })
      await Fs.mkdir(places.temporary, { mode: 0o700 })
    })
    const changed = new Set<string>()
    const copied = yield* Effect.forEach(
      options.blocks,
      ({ name, size }) =>
        using(async () => {
          const there = NodeFs.statSync(target.fileOf(name), { throwIfNoEntry: false })
          if (there?.size === size) return "there"
          const bytes = await readIfThere(source.fileOf(name))
          if (bytes === undefined) return "gone"
          if (!FlatfsBlocks.isSound(name, bytes)) return "damaged"
          target.makeShard(name)
          const beside = target.beside()
          await writeDurably(beside, bytes)
          await Fs.rename(beside, target.fileOf(name))
          changed.add(target.shardOf(name))
          return "written"
        }),
      { concurrency: CONCURRENCY }
    )
    yield* using(async () => {
      for (const folder of changed) await syncFolder(folder)
      await syncFolder(places.blocks)
      await Fs.rm(places.temporary, { recursive: true, force: true })
    })
    const of = (result: (typeof copied)[number]) => options.blocks.filter((_, at) => copied[at] === result)
    const written = of("written")
    return {
      blocks: options.blocks.filter((_, at) => copied[at] === "there" || copied[at] === "written"),
      written: { blocks: written.length, bytes: written.reduce((sum, { size }) => sum + size, 0) },
      damaged: of("damaged").map(({ name }) => name)
    }
  })

/** Reads and checks blocks, and returns the paths of those that are missing or do not match their CID. */
export const unsound = (
  folder: string,
  blocks: ReadonlyArray<StoredBlock>
): Effect.Effect<ReadonlyArray<string>, IpfsFolderError> =>
  Effect.map(
    Effect.forEach(
      blocks,
      ({ name }) =>
        using(async () => {
          const file = BlockFiles.make(placesOf(folder).blocks, "").fileOf(name)
          const bytes = await readIfThere(file)
          return bytes !== undefined && FlatfsBlocks.isSound(name, bytes) ? [] : [file]
        }),
      { concurrency: CONCURRENCY }
    ),
    (found) => found.flat()
  )

/** Removes blocks of a folder in which no node runs. */
export const remove = (folder: string, blocks: ReadonlyArray<StoredBlock>): Effect.Effect<void, IpfsFolderError> =>
  using(async () => {
    const { fileOf } = BlockFiles.make(placesOf(folder).blocks, "")
    for (const { name } of blocks) await Fs.rm(fileOf(name), { force: true })
  })

/** Copies the pins of a folder to a new file, as they are at one moment. The node may run. */
export const copyPins = (options: { readonly from: string; readonly file: string }) =>
  using(() => PinDatabase.copy(placesOf(options.from).pins, options.file))

/** Returns the file with the pins of a node. */
export const pinsOf = (folder: string): string => placesOf(folder).pins

const placesOf = (folder: string) => ({
  blocks: Path.join(folder, "blocks"),
  temporary: Path.join(folder, "temporary"),
  pins: Path.join(folder, "pins.sqlite")
})

/** Maximum number of files that are open at once. */
const CONCURRENCY = 16

const readIfThere = async (file: string): Promise<Uint8Array | undefined> => {
  try {
    return await Fs.readFile(file)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}

const writeDurably = async (file: string, bytes: Uint8Array): Promise<void> => {
  const handle = await Fs.open(file, "wx", 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

const using = <A>(work: () => Promise<A>): Effect.Effect<A, IpfsFolderError> =>
  Effect.tryPromise({
    try: work,
    catch: (error) =>
      error instanceof IpfsFolderError ? error : new IpfsFolderError({ problem: "Unusable", detail: codeOf(error) })
  })
