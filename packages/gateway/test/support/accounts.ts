/** The state of a service in memory, with projects whose keys are known to the test. */
import { Accounts, ApiKey, ServiceState, type SettingError, type StateError } from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

/** A project that is there from the start. What is not said is off, without limits. */
export interface Given extends Partial<Omit<Accounts.Adopted, keyof ApiKey.Digests>> {
  readonly id: string
  readonly key: string
  readonly secret: string
  /** Whether its account, which has its id for a name, has a card. */
  readonly card?: boolean
}

/** What a `Gateway` needs, and all else that is kept. Nothing is gathered: a test waits for no clock. */
export const layer = (
  given: ReadonlyArray<Given>,
  options: ServiceState.Options = {}
): Layer.Layer<ServiceState.ServiceState, SettingError.SettingError | StateError.StateError> =>
  Layer.effectDiscard(Effect.orDie(adopt(given))).pipe(
    Layer.provideMerge(
      ServiceState.layerSqlite({ file: ":memory:", ...options, metering: { gather: 0, ...options.metering } })
    )
  )

/** Adds the projects to the accounts that there are; each gets an account of its own. */
export const adopt = Effect.fnUntraced(function* (given: ReadonlyArray<Given>) {
  const accounts = yield* Accounts.Accounts
  for (const { card = false, key, secret, ...project } of given) {
    const account = yield* accounts.createAccount({ name: project.id, card })
    const digests = ApiKey.digests({ key: Redacted.make(key), secret: Redacted.make(secret) })
    yield* accounts.adopt(account.id, { name: project.id, limits: {}, ...project, ...digests })
  }
})

/** An empty state in which somebody else says who holds a key. */
export const withLookup = (lookup: Accounts.Accounts["Service"]["lookup"]) =>
  Layer.effect(
    Accounts.Accounts,
    Effect.map(Accounts.Accounts, (accounts) => ({ ...accounts, lookup }))
  ).pipe(Layer.provideMerge(layer([])))
