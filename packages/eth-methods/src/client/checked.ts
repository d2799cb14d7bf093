/** Checks the arguments of a client's reads before they are made. */
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as EthMethods from "../methods/EthMethods.ts"

/** The method of each read. A read takes the parameters of its method, and options after them. */
const READS: Readonly<Record<string, Method.Any>> = {
  getBlockByHash: EthMethods.eth_getBlockByHash,
  getBlockByNumber: EthMethods.eth_getBlockByNumber,
  getBlockTransactionCountByHash: EthMethods.eth_getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber: EthMethods.eth_getBlockTransactionCountByNumber,
  getUncleByBlockHashAndIndex: EthMethods.eth_getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex: EthMethods.eth_getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash: EthMethods.eth_getUncleCountByBlockHash,
  getUncleCountByBlockNumber: EthMethods.eth_getUncleCountByBlockNumber,
  getTransactionByHash: EthMethods.eth_getTransactionByHash,
  getTransactionByBlockHashAndIndex: EthMethods.eth_getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex: EthMethods.eth_getTransactionByBlockNumberAndIndex,
  getTransactionReceipt: EthMethods.eth_getTransactionReceipt,
  getBlockReceipts: EthMethods.eth_getBlockReceipts,
  getLogs: EthMethods.eth_getLogs,
  getBalance: EthMethods.eth_getBalance,
  getCode: EthMethods.eth_getCode,
  getTransactionCount: EthMethods.eth_getTransactionCount,
  getStorageAt: EthMethods.eth_getStorageAt,
  getStorageValues: EthMethods.eth_getStorageValues,
  getProof: EthMethods.eth_getProof
}

/** The index of the argument with storage keys, which the wire form pads to 32 bytes. */
const KEYS: Readonly<Record<string, number>> = { getStorageAt: 1, getStorageValues: 0, getProof: 1 }

/** The method parameter that a client's read takes among its options. */
const FULL = "transactionDetails"

type Read = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

export const checked = <C extends object>(client: C): C => {
  const made = { ...client } as Record<string, unknown>
  for (const [name, method] of Object.entries(READS)) {
    const read = made[name]
    if (typeof read === "function") made[name] = checkedRead(name, method, read as Read)
  }
  return made as C
}

const checkedRead = (name: string, method: Method.Any, read: Read): Read => {
  const isOfBlock = method.params.some((param) => param.name === FULL)
  const count = isOfBlock ? 1 : method.params.length
  const keys = KEYS[name]
  const check = (args: ReadonlyArray<unknown>): Result.Result<ReadonlyArray<unknown>, JsonRpcError> => {
    const given = args.length > count ? args.slice(0, count) : args
    const wire = JsonRpcClient.encodeParams(method, isOfBlock ? [...given, false] : given)
    if (keys === undefined || Result.isFailure(wire)) return Result.map(wire, () => args)
    return Result.succeed(args.map((arg, at) => (at === keys ? wire.success[at] : arg)))
  }
  return (...args) =>
    Effect.suspend(() => {
      const outcome = check(args)
      return Result.isSuccess(outcome) ? read(...outcome.success) : Effect.fail(outcome.failure)
    })
}
