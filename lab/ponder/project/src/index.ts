/** Fills the tables: from logs, receipts, transactions and blocks, and from reads of the chain at their block. */
import { ponder } from "ponder:registry"
import * as tables from "ponder:schema"

import { run } from "../run"

ponder.on("Coin:Transfer", async ({ context, event }) => {
  const { args, block, id, log, transaction } = event
  await context.db.insert(tables.transfer).values({
    id,
    token: log.address,
    from: args.from,
    to: args.to,
    value: args.value,
    block: block.number,
    time: block.timestamp,
    transaction: transaction.hash
  })
})

ponder.on("Pool:Swap", async ({ context, event }) => {
  const { args, id, log, transaction, transactionReceipt } = event
  const address = log.address
  const { client, contracts } = context
  await context.db.insert(tables.swap).values({
    id,
    pool: address,
    to: args.to,
    amount0: args.amount0,
    amount1: args.amount1,
    gas: transactionReceipt.gasUsed,
    reserve: await client.readContract({ abi: contracts.Pool.abi, address, functionName: "reserve0" }),
    ether: await client.getBalance({ address: transaction.from }),
    word: (await client.getStorageAt({ address, slot: "0x0" }))!
  })
})

ponder.on("Trader:transaction:from", async ({ context, event }) => {
  const { block, transaction } = event
  await context.db.insert(tables.sent).values({
    id: transaction.hash,
    to: transaction.to,
    input: transaction.input,
    nonce: transaction.nonce,
    block: block.hash
  })
})

ponder.on("Every:block", async ({ context, event }) => {
  const { hash, number, stateRoot } = event.block
  await context.db.insert(tables.block).values({ number, hash, root: stateRoot })
})

// without a handler, ponder asks for no traces
if (run.traces) {
  ponder.on("Pool.swap()", async ({ event }) => {
    throw new Error(`a trace came: ${event.id}`)
  })
}
