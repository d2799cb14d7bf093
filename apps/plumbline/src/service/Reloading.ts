/** Changes the configuration of a running service. */
import type * as Gateway from "@plumbline/gateway/Gateway"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import type * as ServiceNetworks from "./ServiceNetworks.ts"
import * as ServiceOptions from "./ServiceOptions.ts"
import * as SettingChanges from "./SettingChanges.ts"

/** The parts of a running service that change with its configuration. */
export interface RuntimeParts {
  settings: ServiceSettings
  policy: AccessPolicy.Policy
}

/** Returns the live parts for settings. */
export const liveOf = (settings: ServiceSettings): RuntimeParts => ({
  settings,
  policy: AccessPolicy.card(settings.policies.card)
})

/** The parts of a service that a change needs. */
export interface ReloadParts<E, R, E2, R2> extends Omit<ServiceOptions.ServiceOptionParts, "networks"> {
  readonly live: RuntimeParts
  readonly gateway: Gateway.Gateway["Service"]
  readonly networks: ServiceNetworks.ServiceNetworks
  /** Reads the settings again. */
  readonly again: Effect.Effect<ServiceSettings, E, R>
  /** Writes the new networks, and the values that depend on the settings, to the record. */
  readonly write: (networks: ReadonlyArray<Network>, settings: ServiceSettings) => Effect.Effect<void, E2, R2>
}

/**
 * Reads the settings again. Applies the changes that are possible while the service runs, and reports their names and
 * those of the changes that need a restart. A failure changes nothing.
 *
 * Calls in flight finish at the nodes where they began. Then the removed nodes are closed, and the next change can
 * begin. So each change is in effect when it is reported.
 */
export const make = Effect.fnUntraced(function* <E, R, E2, R2>(parts: ReloadParts<E, R, E2, R2>) {
  const { again, gateway, live, networks, write } = parts
  const scope = yield* Effect.scope
  const oneByOne = yield* Semaphore.make(1)

  const prepare = Effect.gen(function* () {
    const wanted = yield* again
    const restart = SettingChanges.needRestart(live.settings, wanted)
    const settings = SettingChanges.applicable(live.settings, wanted)
    const changed = SettingChanges.changed(live.settings, settings)
    const prepared = yield* networks.prepare(settings.networks)
    const options = yield* ServiceOptions.make(settings, { ...parts, networks: prepared.networks }).pipe(
      Effect.tap(() => write(prepared.networks, settings)),
      Effect.onError(() => prepared.discard)
    )
    return { changed, restart, settings, prepared, options }
  })

  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(oneByOne.take(1))
      const { changed, options, prepared, restart, settings } = yield* Effect.onError(restore(prepare), () =>
        oneByOne.release(1)
      )
      Object.assign(live, liveOf(settings))
      // if the service ends in the meantime, calls in flight still need the nodes, so the nodes close after the gateway
      const ended = Effect.andThen(Effect.orDie(gateway.reload(options)), yield* prepared.commit)
      yield* Effect.forkIn(Effect.ensuring(ended, oneByOne.release(1)), scope, { startImmediately: true })
      return { changed, restart }
    })
  )
})
