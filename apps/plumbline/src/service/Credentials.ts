/**
 * The API key of a data folder: made on its first start, the same ever after.
 */
import { randomUUID } from "node:crypto"

import * as ApiKeys from "@plumbline/gateway/ApiKeys"
import * as Project from "@plumbline/gateway/Project"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

import * as ServiceFile from "../ServiceFile.ts"

/**
 * The record of a folder, not running, with a key that the store of projects knows.
 *
 * The record is written before the project: whenever a first start is cut short, the next one finds the key and goes on
 * from there. A project that is there stays as its owner has set it up.
 */
export const ensure = Effect.fnUntraced(function* (folder: string) {
  const keys = yield* ApiKeys.ApiKeys
  const before = yield* ServiceFile.read(folder)
  if (before !== undefined && before.ipfsUrl === undefined) {
    // Of a start before there was IPFS, when nobody could give a project a card.
    const project = yield* keys.lookup(before.apiKey)
    if (project !== undefined) yield* keys.save({ ...project, card: true })
  }
  const record = ServiceFile.stopped(before ?? fresh())
  yield* ServiceFile.write(folder, record)
  if ((yield* keys.lookup(record.apiKey)) === undefined) {
    yield* keys.save(
      Project.make({
        id: randomUUID(),
        name: "local",
        key: Redacted.make(record.apiKey),
        secret: Redacted.make(record.apiKeySecret),
        // IPFS asks for one, and who runs the service owes nobody anything
        card: true
      })
    )
  }
  return record
})

const fresh = (): ServiceFile.Record => {
  const { key, secret } = ApiKeys.generate()
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
