import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type * as Account from "@plumbline/gateway/accounts/Account"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { TableColumn } from "../terminal/TextTable.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import type { AccountFlags } from "./OperatorFlags.ts"
import * as ResultView from "./ResultView.ts"

export const list = Effect.fnUntraced(function* (_: AccountFlags["list"], service: AdminFlags.AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  const accounts = yield* AdminCall.all("accounts", (query) => admin.accounts.list({ query }))
  return ResultView.list("account", accounts, columns)
})

export const show = Effect.fnUntraced(function* ({ id }: AccountFlags["one"], service: AdminFlags.AdminFlags) {
  return yield* read(yield* AdminCall.connect(service), id)
})

export const create = Effect.fnUntraced(function* (flags: AccountFlags["create"], service: AdminFlags.AdminFlags) {
  const { card, name } = flags
  const admin = yield* AdminCall.connect(service)
  const made = yield* admin.accounts.create({ headers: {}, payload: { name, ...AdminFlags.given({ card }) } })
  return yield* read(admin, made.id)
})

export const update = Effect.fnUntraced(function* (flags: AccountFlags["update"], service: AdminFlags.AdminFlags) {
  const { card, customer, id, name } = flags
  const payload = AdminFlags.given({ name, card })
  const isUnchanged = Object.keys(payload).length === 0
  if (isUnchanged && Option.isNone(customer)) return yield* AdminCall.noChange
  const admin = yield* AdminCall.connect(service)
  // the request that the service can refuse is sent first, so that a refusal leaves the account unchanged
  if (Option.isSome(customer)) {
    const changes = { customer: customer.value === "none" ? null : customer.value }
    yield* admin.accounts.setCard({ params: { id }, payload: changes })
  }
  if (!isUnchanged) yield* admin.accounts.update({ params: { id }, payload })
  return yield* read(admin, id)
})

export const remove = AdminCall.remover(
  (admin) => admin.accounts.remove,
  (id) => `Removed the account ${id}`
)

/** Reads an account, and the source of its card, if it has one. */
const read = Effect.fnUntraced(function* (admin: AdminClient.AdminClient, id: string) {
  const account = yield* admin.accounts.get({ params: { id } })
  const card = yield* admin.accounts.card({ params: { id } })
  return ResultView.one({ account, card }, account.name, [
    ["id", account.id],
    ["card", cardText(card)]
  ])
})

const columns: ReadonlyArray<TableColumn<Account.Account>> = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["card", ({ card }) => (card ? "yes" : "no")]
]

const cardText = ({ brand, expiry, last4, source }: typeof AdminModel.Card.Type): string => {
  if (source === "none") return "none"
  if (source === "manual") return "yes: an operator said so"
  const until = expiry === null ? "" : `, good to the end of ${String(expiry.month).padStart(2, "0")}/${expiry.year}`
  return `${brand ?? "a card"} that ends with ${last4 ?? "?"}${until}`
}
