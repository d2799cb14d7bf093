/** The access log: one line for each HTTP request. */
import * as Effect from "effect/Effect"

import * as Redaction from "../errors/Redaction.ts"
import { type HttpExchange, LEFT } from "./httpExchange.ts"

/** Logs a request that has ended. The path is redacted, because it contains the key. */
export const log = ({
  bytesIn,
  bytesOut,
  owner,
  request,
  requestId,
  response,
  start
}: HttpExchange): Effect.Effect<void> =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      method: request.method ?? "",
      path: Redaction.path(request.url ?? ""),
      status: response.headersSent ? response.statusCode : LEFT,
      duration: `${Math.round(performance.now() - start)}ms`,
      bytesIn,
      bytesOut,
      requestId,
      ...(owner === undefined ? {} : { project: owner.project, network: owner.network })
    })
  )
