/** The tables of billing cards, and the meaning of their rows. */
import type { Migrations } from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"

import type * as BillingCard from "./BillingCard.ts"
import * as CardRecord from "./cardRecord.ts"

/**
 * Customers are stored even if no account is linked to them, because the provider may report a card before an operator
 * links the account. Deleted customers and detached cards stay in the tables, because older events may arrive later.
 */
export const migrations: Migrations = {
  name: "billing",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return Effect.all([
        sql`CREATE TABLE billing_customers (
          id ${id} PRIMARY KEY, account ${id} UNIQUE REFERENCES accounts (id) ON DELETE SET NULL, deleted INTEGER NOT NULL
        )`,
        sql`CREATE TABLE billing_cards (
          token ${id} PRIMARY KEY, customer ${id}, customer_at BIGINT NOT NULL,
          brand TEXT, last4 TEXT, expiry_month INTEGER, expiry_year INTEGER, ends_at BIGINT,
          told_at BIGINT NOT NULL, told_by ${id} NOT NULL, added_at BIGINT NOT NULL, detached INTEGER NOT NULL
        )`,
        sql`CREATE INDEX billing_cards_of_customer ON billing_cards (customer)`
      ])
    }
  ]
}

export type CustomerRow = {
  readonly id: string
  readonly account: string | null
  readonly deleted: number
}

export type CardRow = {
  readonly token: string
  readonly customer: string | null
  readonly customer_at: number
  readonly brand: string | null
  readonly last4: string | null
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  /** The time of expiry, in milliseconds since 1970 UTC. */
  readonly ends_at: number | null
  readonly told_at: number
  readonly told_by: string
  readonly added_at: number
  readonly detached: number
}

export const recordOf = (row: CardRow): CardRecord.CardRecord => ({
  token: row.token,
  customer: row.customer,
  customerAt: row.customer_at,
  card: detailsOf(row),
  toldAt: row.told_at,
  toldBy: row.told_by,
  addedAt: row.added_at,
  detached: row.detached !== 0
})

export const rowOf = (record: CardRecord.CardRecord): CardRow => ({
  token: record.token,
  customer: record.customer,
  customer_at: record.customerAt,
  brand: record.card?.brand ?? null,
  last4: record.card?.last4 ?? null,
  expiry_month: record.card?.expiryMonth ?? null,
  expiry_year: record.card?.expiryYear ?? null,
  ends_at: CardRecord.endsAt(record),
  told_at: record.toldAt,
  told_by: record.toldBy,
  added_at: record.addedAt,
  detached: Number(record.detached)
})

export const cardOf = (row: CardRow): BillingCard.Card | undefined => {
  const details = detailsOf(row)
  return details === null ? undefined : { _tag: "Card", provider: "stripe", token: row.token, ...details }
}

const detailsOf = ({ brand, expiry_month, expiry_year, last4 }: CardRow): CardRecord.CardRecord["card"] =>
  brand === null || last4 === null || expiry_month === null || expiry_year === null
    ? null
    : { brand, last4, expiryMonth: expiry_month, expiryYear: expiry_year }
