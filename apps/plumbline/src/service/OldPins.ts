/**
 * Reads the owners of pins in old data folders. Earlier versions kept the owners in a ledger in the folder of the IPFS
 * node; now the state contains them.
 */
import * as IpfsProjects from "@plumbline/gateway-ipfs/IpfsProjects"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { DataError, dataError } from "../files/DataError.ts"

/**
 * Gives projects their pins from an old ledger, and renames the ledger. If the move is interrupted, the next start
 * repeats it; pins that were moved stay moved.
 *
 * The node, which is called `name`, has these pins already. If a pin exists only for projects, it is first removed at
 * the node and then made again. Otherwise the pin would count as foreign, and would stay after the last project removes
 * it. No garbage collection may run in between.
 */
export const takeOver = Effect.fnUntraced(function* (file: string, node: IpfsNodeCommands, name: string) {
  const fs = yield* FileSystem.FileSystem
  const isThere = yield* Effect.mapError(fs.exists(file), (error) => dataError(file, "Unreadable", error))
  if (!isThere) return
  const pins = yield* read(file)
  const lost = yield* Effect.scoped(
    Effect.flatMap(IpfsProjects.make(node, { name }), (all) => giveAll(pins, node, all))
  )
  if (lost > 0) {
    yield* Effect.logWarning(`${lost} of ${pins.length} pins of ${file} could not be moved: the next start tries again`)
    return
  }
  yield* Effect.mapError(fs.rename(file, `${file}.old`), (error) => dataError(file, "Unwritable", error))
  yield* Effect.logInfo(`${pins.length} pins were moved from ${file}, which is ${file}.old now`)
})

/** Gives each pin to its project, and counts the failures. */
const giveAll = Effect.fnUntraced(function* (
  pins: ReadonlyArray<OldPin>,
  node: IpfsNodeCommands,
  projects: IpfsProjects.SharedNode
) {
  const released = new Set<string>()
  const failed = yield* Effect.forEach(pins, (pin) => Effect.isFailure(give(pin, node, projects, released)))
  // after a try that was cut short, another project may already have the same pin
  yield* Effect.ignore(projects.reconcile)
  return failed.filter(Boolean).length
})

interface OldPin {
  readonly project: string
  readonly cid: string
  readonly recursive: boolean
  readonly name: string
  /** True if the node had a pin of its own for this content, independent of the projects. */
  readonly foreign: boolean
}

const give = Effect.fnUntraced(function* (
  pin: OldPin,
  node: IpfsNodeCommands,
  projects: IpfsProjects.SharedNode,
  released: Set<string>
) {
  const { cid, foreign, name, project, recursive } = pin
  const own = projects.node({ id: project })
  const known = yield* Effect.option(Stream.runCollect(own.pinLs([cid], { type: recursive ? "recursive" : "direct" })))
  if (Option.isSome(known) && known.value.length > 0) return
  if (!foreign && !released.has(cid)) {
    released.add(cid)
    yield* Effect.ignore(node.pinRm(cid))
  }
  yield* own.pinAdd(cid, { recursive, name })
})

const read = (file: string): Effect.Effect<ReadonlyArray<OldPin>, DataError> =>
  Effect.tryPromise({
    try: async () => {
      const { DatabaseSync } = await import("node:sqlite")
      const database = new DatabaseSync(file)
      try {
        // writes SQLite's log into the file, so that renaming the file moves all content
        database.exec("PRAGMA journal_mode = DELETE")
        const rows = database
          .prepare("SELECT pins.*, coalesce(elsewhere, 0) AS elsewhere FROM pins LEFT JOIN held USING (cid)")
          .all()
        return rows.map(({ cid, elsewhere, name, project, recursive }) => ({
          project: String(project),
          cid: Result.getOrThrow(Cid.fromBytes(cid as Uint8Array)).toString(),
          recursive: Number(recursive) !== 0,
          name: String(name),
          foreign: Number(elsewhere) !== 0
        }))
      } finally {
        database.close()
      }
    },
    catch: () => new DataError({ path: file, problem: "Damaged", detail: "it is not a list of pins" })
  })
