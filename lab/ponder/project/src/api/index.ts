/** Serves all rows of the tables, in order. */
import { Hono } from "hono"
import { asc } from "ponder"
import { db } from "ponder:api"
import * as tables from "ponder:schema"

const app = new Hono()

app.get("/tables", async (context) => {
  const { block, sent, swap, transfer } = tables
  const found = {
    transfer: await db.select().from(transfer).orderBy(asc(transfer.id)),
    swap: await db.select().from(swap).orderBy(asc(swap.id)),
    sent: await db.select().from(sent).orderBy(asc(sent.id)),
    block: await db.select().from(block).orderBy(asc(block.number))
  }
  return context.body(JSON.stringify(found, (_, value) => (typeof value === "bigint" ? String(value) : value)))
})

export default app
