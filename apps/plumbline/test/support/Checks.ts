/**
 * The check that must catch a change of each field. The table says which hash proves which field. It follows the
 * protocol's rules, not the verifier's code.
 */
import * as Wire from "./Wire.ts"

/** The fields that nodes send beside the header. */
export const besideFields = ["hash", "totalDifficulty", "size", "uncles", "transactions", "withdrawals"]

/** The fields of a transaction that its hash covers, by type. For type 0, `v` contains `chainId`. */
const signed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0x0": ["nonce", "gasPrice", "gas", "to", "value", "input", "v", "r", "s"],
  "0x1": ["chainId", "nonce", "gasPrice", "gas", "to", "value", "input", "accessList", "yParity", "r", "s"],
  "0x2": [
    "chainId",
    "nonce",
    "maxPriorityFeePerGas",
    "maxFeePerGas",
    "gas",
    "to",
    "value",
    "input",
    "accessList",
    "yParity",
    "r",
    "s"
  ],
  "0x4": [
    "chainId",
    "nonce",
    "maxPriorityFeePerGas",
    "maxFeePerGas",
    "gas",
    "to",
    "value",
    "input",
    "accessList",
    "authorizationList",
    "yParity",
    "r",
    "s"
  ]
}

/** Fields that repeat the signature, the block or the recovered sender. Each has a separate check. */
const own: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0x0": ["chainId"],
  "0x1": ["v"],
  "0x2": ["v", "gasPrice"],
  "0x4": ["v", "gasPrice"]
}
const ownOfAll = ["type", "hash", "from", "blockHash", "blockNumber", "transactionIndex", "blockTimestamp"]

/** Returns every field that a node sends of a transaction of this type, sorted by name. */
export const transactionFields = (type: string): ReadonlyArray<string> =>
  [...ownOfAll, ...own[type]!, ...signed[type]!].sort()

/** Returns the check for each leaf of a transaction. The name of each check begins with `name`. */
export const ofTransaction = (transaction: { readonly type: string }, name: string): Record<string, string> =>
  Object.fromEntries(
    Wire.leaves(transaction).map((path) => {
      const field = String(path[0])
      return [Wire.format(path), signed[transaction.type]!.includes(field) ? `${name} hash` : `${name}.${field}`]
    })
  )

/** Returns the checks with `name` before each path. */
export const under = (name: string, checks: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(checks).map(([path, check]) => [`${name}.${path}`, check]))
