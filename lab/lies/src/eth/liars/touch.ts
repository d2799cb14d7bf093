/** Changes one kind of object in every answer that shows it, so that the answers of all methods agree. */
import type { Json, JsonObject } from "../../json.ts"
import { isList, isObject } from "../../json.ts"
import { list, type Node, object, text } from "./node.ts"

/** The change of each kind of object. Each function takes the truth and returns the lie. */
export interface Touch {
  readonly block?: (block: JsonObject) => JsonObject
  readonly transaction?: (transaction: JsonObject) => Json
  /** Changes the receipts of one block. */
  readonly receipts?: (receipts: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>
  /** Changes a receipt that is requested alone. `receipts` is applied first. */
  readonly receipt?: (receipt: JsonObject) => JsonObject
  /** Changes a log, in receipts and in answers about logs. */
  readonly log?: (log: JsonObject) => JsonObject
  /** Changes the list of logs in an answer about logs. `log` is applied first. */
  readonly logs?: (logs: ReadonlyArray<JsonObject>, isRange: boolean) => ReadonlyArray<JsonObject>
  readonly uncle?: (uncle: JsonObject) => Json
  readonly proof?: (proof: JsonObject) => JsonObject
  /** Any other answer. */
  readonly scalar?: (method: string, answer: Json) => Json
}

/** Returns the node with these lies. */
export const touching = (ask: Node, touch: Touch): Node => {
  const withLogs = (receipt: JsonObject): JsonObject => {
    const { log } = touch
    return log === undefined ? receipt : { ...receipt, logs: list(receipt["logs"]).map((one) => log(object(one))) }
  }
  const receiptsOf = async (block: Json): Promise<ReadonlyArray<JsonObject> | null> => {
    const receipts = await ask("eth_getBlockReceipts", [block])
    if (receipts === null) return null
    const shown = list(receipts).map((one) => withLogs(object(one)))
    return touch.receipts?.(shown) ?? shown
  }
  const transaction = (one: Json): Json => (isObject(one) ? (touch.transaction?.(one) ?? one) : one)

  return async (method, params) => {
    if (method === "eth_getBlockReceipts") {
      const receipts = await receiptsOf(params[0]!)
      return receipts === null ? null : [...receipts]
    }
    if (method === "eth_getTransactionReceipt") {
      const truth = await ask(method, params)
      if (truth === null) return null
      const all = await receiptsOf({ blockHash: text(object(truth)["blockHash"]) })
      const one = all?.find((receipt) => receipt["transactionHash"] === params[0])
      const told = one ?? withLogs(object(truth))
      return touch.receipt?.(told) ?? told
    }
    const answer = await ask(method, params)
    if (answer === null) return null
    switch (method) {
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber": {
        const block = touch.block?.(object(answer)) ?? object(answer)
        const { transactions } = block
        return isList(transactions) ? { ...block, transactions: transactions.map(transaction) } : block
      }
      case "eth_getTransactionByHash":
      case "eth_getTransactionByBlockHashAndIndex":
      case "eth_getTransactionByBlockNumberAndIndex":
        return transaction(answer)
      case "eth_getUncleByBlockHashAndIndex":
      case "eth_getUncleByBlockNumberAndIndex":
        return touch.uncle?.(object(answer)) ?? answer
      case "eth_getLogs": {
        const shown = list(answer).map((one) => touch.log?.(object(one)) ?? object(one))
        const isRange = object(params[0])["blockHash"] === undefined
        return [...(touch.logs?.(shown, isRange) ?? shown)]
      }
      case "eth_getProof":
        return touch.proof?.(object(answer)) ?? answer
      default:
        return touch.scalar?.(method, answer) ?? answer
    }
  }
}

/** Returns an answer in which every value of this name is changed, at any depth. */
export const everywhere = (json: Json, name: string, change: (value: Json) => Json): Json => {
  if (isList(json)) return json.map((item) => everywhere(item, name, change))
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([field, value]) => [
      field,
      field === name ? change(value) : everywhere(value, name, change)
    ])
  )
}
