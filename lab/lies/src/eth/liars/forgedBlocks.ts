/** Liars that show a forged block, above the head or in place of the true block. */
import type { JsonObject } from "../../json.ts"
import * as Forge from "./forge.ts"
import { another, hasLogs, isSinceByzantium, isSinceLondon, type Liar, liar } from "./liar.ts"
import { quantity, text } from "./node.ts"
import { NEVER, transactionsOf, type World } from "./world.ts"

/** A time in the future: 2096. */
const LATER = "0xed000000"

/** Returns the attacked block with changes and with the hashes that follow from them. */
const remade = (world: World, change: (forged: Forge.Forged) => Forge.Forged): Forge.Forged =>
  Forge.seal(change({ block: world.block, receipts: world.receipts, uncles: world.uncles }))

/** Returns the attacked block with another header: a sibling at the same height. */
const sibling = (world: World, header: JsonObject = { extraData: "0x6c6965" }): Forge.Forged =>
  remade(world, (forged) => ({ ...forged, block: { ...forged.block, ...header } }))

/** Returns a forged block on top of the head. */
const above = (world: World, header: JsonObject = {}): Forge.Forged =>
  sibling(world, { number: quantity(world.head + 1n), parentHash: world.headHash, timestamp: LATER, ...header })

const stateOf = (world: World): Forge.Beside => ({ stateOf: world.hash })

const withStatus = (receipts: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  receipts.map((one) => ("status" in one ? { ...one, status: another(one["status"]) } : one))

export const liars: ReadonlyArray<Liar> = [
  liar("a block above the head", "the transactions are in a block of the liar's making, in the year 2096", (world) =>
    Forge.beside(world.node, above(world), stateOf(world))
  ),
  liar("a block above the head, named", "the same, and it is found by its number and as latest", (world) => {
    const names = [quantity(world.head + 1n), "latest", "safe", "finalized"]
    return Forge.beside(world.node, above(world), { ...stateOf(world), named: names })
  }),
  liar("a block far above the head", "the same, a million blocks on", (world) => {
    const number = quantity(world.head + 1_000_000n)
    return Forge.beside(world.node, above(world, { number }), { ...stateOf(world), named: [number, "latest"] })
  }),
  liar(
    "a block above the head, other outcomes",
    "the same, and what failed succeeded there",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          block: { ...forged.block, number: quantity(world.head + 1n), parentHash: world.headHash },
          receipts: withStatus(forged.receipts)
        }))
      ),
    isSinceByzantium
  ),
  liar(
    "a block above the head, another base fee",
    "the same, and with it what was paid",
    (world) => {
      const fee = "0x5f5e100"
      const priced = (one: JsonObject): JsonObject => ({ ...one, ...priceIn(one, BigInt(fee)) })
      return Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          block: {
            ...forged.block,
            number: quantity(world.head + 1n),
            baseFeePerGas: fee,
            transactions: transactionsOf(forged.block).map(priced)
          },
          receipts: forged.receipts.map((receipt, i) => ({
            ...receipt,
            effectiveGasPrice: priced(transactionsOf(forged.block)[i]!)["gasPrice"]!
          }))
        }))
      )
    },
    isSinceLondon
  ),
  liar("a sibling", "a block at the same height holds the transactions", (world) =>
    Forge.beside(world.node, sibling(world), stateOf(world))
  ),
  liar("a sibling, named", "the same, and it is found by the number", (world) =>
    Forge.beside(world.node, sibling(world), { ...stateOf(world), named: [quantity(world.number)] })
  ),
  liar("a sibling at another time", "a block at the same height, in the year 2096", (world) =>
    Forge.beside(world.node, sibling(world, { timestamp: LATER }), stateOf(world))
  ),
  liar("a sibling in another order", "a block at the same height, its transactions reversed", (world) =>
    Forge.beside(
      world.node,
      remade(world, ({ block, receipts, uncles }) => ({
        block: { ...block, transactions: transactionsOf(block).toReversed() },
        receipts: receipts.toReversed(),
        uncles
      })),
      { named: [quantity(world.number)] }
    )
  ),
  liar(
    "a sibling with other outcomes",
    "a block at the same height, where what failed succeeded",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({ ...forged, receipts: withStatus(forged.receipts) })),
        { named: [quantity(world.number)] }
      ),
    isSinceByzantium
  ),
  liar(
    "a sibling without logs",
    "a block at the same height, where nothing was logged",
    (world) =>
      Forge.beside(
        world.node,
        remade(world, (forged) => ({
          ...forged,
          receipts: forged.receipts.map((receipt) => ({ ...receipt, logs: [] }))
        })),
        { named: [quantity(world.number)] }
      ),
    hasLogs
  ),
  liar("a sibling with another state", "a block at the same height, with the state of another block", (world) =>
    Forge.beside(world.node, sibling(world, { stateRoot: world.parent["stateRoot"]! }), {
      stateOf: text(world.parent["hash"]),
      named: [quantity(world.number), "latest"]
    })
  ),
  liar("a block with a transaction that never was", "an invented hash is in an invented block", (world) => {
    const forged = above(world)
    const [first, ...rest] = transactionsOf(forged.block)
    const told = { ...first!, hash: NEVER }
    return Forge.beside(
      world.node,
      {
        ...forged,
        block: { ...forged.block, transactions: [told, ...rest] },
        receipts: forged.receipts.map((one, i) => (i === 0 ? { ...one, transactionHash: NEVER } : one))
      },
      stateOf(world)
    )
  }),
  liar("a block with an unknown transaction that never was", "the same, of a type that cannot be encoded", (world) => {
    const forged = above(world)
    return Forge.beside(world.node, {
      ...forged,
      block: {
        ...forged.block,
        transactions: transactionsOf(forged.block).map((one, i) => ({
          ...(i === 0 ? { blockHash: one["blockHash"]! } : {}),
          type: "0x64",
          hash: i === 0 ? NEVER : one["hash"]!
        }))
      },
      receipts: forged.receipts.map((one, i) => (i === 0 ? { ...one, transactionHash: NEVER } : one))
    })
  })
]

/**
 * Returns the `gasPrice` of a transaction in a block with this base fee (EIP-1559), or nothing for types whose price is
 * fixed.
 */
const priceIn = (one: JsonObject, baseFee: bigint): JsonObject => {
  if (one["maxFeePerGas"] === undefined) return {}
  const wanted = baseFee + BigInt(text(one["maxPriorityFeePerGas"]))
  const most = BigInt(text(one["maxFeePerGas"]))
  return { gasPrice: quantity(wanted < most ? wanted : most) }
}
