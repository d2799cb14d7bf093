/** The interface of billing cards. It stands below the queries that implement it; `BillingCards` exports it. */
import type * as Effect from "effect/Effect"

import type { AccountsError } from "../accounts/AccountsError.ts"
import type { SettingError } from "../errors/SettingError.ts"
import type { StateError } from "../state/StateError.ts"
import type * as BillingCard from "./BillingCard.ts"
import type { BillingCardsError } from "./BillingCardsError.ts"

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
 * Reads and changes which accounts have a card.
 *
 * @since 0.1.0
 */
export interface Service {
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
