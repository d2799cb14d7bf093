/** The interface of billing cards. The queries that implement it import this file; `BillingCards` exports it. */
import type { AccountsError } from "@plumbline/gateway/accounts/AccountsError"
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { StateError } from "@plumbline/gateway/state/StateError"
import type * as Effect from "effect/Effect"

import type * as BillingCard from "./BillingCard.ts"
import type { BillingCardsError } from "./BillingCardsError.ts"

/**
 * The result of an event:
 *
 * - `Changed`: the event contained a new fact.
 * - `Unchanged`: the event was a repetition, or older than one that was received before.
 * - `Ignored`: the event is not about cards.
 */
export type BillingEventOutcome = "Changed" | "Unchanged" | "Ignored"

/**
 * Reads and changes the cards of accounts.
 */
export interface BillingCardsService {
  /** Returns the status of an account's card at this time. */
  readonly status: (account: string) => Effect.Effect<BillingCard.CardStatus, AccountsError | StateError>
  /** Returns the id of the provider's customer that an account is linked to; undefined if there is none. */
  readonly customer: (account: string) => Effect.Effect<string | undefined, AccountsError | StateError>
  /**
   * States that the account has a card or has none, independently of the provider. It does the same as
   * `Accounts.updateAccount(account, { card })`.
   */
  readonly setManual: (account: string, card: boolean) => Effect.Effect<void, AccountsError | StateError>
  /**
   * Links an account to one of the provider's customers; undefined removes the link. Cards of the customer that the
   * provider reported earlier count too. If the customer is linked to another account, the effect fails with `Taken`.
   */
  readonly link: (
    account: string,
    customer: string | undefined
  ) => Effect.Effect<void, AccountsError | SettingError | StateError>
  /**
   * Processes an event of the provider, given the bytes of its body and the `Stripe-Signature` header. When it returns,
   * the content of the event is on the disk.
   */
  readonly receive: (
    payload: Uint8Array,
    signature: string | undefined
  ) => Effect.Effect<BillingEventOutcome, BillingCardsError | StateError>
}
