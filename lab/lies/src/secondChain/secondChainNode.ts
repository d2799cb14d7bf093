/** A node of the second chain, for any version of the specification. All of its answers follow from one world. */
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"

import * as Json from "../json.ts"

/** The state that the node claims. The answers of all its methods agree on it. */
export interface World {
  /** The version, as `specVersion` returns it. */
  readonly version: string
  readonly chainId: string
  /** The transactions of the pending block. */
  readonly transactions: ReadonlyArray<Json.JsonObject>
  /** The other fields of the node's block. If one of them is a hash, the block is not pending. */
  readonly block: Json.JsonObject
}

/** One version for each way to ask a node for pending transactions, and for each set of fields that nodes show. */
export const versions: ReadonlyArray<string> = ["0.4.0", "0.5.1", "0.7.1", "0.8.1", "0.9.0", "0.10.0", "0.10.2"]

const numbersOf = (version: string): ReadonlyArray<number> => version.replace(/^v/u, "").split(".").map(Number)

const isBefore = (version: string, other: string): boolean => {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  for (let at = 0; at < 3; at++) if ((a[at] ?? 0) !== (b[at] ?? 0)) return (a[at] ?? 0) < (b[at] ?? 0)
  return false
}

/** Returns a transaction as a node of this version shows it, without fields that its specification lacks. */
export const shownBy = (version: string, transaction: Json.JsonObject, withFacts: boolean): Json.JsonObject => {
  const { proof_facts: facts, ...rest } = transaction
  const bounds = rest["resource_bounds"]
  const { l1_data_gas: _, ...old } = Json.isObject(bounds) ? bounds : {}
  return {
    ...rest,
    ...(facts === undefined || !withFacts || isBefore(version, "0.10.1") ? {} : { proof_facts: facts }),
    ...(Json.isObject(bounds) && isBefore(version, "0.8.0") ? { resource_bounds: old } : {})
  }
}

const errorOf = (code: number, message: string) => new RemoteError({ code, message })

/** Returns the node as a transport. */
export const make = (world: World): Transport.Transport["Service"] => {
  const { block, chainId, transactions, version } = world
  const tag = isBefore(version, "0.9.0") ? "pending" : "pre_confirmed"
  const shown = (flags: unknown) =>
    transactions.map((transaction) => shownBy(version, transaction, Array.isArray(flags) && flags.length > 0))
  const answer = (method: string, params: ReadonlyArray<unknown>): unknown => {
    const [first, second, third] = params
    switch (method.replace(/^[^_]*_/u, "")) {
      case "specVersion":
        return isBefore(version, "0.5.0") ? errorOf(-32_601, "Method not found") : version
      case "chainId":
        return chainId
      case "pendingTransactions":
        return isBefore(version, "0.5.0") ? shown([]) : errorOf(-32_601, "Method not found")
      case "getBlockWithTxs":
        return first === tag ? { ...block, transactions: shown(second) } : errorOf(24, "Block not found")
      case "getBlockWithTxHashes":
        return first === tag
          ? { ...block, transactions: transactions.map((one) => one["transaction_hash"]) }
          : errorOf(24, "Block not found")
      case "getTransactionByHash": {
        const found = shown(second).find((one) => sameNumber(one["transaction_hash"], first))
        return found ?? errorOf(29, "Transaction hash not found")
      }
      case "getTransactionByBlockIdAndIndex":
        return first === tag
          ? (shown(third)[Number(second)] ?? errorOf(27, "Invalid transaction index in a block"))
          : errorOf(24, "Block not found")
      default:
        return errorOf(-32_601, "Method not found")
    }
  }
  const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      const said = answer(method, params)
      return said instanceof RemoteError
        ? Effect.fail(new JsonRpcError({ method, reason: said }))
        : Effect.succeed(structuredClone(said))
    })
  return { call, callAll: Transport.oneByOne(call) }
}

const sameNumber = (a: unknown, b: unknown): boolean =>
  typeof a === "string" && typeof b === "string" && a.toLowerCase() === b.toLowerCase()
