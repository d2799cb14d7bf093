/** The reload of TLS: reads the files of the certificate at the start and at each reload, and checks them in between. */
import type * as Gateway from "@plumbline/gateway/Gateway"
import type * as GatewayTls from "@plumbline/gateway/http/Tls"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import { dataError } from "../files/DataError.ts"

/**
 * Time between two checks of the files. A check reads both files, because a renewal may replace links and folders
 * instead of files.
 */
const EVERY = Duration.seconds(10)

/** Reads the files; undefined if the settings name none. */
export const read = Effect.fnUntraced(function* (tls: ServiceSettings["tls"]) {
  if (tls === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const readFile = (file: string) =>
    Effect.mapError(fs.readFileString(file), (error) => dataError(file, "Unreadable", error))
  const found: GatewayTls.Tls = {
    certificate: yield* readFile(tls.certificate),
    key: Redacted.make(yield* readFile(tls.key)),
    minVersion: tls.minVersion
  }
  return found
})

/** Checks the files for changes, for ever. */
export const watch = Effect.fnUntraced(function* (...watched: Parameters<typeof looks>) {
  const look = yield* looks(...watched)
  return yield* Effect.forever(Effect.andThen(Effect.sleep(EVERY), look))
})

/**
 * Returns an effect that checks the files, and renews the certificate if the files have changed since the last check.
 * Files that cannot be used are logged once, and the certificate stays.
 */
export const looks = Effect.fnUntraced(function* (
  gateway: Pick<Gateway.Gateway["Service"], "renew">,
  tls: () => ServiceSettings["tls"]
) {
  const state = (found: GatewayTls.Tls | undefined) =>
    found === undefined ? "" : `${found.certificate}\n${Redacted.value(found.key)}`
  let known = state(yield* read(tls()))
  const stays = (error: { readonly message: string }) =>
    Effect.logError("the certificate stays as it was", error.message)
  const look = Effect.gen(function* () {
    const found = yield* read(tls())
    const seen = state(found)
    if (found === undefined || seen === known) return
    known = seen
    yield* gateway.renew(found)
    yield* Effect.logInfo("the certificate was renewed")
  }).pipe(
    Effect.catch((error) => {
      if (error._tag !== "DataError") return stays(error)
      const isNew = known !== error.message
      known = error.message
      return isNew ? stays(error) : Effect.void
    })
  )
  return look
})
