/**
 * `plumbline accounts ...`
 */
import type * as AdminClient from "@plumbline/gateway/admin/AdminClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as OperatorView from "./OperatorView.ts"

/** `plumbline accounts list` */
export const list = (flags: AdminFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.map(
      AdminCall.all((after) =>
        Effect.map(admin.accounts.list({ query: after }), ({ accounts, next }) => [accounts, next] as const)
      ),
      (accounts) => ({
        json: JSON.stringify({ accounts }),
        view: (style) => OperatorView.accounts(accounts, style)
      })
    )
  )

/** The flags of a command about one account. */
export interface OneFlags extends AdminFlags {
  readonly id: string
}

/** `plumbline accounts show` */
export const show = (flags: OneFlags) => AdminCall.answer(flags, (admin) => read(admin, flags.id))

/** The flags of `accounts create`. */
export interface CreateFlags extends AdminFlags {
  readonly name: string
  readonly card: Option.Option<boolean>
}

/** `plumbline accounts create` */
export const create = (flags: CreateFlags) =>
  AdminCall.answer(flags, (admin) => {
    const card = Option.match(flags.card, { onNone: () => ({}), onSome: (given) => ({ card: given }) })
    return Effect.flatMap(admin.accounts.create({ headers: {}, payload: { name: flags.name, ...card } }), ({ id }) =>
      read(admin, id)
    )
  })

/** The flags of `accounts update`. */
export interface UpdateFlags extends OneFlags {
  readonly name: Option.Option<string>
  readonly card: Option.Option<boolean>
  /** The payment provider's id of the customer. `none` removes the id from the account. */
  readonly customer: Option.Option<string>
}

/** `plumbline accounts update` */
export const update = Effect.fnUntraced(function* (flags: UpdateFlags) {
  const { card, customer, id, name } = flags
  if (Option.isNone(name) && Option.isNone(card) && Option.isNone(customer)) {
    return yield* new UsageError({ problem: "no change was given: pass at least one flag" })
  }
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin: AdminClient.AdminClient) {
      // the request that the service can refuse is sent first, so that a refusal leaves the account unchanged
      if (Option.isSome(customer)) {
        const payload = { customer: customer.value === "none" ? null : customer.value }
        yield* admin.accounts.setCard({ params: { id }, payload })
      }
      if (Option.isSome(name) || Option.isSome(card)) {
        const payload = {
          ...(Option.isSome(name) ? { name: name.value } : {}),
          ...(Option.isSome(card) ? { card: card.value } : {})
        }
        yield* admin.accounts.update({ params: { id }, payload })
      }
      return yield* read(admin, id)
    })
  )
})

/** `plumbline accounts remove` */
export const remove = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.as(admin.accounts.remove({ params: { id: flags.id } }), {
      json: JSON.stringify({ removed: flags.id }),
      view: (style) => OperatorView.removed(`Removed the account ${flags.id}`, style)
    })
  )

/** Reads an account, and the source of its card, if it has one. */
const read = (admin: AdminClient.AdminClient, id: string) =>
  Effect.zipWith(
    admin.accounts.get({ params: { id } }),
    admin.accounts.card({ params: { id } }),
    (account, card): AdminCall.PrintableResult => ({
      json: JSON.stringify({ account, card }),
      view: (style) => OperatorView.account(account, card, style)
    })
  )
