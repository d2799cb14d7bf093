/** The database queries for billing cards. */
import type { Accounts } from "@plumbline/gateway/accounts/Accounts"
import { AccountsError } from "@plumbline/gateway/accounts/AccountsError"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import { AccountsChanges, type AccountRow, guarded, plain } from "@plumbline/gateway/GatewayInternals"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type * as BillingCard from "./BillingCard.ts"
import { BillingCardsError } from "./BillingCardsError.ts"
import type { BillingEventOutcome, BillingCardsService } from "./billingCardsService.ts"
import * as BillingCardsTables from "./billingCardsTables.ts"
import * as CardNumber from "./cardNumber.ts"
import * as CardRecord from "./cardRecord.ts"
import * as StripeEvents from "./stripeEvents.ts"
import * as StripeSignature from "./stripeSignature.ts"

/** Makes the store. The tables of billing cards and of accounts must exist. */
export const make = ({
  accounts,
  secret,
  sql
}: {
  readonly accounts: Accounts["Service"]
  readonly sql: SqlClient.SqlClient
  readonly secret: Redacted.Redacted | undefined
}): BillingCardsService => ({
  status: (account) =>
    guarded(
      Effect.gen(function* () {
        const [owner] = yield* sql<{ readonly card: number }>`SELECT card FROM accounts WHERE id = ${plain(account)}`
        if (owner === undefined) return yield* absent(account)
        const [row] = yield* sql<BillingCardsTables.CardRow>`
          SELECT k.* FROM billing_cards k JOIN billing_customers c ON c.id = k.customer
          WHERE c.account = ${account} AND c.deleted = 0 AND k.detached = 0
            AND k.ends_at > ${yield* Clock.currentTimeMillis}
          ORDER BY k.added_at DESC, k.token LIMIT 1`
        const card = row === undefined ? undefined : BillingCardsTables.cardOf(row)
        return card ?? ({ _tag: owner.card === 0 ? "None" : "Manual" } satisfies BillingCard.CardStatus)
      })
    ),

  customer: (account) =>
    guarded(
      Effect.gen(function* () {
        const owners = yield* sql`SELECT id FROM accounts WHERE id = ${plain(account)}`
        if (owners.length === 0) return yield* absent(account)
        const [row] =
          yield* sql<BillingCardsTables.CustomerRow>`SELECT id, account, deleted FROM billing_customers WHERE account = ${account}`
        return row?.id
      })
    ),

  setManual: (account, card) =>
    // updateAccount fails with a SettingError only for an invalid name, and no name is passed here.
    accounts.updateAccount(account, { card }).pipe(Effect.catchTag("SettingError", Effect.die), Effect.asVoid),

  link: Effect.fnUntraced(function* (account, id) {
    if (id !== undefined && (!isId(id) || CardNumber.isIn(id))) return yield* noCustomer
    return yield* change(
      sql,
      Effect.gen(function* () {
        const owners = yield* sql`SELECT id FROM accounts WHERE id = ${plain(account)}`
        if (owners.length === 0) return yield* absent(account)
        const next = id === undefined ? undefined : yield* customer(sql, id)
        if (next !== undefined && next.account !== null && next.account !== account) {
          return yield* new AccountsError({ reason: { _tag: "Taken", kind: "customer", id: next.id } })
        }
        yield* sql`UPDATE billing_customers SET account = NULL WHERE account = ${account}`
        if (next !== undefined) yield* putCustomer(sql, { ...next, account })
        yield* settle(sql, account)
      })
    )
  }),

  receive: Effect.fnUntraced(function* (payload, header): Effect.fn.Return<
    BillingEventOutcome,
    BillingCardsError | StateError
  > {
    const now = yield* Clock.currentTimeMillis
    if (
      secret === undefined ||
      header === undefined ||
      !StripeSignature.isSigned({ payload, header, secret: Redacted.value(secret), now })
    ) {
      return yield* notSigned
    }
    const fact = yield* Effect.fromResult(StripeEvents.parse(payload))
    if (fact === undefined) return "Ignored"
    return yield* change(sql, fact._tag === "Deleted" ? remove(sql, fact.customer) : learn(sql, fact))
  })
})

/**
 * Takes the lock that lets only one change run at a time in all processes; changes of accounts take the same lock. In
 * SQLite each transaction already holds the only lock of the database.
 */
