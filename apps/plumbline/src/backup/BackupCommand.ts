import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

import * as FileFlag from "../config/FileFlag.ts"
import * as DataFolder from "../home/DataFolder.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"

const flags = { config: FileFlag.flag, data: DataFolder.flag, json: JsonFlag.flag }

export const backup = Command.make(
  "backup",
  { folder: Argument.String("folder").pipe(Argument.withDescription("The folder of the backup")), ...flags },
  (given) =>
    Effect.flatMap(
      Effect.promise(() => import("./MakeBackup.ts")),
      ({ run }) => run(given)
    )
).pipe(
  Command.withDescription(
    "Copy accounts, keys, usage, the audit log, pins and content while the service runs; a second backup to the same folder copies new content only"
  ),
  Command.withExamples([
    { command: "plumbline backup /mnt/backup/plumbline", description: "The data folder of this user" },
    { command: "plumbline backup /mnt/backup/plumbline --config plumbline.yaml", description: "Postgres, by pg_dump" }
  ])
)

export const restore = Command.make(
  "restore",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("The folder of the backup")),
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("Replace the service that the data folder holds (default: off)"),
      Flag.withDefault(false)
    ),
    ...flags
  },
  (given) =>
    Effect.flatMap(
      Effect.promise(() => import("./RestoreBackup.ts")),
      ({ run }) => run(given)
    )
).pipe(
  Command.withDescription("Put a backup into a data folder or an empty database; a damaged one changes nothing"),
  Command.withExamples([
    {
      command: "plumbline restore /mnt/backup/plumbline --data ./copy",
      description: "Beside the original, to test it"
    },
    { command: "plumbline restore /mnt/backup/plumbline --replace", description: "In place of a stopped service" }
  ])
)
