/**
 * The billing cards of accounts, as reported by the payment provider or stated by an operator.
 */
import { Accounts } from "@plumbline/gateway/accounts/Accounts"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

import type { BillingCardsService } from "./billingCardsService.ts"
import * as BillingCardsStore from "./billingCardsStore.ts"
import { migrations } from "./billingCardsTables.ts"
import * as StripeSignature from "./stripeSignature.ts"

export { BillingCardsError } from "./BillingCardsError.ts"

/**
 * Maximum difference between the time of an event's signature and this machine's clock, in seconds. It applies to times
 * in the past and in the future. When the provider repeats an event, it makes a new signature.
 */
export const TOLERANCE: number = StripeSignature.TOLERANCE

export type { BillingEventOutcome, BillingCardsService } from "./billingCardsService.ts"

/**
 * The service that knows the billing cards of accounts.
 *
 * An account has a card if an operator states so, or if the provider has a card of the account that has not expired.
 * `Account.card` is then true in every process within a second. It becomes false in the millisecond in which the card
 * expires. Events may arrive in any order, and several times: the final state is the same.
 */
export class BillingCards extends Context.Service<BillingCards, BillingCardsService>()(
  "@plumbline/gateway-admin/BillingCards"
) {}

/**
 * Stores billing cards in the database of the accounts. The layer creates its tables. The provider is Stripe. Without
 * the signing secret of the endpoint at Stripe (`whsec_...`) no event is accepted, and only operators can state a card.
 *
 * ```ts import.meta.vitest
 * import { Accounts, ServiceState } from "@plumbline/gateway"
 * import { BillingCards } from "@plumbline/gateway-admin"
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
      return BillingCardsStore.make({
        accounts: yield* Accounts,
        sql: yield* SqlClient.SqlClient,
        secret: options.webhookSecret
      })
    })
  )
