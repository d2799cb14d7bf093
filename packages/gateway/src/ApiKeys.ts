/**
 * Who may call: the store of projects, looked up by API key.
 *
 * @since 0.1.0
 */
import { randomBytes } from "node:crypto"
import { open, readFile, rename, rm } from "node:fs/promises"
import * as path from "node:path"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

import { ApiKeysError } from "./ApiKeysError.ts"
import * as Project from "./Project.ts"

/**
 * The store of projects. The key itself is never kept: it is shown once, to the one it was made for.
 *
 * `lookup` answers `undefined` for a key that nobody has; a failure means that the store could not be asked, and is
 * never read as "no such key". `save` adds a project or replaces the one of the same id, and has reached the disk when
 * it returns (if the store has one); `remove` of an unknown id does nothing.
 *
 * @since 0.1.0
 */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    readonly lookup: (key: string) => Effect.Effect<Project.Project | undefined, ApiKeysError>
    readonly list: Effect.Effect<ReadonlyArray<Project.Project>, ApiKeysError>
    readonly save: (project: Project.Project) => Effect.Effect<void, ApiKeysError>
    readonly remove: (id: string) => Effect.Effect<void, ApiKeysError>
  }
>()("@plumbline/gateway/ApiKeys") {}

/**
 * A new API key and its secret: 128 random bits each, as 32 lower-case hex digits.
 *
 * ```ts import.meta.vitest
 * import { ApiKeys } from "@plumbline/gateway"
 * import * as Redacted from "effect/Redacted"
 *
 * const { key, secret } = ApiKeys.generate()
 * /^[0-9a-f]{32}$/.test(Redacted.value(key)) // => true
 * `${key} ${secret}` // => "<redacted> <redacted>"
 * ```
 *
 * @since 0.1.0
 */
export const generate = (): {
  readonly key: Redacted.Redacted
  readonly secret: Redacted.Redacted
} => ({
  key: Redacted.make(randomBytes(16).toString("hex")),
  secret: Redacted.make(randomBytes(16).toString("hex"))
})

/**
 * Projects in memory, gone with the process; `projects` are there from the start.
 *
 * @since 0.1.0
 */
export const layerMemory = (projects: Iterable<Project.Project> = []): Layer.Layer<ApiKeys, ApiKeysError> =>
  Layer.effect(
    ApiKeys,
    Effect.suspend(() => {
      const index = indexOf(projects)
      return Result.isFailure(index) ? Effect.fail(index.failure) : make(index.success, () => Effect.void)
    })
  )

/**
 * Projects in one JSON file, mode 0600, in a folder that exists. For one process: two that share a file overwrite each
 * other's changes.
 *
 * Every change writes a new file beside the old one, brings it to the disk and renames it over the old one, so a crash
 * leaves the one or the other whole. No file means no projects yet; a file that cannot be understood is an
 * `ApiKeysError`, and stays as it is for its owner to repair.
 *
 * @since 0.1.0
 */
export const layerFile = (file: string): Layer.Layer<ApiKeys, ApiKeysError> =>
  Layer.effect(
    ApiKeys,
    Effect.flatMap(load(file), (index) => make(index, (projects) => write(file, projects)))
  )

// Private: the index, and the file.

type Index = ReadonlyMap<string, Project.Project>

const indexOf = (projects: Iterable<Project.Project>): Result.Result<Index, ApiKeysError> => {
  const index = new Map<string, Project.Project>()
  for (const project of projects) {
    const other = index.get(project.keyHash)
    if (other !== undefined) return Result.fail(new ApiKeysError({ reason: { _tag: "Taken", id: other.id } }))
    index.set(project.keyHash, project)
  }
  return Result.succeed(index)
}

const unknownKey: Effect.Effect<undefined> = Exit.succeed(undefined)

const make = Effect.fnUntraced(function* (
  initial: Index,
  persist: (projects: ReadonlyArray<Project.Project>) => Effect.Effect<void, ApiKeysError>
) {
  let index = initial
  // One change at a time: each starts from what the one before it has brought to the disk.
  const changes = yield* Semaphore.make(1)
  const change = (edit: (projects: ReadonlyArray<Project.Project>) => ReadonlyArray<Project.Project>) =>
    Effect.suspend(() => {
      const next = indexOf(edit([...index.values()]))
      if (Result.isFailure(next)) return Effect.fail(next.failure)
      return Effect.map(persist([...next.success.values()]), () => {
        index = next.success
      })
    }).pipe(Effect.uninterruptible, changes.withPermits(1))

  return ApiKeys.of({
    // The comparison is a lookup of the digest: its timing tells about digests, not about keys.
    lookup: (key) => {
      const project = index.get(Project.digest(key))
      return project === undefined ? unknownKey : Exit.succeed(project)
    },
    list: Effect.sync(() => [...index.values()]),
    save: (project) => change((projects) => [...projects.filter((other) => other.id !== project.id), project]),
    remove: (id) => change((projects) => projects.filter((other) => other.id !== id))
  })
})

const File = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Literal(1), projects: Schema.Array(Project.Project) })
)
const decodeFile = Schema.decodeUnknownResult(File, { onExcessProperty: "error" })
const encodeFile = Schema.encodeSync(File)

const load = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => new ApiKeysError({ reason: { _tag: "Unreadable", path: file, code: codeOf(cause) } })
  }).pipe(
    Effect.catchIf(
      (error) => error.reason._tag === "Unreadable" && error.reason.code === "ENOENT",
      () => Effect.succeed(undefined)
    )
  )
  if (text === undefined) return new Map<string, Project.Project>()
  const damaged = (detail: string) => new ApiKeysError({ reason: { _tag: "Damaged", path: file, detail } })
  const decoded = decodeFile(text)
  if (Result.isFailure(decoded)) return yield* damaged(decoded.failure.message)
  const index = indexOf(decoded.success.projects)
  return Result.isFailure(index) ? yield* damaged(index.failure.message) : index.success
})

const write = (file: string, projects: ReadonlyArray<Project.Project>): Effect.Effect<void, ApiKeysError> =>
  Effect.tryPromise({
    try: async () => {
      const fresh = `${file}.${randomBytes(6).toString("hex")}.tmp`
      try {
        const handle = await open(fresh, "wx", 0o600)
        try {
          await handle.writeFile(encodeFile({ version: 1, projects }))
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(fresh, file)
      } catch (cause) {
        await rm(fresh, { force: true })
        throw cause
      }
      // The rename is an entry of the folder, and is safe only when the folder is on the disk too.
      const folder = await open(path.dirname(file), "r")
      try {
        await folder.sync()
      } finally {
        await folder.close()
      }
    },
    catch: (cause) => new ApiKeysError({ reason: { _tag: "Unwritable", path: file, code: codeOf(cause) } })
  })

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "UNKNOWN"
