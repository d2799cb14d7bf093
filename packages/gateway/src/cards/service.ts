/** The interface of billing cards. The queries that implement it import this file; `BillingCards` exports it. */
import type * as Effect from "effect/Effect"

import type { AccountsError } from "../accounts/AccountsError.ts"
import type { SettingError } from "../errors/SettingError.ts"
import type { StateError } from "../state/StateError.ts"
import type * as BillingCard from "./BillingCard.ts"
import type { BillingCardsError } from "./BillingCardsError.ts"

/**
 * The result of an event:
 *
 * - `Changed`: the event added a new fact.
 * - `Unchanged`: the fact was known already, as when an event comes twice, or after a newer one.
 * - `Ignored`: the event is not about cards.
 */
export type Outcome = "Changed" | "Unchanged" | "Ignored"

/**
 * Reads and changes the cards of accounts.
 */
export interface Service {
  /** Returns the card of an account that is valid now, if there is one. */
  readonly status: (account: string) => Effect.Effect<BillingCard.Status, AccountsError | StateError>
  /** Returns the provider's customer that an account is linked to, if it is linked to one. */
  readonly customer: (account: string) => Effect.Effect<string | undefined, AccountsError | StateError>
  /**
   * Sets by hand if the account has a card, regardless of the provider: the same as `Accounts.updateAccount(account, {
   * card })`.
   */
  readonly setManual: (account: string, card: boolean) => Effect.Effect<void, AccountsError | StateError>
  /**
   * Links an account to one of the provider's customers; undefined removes the link. Cards that the provider reported
   * before count too. A customer belongs to one account: `Taken` if it is another's.
   */
  readonly link: (
    account: string,
    customer: string | undefined
  ) => Effect.Effect<void, AccountsError | SettingError | StateError>
  /**
   * Takes an event of the provider, as the bytes of its body and the `Stripe-Signature` header. When it returns, the
   * facts of the event are on the disk.
   */
  readonly receive: (
    payload: Uint8Array,
    signature: string | undefined
  ) => Effect.Effect<Outcome, BillingCardsError | StateError>
}
