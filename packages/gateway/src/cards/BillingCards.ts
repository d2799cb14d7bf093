/**
 * The billing cards of accounts, as reported by the payment provider or stated by an operator.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

import { Accounts } from "../accounts/Accounts.ts"
import * as Migrations from "../state/Migrations.ts"
import type { StateError } from "../state/StateError.ts"
import type { Service } from "./service.ts"
import * as Signature from "./signature.ts"
import * as Store from "./store.ts"
import { migrations } from "./tables.ts"

export { BillingCardsError } from "./BillingCardsError.ts"

/**
 * The maximum difference between the time of an event's signature and this machine's clock, in seconds, in the past or
 * in the future. The provider signs again each time that it sends an event again.
 */
export const TOLERANCE: number = Signature.TOLERANCE

export type { Outcome, Service } from "./service.ts"

/**
 * Billing cards.
 *
 * An account has a card when an operator says so, or when the provider keeps one for it that has not expired. Then
 * `Account.card` is true in every process within a second, and until the millisecond in which the card expires. Events
 * may come in any order and any number of times: the final state is the same.
 */
export class BillingCards extends Context.Service<BillingCards, Service>()("@plumbline/gateway/BillingCards") {}

/**
 * Billing cards in the database of the accounts; it creates its tables. The provider is Stripe. Without the signing
 * secret of its endpoint (`whsec_...`) no event is accepted, and only operators can state a card.
 *
 * ```ts import.meta.vitest
 * import { Accounts, BillingCards, ServiceState } from "@plumbline/gateway"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const accounts = yield* Accounts.Accounts
 *   const cards = yield* BillingCards.BillingCards
 *   const { id } = yield* accounts.createAccount({ name: "Ada" })
 *   const before = yield* cards.status(id)
 *   yield* cards.setManual(id, true)
 *   return [before._tag, (yield* cards.status(id))._tag]
 * })
 * const layer = BillingCards.layer().pipe(Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })))
 * await Effect.runPromise(Effect.provide(program, layer)) // => ["None", "Manual"]
 * ```
 */
export const layer = (
  options: { readonly webhookSecret?: Redacted.Redacted | undefined } = {}
): Layer.Layer<BillingCards, StateError, Accounts | SqlClient.SqlClient> =>
  Layer.effect(
    BillingCards,
    Effect.gen(function* () {
      yield* Migrations.run(migrations)
      return Store.make({
        accounts: yield* Accounts,
        sql: yield* SqlClient.SqlClient,
        secret: options.webhookSecret
      })
    })
  )