const alone = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT revision FROM accounts_revision FOR UPDATE`,
    orElse: () => Effect.void
  })

const change = <A, E>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError> | StateError> => guarded(sql.withTransaction(Effect.andThen(alone(sql), work)))

const customer = (sql: SqlClient.SqlClient, id: string) =>
  Effect.map(
    sql<BillingCardsTables.CustomerRow>`SELECT id, account, deleted FROM billing_customers WHERE id = ${id}`,
    ([row]): BillingCardsTables.CustomerRow => row ?? { id, account: null, deleted: 0 }
  )

const putCustomer = (sql: SqlClient.SqlClient, row: BillingCardsTables.CustomerRow) => sql`
  INSERT INTO billing_customers ${sql.insert(row)}
  ON CONFLICT (id) DO UPDATE SET account = excluded.account, deleted = excluded.deleted`

const putCard = (sql: SqlClient.SqlClient, row: BillingCardsTables.CardRow) =>
  Effect.andThen(
    sql`DELETE FROM billing_cards WHERE token = ${row.token}`,
    sql`INSERT INTO billing_cards ${sql.insert(row)}`
  )

/**
 * Sets the expiry of an account's card from its customer's cards. If the expiry changed, the log of changes tells all
 * processes.
 */
const settle = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, account: string) {
  const [known] = yield* sql<{ readonly ends_at: number | null }>`
    SELECT MAX(k.ends_at) AS ends_at FROM billing_cards k JOIN billing_customers c ON c.id = k.customer
    WHERE c.account = ${account} AND c.deleted = 0 AND k.detached = 0`
  const until = known?.ends_at ?? null
  const [row] = yield* sql<Pick<AccountRow, "card_until">>`SELECT card_until FROM accounts WHERE id = ${account}`
  if (row === undefined || row.card_until === until) return
  const revision = yield* AccountsChanges.begin(sql)
  yield* sql`UPDATE accounts SET card_until = ${until} WHERE id = ${account}`
  yield* AccountsChanges.record(sql, revision, { account })
})

const settleCustomers = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, ids: ReadonlySet<string>) {
  for (const id of ids) {
    const { account } = yield* customer(sql, id)
    if (account !== null) yield* settle(sql, account)
  }
})

const remove = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  const before = yield* customer(sql, id)
  if (before.deleted !== 0) return "Unchanged" as const
  yield* putCustomer(sql, { ...before, deleted: 1 })
  const cards =
    yield* sql<BillingCardsTables.CardRow>`SELECT token, customer, customer_at, brand, last4, expiry_month, expiry_year, ends_at, told_at, told_by, added_at, detached FROM billing_cards WHERE customer = ${id}`
  yield* Effect.forEach(cards, ({ token }) => putCard(sql, BillingCardsTables.rowOf(CardRecord.gone(token))), {
    discard: true
  })
  yield* settleCustomers(sql, new Set([id]))
  return "Changed" as const
})

const learn = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, fact: CardRecord.CardFact) {
  const [row] =
    yield* sql<BillingCardsTables.CardRow>`SELECT token, customer, customer_at, brand, last4, expiry_month, expiry_year, ends_at, told_at, told_by, added_at, detached FROM billing_cards WHERE token = ${fact.token}`
  const before = row === undefined ? CardRecord.blank(fact.token) : BillingCardsTables.recordOf(row)
  const told = CardRecord.add(before, fact)
  if (told === before) return "Unchanged" as const
  const isGone = told.customer !== null && (yield* customer(sql, told.customer)).deleted !== 0
  const after = isGone ? CardRecord.gone(told.token) : told
  yield* putCard(sql, BillingCardsTables.rowOf(after))
  yield* settleCustomers(sql, new Set([before.customer, after.customer].filter((id) => id !== null)))
  return "Changed" as const
})

const isId = Schema.is(StripeEvents.Id)

const noCustomer = new SettingError({
  setting: "customer",
  problem: "must be an id of the provider, such as cus_ and letters"
})

const notSigned = new BillingCardsError({ problem: "NotSigned" })

const absent = (id: string): AccountsError =>
  new AccountsError({ reason: { _tag: "Absent", kind: "account", id: Redaction.id(id) } })
