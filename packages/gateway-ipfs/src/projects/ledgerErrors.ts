/** Makes the errors of the ledger and of pins. */
import { fromSql } from "@plumbline/gateway/state/StateError"
import {
  Failed,
  InvalidRequest,
  IpfsNodeError,
  PinRefused,
  type Reason
} from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

export const failure = (reason: Reason): IpfsNodeError => new IpfsNodeError({ reason })

export const invalid = (what: string, detail: string): IpfsNodeError => failure(new InvalidRequest({ what, detail }))

export const refused = (subject: string, problem: PinRefused["problem"]): IpfsNodeError =>
  failure(new PinRefused({ subject, problem }))

/** Returns the error for a failure of the database. The sentence contains no path, host or stored value. */
const stateFailure = (error: SqlError): IpfsNodeError =>
  failure(new Failed({ doing: "using the ledger of pins", detail: fromSql(error).detail }))

/** Maps errors of the database to `IpfsNodeError`. */
export const guarded = <A, E>(
  work: Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError> | IpfsNodeError> =>
  Effect.mapError(work, (error) => (isSqlError(error) ? stateFailure(error) : (error as Exclude<E, SqlError>)))
