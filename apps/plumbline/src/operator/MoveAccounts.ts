import * as AdminServer from "@plumbline/gateway-admin/api/AdminServer"
import * as BeaconArchive from "@plumbline/gateway-beacon/archive/BeaconArchive"
import * as IpfsProjects from "@plumbline/gateway-ipfs/IpfsProjects"
import * as StateMove from "@plumbline/gateway/StateMove"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"

import { DataError, dataError } from "../files/DataError.ts"
import * as FolderLock from "../service/FolderLock.ts"
import type { Style } from "../terminal/Style.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AccountFlags } from "./OperatorFlags.ts"
import * as ResultView from "./ResultView.ts"

/** `plumbline accounts move`: holds the lock of the folder, so that no service runs in it. */
export const move = Effect.fnUntraced(function* (flags: AccountFlags["move"]) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const postgres = yield* targetOf(flags.toFile)
  const folder = path.resolve(flags.from)
  const file = path.join(folder, "state.sqlite")
  // SQLite would create an empty file if there were none
  yield* Effect.mapError(fs.access(file, { readable: true, writable: true }), (error) =>
    dataError(file, "Unreadable", error)
  )
  const isWatched = yield* (yield* Stdio.Stdio).stderrIsTerminal
  const moved = yield* Effect.scoped(
    Effect.andThen(
      FolderLock.hold(folder),
      StateMove.run({
        file,
        postgres,
        parts: [IpfsProjects.migrations, BeaconArchive.migrations, ...AdminServer.migrations],
        onTable: isWatched ? (table) => Console.error(`moving ${table}`) : undefined
      })
    )
  )
  const json = JSON.stringify({ from: folder, tables: moved })
  const view = (style: Style) =>
    ResultView.page(
      `Moved the state of ${folder} to Postgres`,
      [
        TextTable.lines(columns, moved, style),
        [
          "Every row was read again and compared. The folder is unchanged. From now on, start services with state.postgres."
        ]
      ],
      style
    )
  yield* AdminCall.print({ json, view }, flags)
})

const columns: ReadonlyArray<TextTable.TableColumn<StateMove.MovedTable>> = [
  ["table", ({ table }) => table],
  ["rows", ({ rows }) => Units.grouped(BigInt(rows)), "numbers"]
]

/**
 * Reads the URL of Postgres from a file or the environment. The URL contains a password, so it is not an argument:
 * every user of a machine can see the arguments of its programs.
 */
const targetOf = Effect.fnUntraced(function* (toFile: Option.Option<string>) {
  const fs = yield* FileSystem.FileSystem
  const inEnvironment = yield* Effect.orDie(Config.option(Config.Redacted("PLUMBLINE_STATE__POSTGRES")))
  if (Option.isNone(toFile) && Option.isNone(inEnvironment)) {
    return yield* new UsageError({
      problem: "give the URL of Postgres in $PLUMBLINE_STATE__POSTGRES, or in a file by --to-file"
    })
  }
  const text = Option.isNone(toFile)
    ? Redacted.value(Option.getOrThrow(inEnvironment))
    : yield* Effect.mapError(fs.readFileString(toFile.value), (error) => dataError(toFile.value, "Unreadable", error))
  const url = text.trim()
  if (/^postgres(?:ql)?:\/\//u.test(url) && URL.canParse(url)) return Redacted.make(url)
  return yield* Option.isNone(toFile)
    ? new UsageError({ problem: "$PLUMBLINE_STATE__POSTGRES must be a postgres:// URL" })
    : new DataError({
        path: toFile.value,
        problem: "Damaged",
        detail: "it must hold a postgres:// URL, and nothing else"
      })
})
