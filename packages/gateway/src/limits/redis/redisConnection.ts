/** The connection to Redis that runs the scripts. */
import * as Backoff from "@plumbline/jsonrpc-core/time/Backoff"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import { SettingError } from "../../errors/SettingError.ts"
import { LimiterError } from "../LimiterError.ts"
import type { ScriptCall } from "./limiterScripts.ts"

/** Runs a script. While there is no connection, the promise rejects at once. */
export type RunScript = (call: ScriptCall) => Promise<unknown>

/**
 * Opens a connection to Redis, and opens it again whenever it breaks, until the scope closes.
 *
 * The effect waits until the connection is open or has failed once. It imports the Redis client when it runs, so that a
 * service without Redis does not load the client.
 */
export const make: (url: Redacted.Redacted) => Effect.Effect<RunScript, SettingError, Scope.Scope> = Effect.fnUntraced(
  function* (url) {
    if (!isRedisUrl(Redacted.value(url))) {
      return yield* new SettingError({ setting: "url", problem: "must be redis://host:port or rediss://host:port" })
    }
    const { createClient } = yield* Effect.promise(() => import("@redis/client"))
    const client = createClient({
      url: Redacted.value(url),
      // Without this, a command could wait for the connection and run long after its caller got an answer.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
      // Pings detect a connection that the other side has lost.
      pingInterval: PING,
      socket: {
        connectTimeout: CONNECT,
        socketTimeout: 3 * PING,
        reconnectStrategy: (retries) => Math.ceil(Backoff.delay(BACKOFF, retries, Math.random()))
      },
      disableClientInfo: true
    })
    // The error is not logged here, because its message contains the address. `send` fails too, and `Limiter` logs that
    // the store is down.
    client.on("error", () => undefined)
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        const done = () => resume(Effect.void)
        client.once("ready", done)
        client.once("error", done)
        client.connect().catch(done)
      }),
      () => Effect.sync(() => client.destroy())
    )
    return ({ rest, script }) =>
      client.sendCommand(["EVALSHA", script.sha, ...rest]).catch((error: unknown) => {
        // Redis loses its scripts when it restarts. EVAL sends the whole script, and Redis stores it again.
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error
        return client.sendCommand(["EVAL", script.lua, ...rest])
      })
  }
)

/** Maps a failure of the client to a `LimiterError`. It leaves out the client's text, which contains addresses. */
export const errorOf = (error: unknown): LimiterError => {
  if (!(error instanceof Error)) return unreachable("UNKNOWN")
  const refused = /^([A-Z][A-Z0-9]{1,31})(?: |$)/u.exec(error.message)
  if (refused !== null && !("code" in error)) {
    return new LimiterError({ reason: { _tag: "Refused", code: refused[1]! } })
  }
  return unreachable("code" in error && typeof error.code === "string" ? error.code : error.constructor.name)
}

const unreachable = (code: string) => new LimiterError({ reason: { _tag: "Unreachable", code } })

const isRedisUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "redis:" || url.protocol === "rediss:") && url.hostname !== ""
}

const CONNECT = 2000
const PING = 5000
const MAX_WAITING = 10_000

/** The pause before the next attempt has a random part, so that different processes wait for different times. */
const BACKOFF: Backoff.Backoff = { initial: 100, factor: 2, max: 5000, jitter: 0.5 }
