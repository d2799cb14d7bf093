/** Reads `projects.json`, the file in which versions without accounts kept the projects of a data folder. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"

const Project = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.String,
  keyHash: Schema.String,
  secretRequired: Schema.Boolean
})

const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), projects: Schema.Array(Project) }))
)

/** Reads the projects; an empty list if there is no file. The file is not changed. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(folder, "projects.json")
  const text = yield* fs.readFileString(file).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(undefined)
    ),
    Effect.mapError((error) => dataError(file, "Unreadable", error))
  )
  if (text === undefined) return []
  const { projects } = yield* Effect.mapError(
    decode(text),
    () => new DataError({ path: file, problem: "Damaged", detail: "it is not a list of projects" })
  )
  return projects
})
