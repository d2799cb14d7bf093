/**
 * The key that signs the cookies of sign-ins at the identity provider.
 *
 * The key is random, and the database keeps it for all processes. The client secret cannot be the key: the provider's
 * operator chooses its length, and anyone gets a signed cookie, so a short secret could be found by trying secrets
 * without a request. A minimum length of the secret would still leave a service without one to its admin tokens, which
 * its processes need not share. A reader of the database can sign cookies with the key, but gets no session: for that,
 * the provider must name a person with a role.
 */
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"

import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

import type { SecretRow } from "./adminTables.ts"
import { stated } from "./storeFailures.ts"

/** Returns the key of this database. The first process makes it. The tables of `adminTables.ts` must exist. */
export const read = (sql: SqlClient.SqlClient): Effect.Effect<Buffer, StateError> =>
  Effect.gen(function* () {
    const made: SecretRow = { name: NAME, secret: randomBytes(32).toString("base64url") }
    // processes that start at the same time keep the key of the first
    yield* sql`INSERT INTO admin_secrets ${sql.insert(made)} ON CONFLICT (name) DO NOTHING`
    const [row = made] = yield* sql<SecretRow>`SELECT name, secret FROM admin_secrets WHERE name = ${NAME}`
    return Buffer.from(row.secret, "base64url")
  }).pipe(stated)

const NAME = "sign-in cookie"
