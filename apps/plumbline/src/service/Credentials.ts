/** The API key and the admin token of a data folder: made on its first start, and the same from then on. */
import { randomUUID } from "node:crypto"

import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import * as AdminToken from "@plumbline/gateway/admin/AdminToken"
import * as Limits from "@plumbline/gateway/limits/Limits"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

import * as ServiceFile from "../home/ServiceFile.ts"
import * as OldProjects from "./OldProjects.ts"

/**
 * Returns the record of a folder without a running service. The store of accounts knows the record's key.
 *
 * The record is written before the project, and account and project are one change. If a first start is cut short, the
 * next one finds the key and goes on from there. If there are accounts, nothing is added: a project that its owner has
 * changed, and a key that was revoked, stay as they are. Only if the record was lost, a new key gets a project beside
 * those. The record has no admin token if one is configured.
 */
export const ensure = Effect.fnUntraced(function* (folder: string, configured: Redacted.Redacted | undefined) {
  const known = yield* ServiceFile.read(folder)
  const { adminToken, ...before } = ServiceFile.stopped(known ?? fresh())
  const record: ServiceFile.Record =
    configured === undefined ? { ...before, adminToken: adminToken ?? Redacted.value(AdminToken.generate()) } : before
  const accounts = yield* Accounts.Accounts
  const sql = yield* SqlClient.SqlClient
  const adopted = sql.withTransaction(adopt(folder, record))
  const isFirst = (yield* accounts.accounts()).length === 0
  // otherwise the next start would not know that this key was never adopted
  if (!isFirst && known === undefined) yield* adopted
  yield* ServiceFile.write(folder, record)
  if (isFirst) yield* adopted
  return record
})

/**
 * Makes the project of the key. It has no limits, and its account has a card: the operator of the service owes no
 * payment, and a plan's limits would only stop the load tests of developers.
 */
const adopt = Effect.fnUntraced(function* (folder: string, { apiKey, apiKeySecret }: ServiceFile.Record) {
  const accounts = yield* Accounts.Accounts
  const digests = ApiKey.digests({ key: Redacted.make(apiKey), secret: Redacted.make(apiKeySecret) })
  // pins and usage belong to its id
  const old = (yield* OldProjects.read(folder)).find(({ keyHash }) => keyHash === digests.keyHash)
  const account = yield* accounts.createAccount({ name: "local", card: true })
  yield* accounts.adopt(account.id, {
    id: old?.id ?? randomUUID(),
    name: old?.name ?? "local",
    secretRequired: old?.secretRequired ?? false,
    limits: Limits.none,
    ...digests
  })
})

const fresh = (): ServiceFile.Record => {
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
