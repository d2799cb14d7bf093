import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type * as Account from "@plumbline/gateway/accounts/Account"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { TableColumn } from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"
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
  const limits = LimitFlags.applied<KeyLimits.KeyLimits>({}, yield* changesOf(flags))
  const admin = yield* AdminCall.connect(service)
  const payload = { name, ...AdminFlags.given({ card }), ...(KeyLimits.isNone(limits) ? {} : { limits }) }
  const made = yield* admin.accounts.create({ headers: {}, payload })
  return yield* read(admin, made.id)
})

export const update = Effect.fnUntraced(function* (flags: AccountFlags["update"], service: AdminFlags.AdminFlags) {
  const { card, customer, id, name } = flags
  const settings = AdminFlags.given({ name, card })
  const changes = yield* changesOf(flags)
  const hasLimits = Object.keys(changes).length > 0
  const isUnchanged = Object.keys(settings).length === 0 && !hasLimits
  if (isUnchanged && Option.isNone(customer)) return yield* AdminCall.noChange
  const admin = yield* AdminCall.connect(service)
  // the request that the service can refuse is sent first, so that a refusal leaves the account unchanged
  if (Option.isSome(customer)) {
    const payload = { customer: customer.value === "none" ? null : customer.value }
    yield* admin.accounts.setCard({ params: { id }, payload })
  }
  if (!isUnchanged) {
    const before = hasLimits ? (yield* admin.accounts.get({ params: { id } })).limits : undefined
    const limits = hasLimits ? { limits: LimitFlags.applied(before ?? {}, changes) } : {}
    yield* admin.accounts.update({ params: { id }, payload: { ...settings, ...limits } })
  }
  return yield* read(admin, id)
})

export const remove = AdminCall.remover(
  (admin) => admin.accounts.remove,
  (id) => `Removed the account ${id}`
)

const changesOf = ({ limits }: Pick<AccountFlags["update"], "limits">) =>
  Effect.fromResult(LimitFlags.parse(limits, KeyLimits.parse))

/** Reads an account, the source of its card, if it has one, and the use of its limits. */
const read = Effect.fnUntraced(function* (admin: AdminClient.AdminClient, id: string) {
  const account = yield* admin.accounts.get({ params: { id } })
  const card = yield* admin.accounts.card({ params: { id } })
  const { limits } = account
  const used = limits === undefined ? undefined : yield* admin.limits.account({ params: { id } })
  return ResultView.one({ account, card, ...(used === undefined ? {} : { used }) }, account.name, [
    ["id", account.id],
    ["card", cardText(card)],
    ["limits", ResultView.keyLimits(limits ?? {}, "those of its projects")],
    ...(used?.day == null ? [] : [["credits today", Units.grouped(BigInt(used.day.used))] as const])
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
