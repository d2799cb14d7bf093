/** The connection to Redis that runs the scripts. */
import { randomInt } from "node:crypto"

import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import { SettingError } from "../../errors/SettingError.ts"
import { LimiterError } from "../LimiterError.ts"
import type { Call } from "./scripts.ts"

/** Runs a script. It rejects at once while there is no connection. */
export type Send = (call: Call) => Promise<unknown>

/**
 * Opens a connection to Redis, which is opened again whenever it breaks, until the scope closes.
 *
 * Waits until the connection is open or has failed once. The client is loaded here, so that a service without Redis
 * does not load it.
 */
export const make: (url: Redacted.Redacted) => Effect.Effect<Send, SettingError, Scope.Scope> = Effect.fnUntraced(
  function* (url) {
    if (!isRedisUrl(Redacted.value(url))) {
      return yield* new SettingError({ setting: "url", problem: "must be redis://host:port or rediss://host:port" })
    }
    const { createClient } = yield* Effect.promise(() => import("@redis/client"))
    const client = createClient({
      url: Redacted.value(url),
      // Otherwise a command that waits for a connection would run long after its caller was answered.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
      // Finds connections that are open on this side only.
      pingInterval: PING,
      socket: { connectTimeout: CONNECT, socketTimeout: 3 * PING, reconnectStrategy: pause },
      disableClientInfo: true
    })
    // Its message holds the address. `send` rejects too, and `Limiter` logs that the store is down.
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
        // Redis forgets scripts when it restarts, and stores a script again when it is sent whole.
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error
        return client.sendCommand(["EVAL", script.lua, ...rest])
      })
  }
)

/** Maps a failure of the client to a `LimiterError`, without its text, which holds addresses. */
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
const LONGEST_PAUSE = 5000

/** Returns the milliseconds before the next try: growing, and never the same for all processes. */
const pause = (retries: number): number => {
  const longest = Math.min(100 * 2 ** retries, LONGEST_PAUSE)
  return randomInt(longest / 2, longest + 1)
}
