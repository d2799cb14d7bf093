/** The state of a service in memory, with projects whose keys the test knows. */
import { Accounts, ApiKey, ServiceState, type SettingError, type StateError } from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

/** A project that exists from the start. By default its settings are off, and it has no limits. */
export interface Given extends Partial<Omit<Accounts.AdoptedProject, keyof ApiKey.ApiKeyDigests>> {
  readonly id: string
  readonly key: string
  readonly secret: string
  /** True if the project's account has a card. The account's name is the id of the project. */
  readonly card?: boolean
}

/** The services that a `Gateway` needs, and the rest of the state. `gather` is off, so that tests need not wait. */
export const layer = (
  given: ReadonlyArray<Given>,
  options: ServiceState.ServiceStateOptions = {}
): Layer.Layer<ServiceState.ServiceState, SettingError.SettingError | StateError.StateError> =>
  Layer.effectDiscard(Effect.orDie(adopt(given))).pipe(
    Layer.provideMerge(
      ServiceState.layerSqlite({ file: ":memory:", ...options, metering: { gather: 0, ...options.metering } })
    )
  )

/** Adds the projects to the store, each with a new account. */
export const adopt = Effect.fnUntraced(function* (given: ReadonlyArray<Given>) {
  const accounts = yield* Accounts.Accounts
  for (const { card = false, key, secret, ...project } of given) {
    const account = yield* accounts.createAccount({ name: project.id, card })
    const digests = ApiKey.digests({ key: Redacted.make(key), secret: Redacted.make(secret) })
    yield* accounts.adopt(account.id, { name: project.id, limits: {}, ...project, ...digests })
  }
})

/** An empty state with the given function `lookup`. */
export const withLookup = (lookup: Accounts.Accounts["Service"]["lookup"]) =>
  Layer.effect(
    Accounts.Accounts,
    Effect.map(Accounts.Accounts, (accounts) => ({ ...accounts, lookup }))
  ).pipe(Layer.provideMerge(layer([])))
