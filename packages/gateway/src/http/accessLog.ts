/** The access log: one line for each HTTP request. */
import * as Effect from "effect/Effect"

import * as Redaction from "../errors/Redaction.ts"
import { type Exchange, LEFT } from "./exchange.ts"

/** Logs a request that has ended. The path is redacted, because it contains the key. */
export const log = ({
  bytesIn,
  bytesOut,
  method,
  owner,
  requestId,
  start,
  status = LEFT,
  url
}: Exchange): Effect.Effect<void> =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      method,
      path: Redaction.path(url),
      status,
      duration: `${Math.round(performance.now() - start)}ms`,
      bytesIn,
      bytesOut,
      requestId,
      ...(owner === undefined ? {} : { project: owner.project, network: owner.network })
    })
  )
