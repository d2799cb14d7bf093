/** Liars that show a true block in place of another true block, or no block. */
import { type Liar, liar } from "./liar.ts"
import { object, quantity, text } from "./node.ts"
import { renamed } from "./renamed.ts"
import { everywhere } from "./touch.ts"

export const liars: ReadonlyArray<Liar> = [
  liar("an old head", "latest, safe and finalized are an older block, in all answers", (world) => {
    const number = text(world.parent["number"])
    const stale = renamed(world, { latest: number, safe: number, finalized: number })
    return (method, params) => (method === "eth_blockNumber" ? Promise.resolve(number) : stale(method, params))
  }),
  liar("an old head, of another number", "latest is an older block that says the head's number", (world) => {
    const parent = text(world.parent["number"])
    const stale = renamed(world, { latest: parent })
    return async (method, params) => {
      const answer = await stale(method, params)
      return params[0] === "latest" && method === "eth_getBlockByNumber"
        ? { ...object(answer), number: quantity(world.head) }
        : answer
    }
  }),
  liar("another block by the number", "a true block of another height under this number, relabelled", (world) => {
    const number = quantity(world.number)
    const told = text(world.other.block["number"])
    const stale = renamed(world, { [number]: told, [world.hash]: text(world.other.block["hash"]) })
    return async (method, params) =>
      everywhere(
        everywhere(await stale(method, params), "blockNumber", (value) => (value === told ? number : value)),
        "number",
        (value) => (value === told ? number : value)
      )
  }),
  liar("nothing", "null for everything that may be null", (world) => async (method, params) => {
    const answer = await world.node(method, params)
    return /^eth_get(?:Block|Transaction|Uncle)/u.test(method) && method !== "eth_getTransactionCount" ? null : answer
  }),
  liar(
    "no transactions by hash",
    "transactions and receipts are null, blocks are true",
    (world) => async (method, params) =>
      method === "eth_getTransactionByHash" || method === "eth_getTransactionReceipt"
        ? null
        : world.node(method, params)
  )
]
