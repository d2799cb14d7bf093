/** The API key and the admin token of a data folder: created at its first start, and unchanged from then on. */
import { randomUUID } from "node:crypto"

import * as AdminToken from "@plumbline/gateway-admin/api/AdminToken"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

import { DataError, dataError } from "../files/DataError.ts"
import * as ServiceFile from "../home/ServiceFile.ts"

/**
 * Returns the record of a data folder in which no service runs, and makes sure that the store of accounts has the
 * record's key.
 *
 * A first start writes the record before the project, and creates account and project in one change. If it is cut
 * short, the next start finds the key and continues from there. If accounts already exist, nothing is added: changed
 * projects and revoked keys stay as they are. But if the record was lost, a new key gets a new project beside the
 * existing ones. The record has no admin token if one is configured.
 */
export const ensure = Effect.fnUntraced(function* (folder: string, configured: Redacted.Redacted | undefined) {
  const known = yield* ServiceFile.read(folder)
  const { adminToken, ...before } = ServiceFile.stopped(known ?? fresh())
  const record: ServiceFile.ServiceRecord =
    configured === undefined ? { ...before, adminToken: adminToken ?? Redacted.value(AdminToken.generate()) } : before
  const accounts = yield* Accounts.Accounts
  const sql = yield* SqlClient.SqlClient
  const adopted = sql.withTransaction(adopt(folder, record))
  const isFirst = (yield* accounts.accounts()).length === 0
  // project first: after an interruption, a written record would make the next start think that the key has a project
  if (!isFirst && known === undefined) yield* adopted
  yield* ServiceFile.write(folder, record)
  if (isFirst) yield* adopted
  return record
})

/**
 * Makes the project of the key. It has no limits, and its account has a card: the operator does not pay for the
 * service, and a plan's limits would only stop load tests by developers.
 */
const adopt = Effect.fnUntraced(function* (folder: string, { apiKey, apiKeySecret }: ServiceFile.ServiceRecord) {
  const accounts = yield* Accounts.Accounts
  const digests = ApiKey.digests({ key: Redacted.make(apiKey), secret: Redacted.make(apiKeySecret) })
  // keep the id of the old project, because pins and usage refer to it
  const old = (yield* oldProjects(folder)).find(({ keyHash }) => keyHash === digests.keyHash)
  const account = yield* accounts.createAccount({ name: "local", card: true })
  yield* accounts.adopt(account.id, {
    id: old?.id ?? randomUUID(),
    name: old?.name ?? "local",
    secretRequired: old?.secretRequired ?? false,
    limits: ProjectLimits.none,
    ...digests
  })
})

const OldProject = Schema.Struct({
  id: Schema.NonEmptyString,
  name: Schema.String,
  keyHash: Schema.String,
  secretRequired: Schema.Boolean
})

const decodeOldProjects = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), projects: Schema.Array(OldProject) }))
)

/**
 * Reads `projects.json`, the file in which versions without accounts kept the projects of a data folder. Returns an
 * empty list if there is no file. The file is not changed.
 */
const oldProjects = Effect.fnUntraced(function* (folder: string) {
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
    decodeOldProjects(text),
    () => new DataError({ path: file, problem: "Damaged", detail: "it is not a list of projects" })
  )
  return projects
})

/**
 * Returns a sentence if the store of accounts holds less than the record of its folder remembers. The record is a file
 * of its own, so it survives when the database is emptied, replaced by an older one, or loses the end of its log.
 */
export const lossOf = Effect.fnUntraced(function* (folder: string) {
  const known = (yield* ServiceFile.read(folder))?.accounts
  const { changes, projects } = yield* Accounts.extent
  if (known === undefined || changes >= known.changes) return undefined
  return (
    `state.sqlite has lost changes: it holds ${counted(projects, "project")} and ${counted(changes, "change")}, and held ` +
    `${counted(known.projects, "project")} and ${counted(known.changes, "change")} when the service last ran. ` +
    "It was emptied, replaced by an older one, or its log (state.sqlite-wal) was cut. " +
    "If that was not on purpose, stop the service and restore the folder from a backup"
  )
})

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const fresh = (): ServiceFile.ServiceRecord => {
  const { key, secret } = ApiKey.generate()
  return {
    version: 1,
    url: null,
    wsUrl: null,
    ipfsUrl: null,
    pid: null,
    apiKey: Redacted.value(key),
    apiKeySecret: Redacted.value(secret),
    networks: []
  }
}
