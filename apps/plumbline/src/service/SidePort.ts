/** The ports beside the service's own port: their URLs, and their errors. */
import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Effect from "effect/Effect"

/** Returns the URL of a listener. */
export const urlOf = (scheme: "http" | "https", host: string, port: number): string =>
  `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Adds the setting of the listener's port to its error, so that the error's advice names the right port. */
export const named = <A, R>(listening: Effect.Effect<A, GatewayError, R>, setting: string) =>
  Effect.mapError(listening, (error) =>
    error.reason._tag === "CannotListen" ? new GatewayError({ reason: { ...error.reason, setting } }) : error
  )
