/**
 * Who has a billing card: what the payment provider tells, and what an operator says.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

import { Accounts } from "./Accounts.ts"
import type { AccountsError } from "./AccountsError.ts"
import type * as BillingCard from "./BillingCard.ts"
import type { BillingCardsError } from "./BillingCardsError.ts"
import * as Signature from "./internal/billingSignature.ts"
import * as Store from "./internal/billingStore.ts"
import { migrations } from "./internal/billingTables.ts"
import * as Migrations from "./Migrations.ts"
import type { SettingError } from "./SettingError.ts"
import type { StateError } from "./StateError.ts"

/**
 * How old the signature of an event may be, in seconds, by this machine's clock; or how far ahead of it. The provider
 * signs anew each time that it sends an event again.
 *
 * @since 0.1.0
 */
export const TOLERANCE: number = Signature.TOLERANCE

/**
 * What came of an event:
 *
 * - `Changed`: something is known that was not known before.
 * - `Unchanged`: it was known already, as when an event comes twice, or has been overtaken by a newer one.
 * - `Ignored`: it is not about cards.
 *
 * @since 0.1.0
 */
export type Outcome = "Changed" | "Unchanged" | "Ignored"

/**
 * Billing cards.
 *
 * An account has a card when an operator says so, or when the provider keeps one for it that has not expired; then
 * `Account.card` is true in every process within a second, and until the millisecond in which the card expires. Events
 * may come in any order and any number of times: what is known in the end is the same.
 *
 * @since 0.1.0
 */
export class BillingCards extends Context.Service<
  BillingCards,
  {
    /** By which card, if by any, an account counts as one that has a card: now, by the clock. */
    readonly status: (account: string) => Effect.Effect<BillingCard.Status, AccountsError | StateError>
    /** What an operator says, whatever the provider knows: the same as `Accounts.updateAccount(account, { card })`. */
    readonly setManual: (account: string, card: boolean) => Effect.Effect<void, AccountsError | StateError>
    /**
     * Says which of the provider's customers an account is: none, if undefined. Cards that the provider has told of before
     * count too. One customer is one account: `Taken` if it is another's.
     */
    readonly link: (
      account: string,
      customer: string | undefined
    ) => Effect.Effect<void, AccountsError | SettingError | StateError>
    /**
     * Takes an event of the provider, as the bytes of its body and the `Stripe-Signature` header. When it returns, what
     * the event says is on the disk.
     */
    readonly receive: (
      payload: Uint8Array,
      signature: string | undefined
    ) => Effect.Effect<Outcome, BillingCardsError | StateError>
  }
>()("@plumbline/gateway/BillingCards") {}

/**
 * Billing cards in the database of the accounts, whose tables it makes. The provider is Stripe; without the signing
 * secret of its endpoint (`whsec_...`) no event is taken, and cards are what operators say.
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
 *
 * @since 0.1.0
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
