/**
 * Converts a block or a transaction of any library into one form: numbers as decimals, text in lower case, names
 * sorted. A field that some library derives or leaves out is left out for all libraries.
 */

/** The fields that are quantities. All other hex fields are data. */
const quantities = new Set(
  [
    "baseFeePerGas blobGasUsed difficulty excessBlobGas gasLimit gasUsed number size timestamp totalDifficulty",
    "blockNumber gas gasPrice maxFeePerBlobGas maxFeePerGas maxPriorityFeePerGas transactionIndex type v r s yParity",
    "value index validatorIndex amount chainId nonce blockTimestamp"
  ].flatMap((line) => line.split(" "))
)

/** Names that viem has for the types of transactions. */
const types: Readonly<Record<string, string>> = { legacy: "0", eip2930: "1", eip1559: "2", eip4844: "3", eip7702: "4" }

/** Names of fields that viem and ox add or derive from other fields. */
const derived = new Set(["typeHex", "data", "blobVersionedHash"])

const scalar = (name: string, value: unknown, isBlock: boolean): string => {
  if (typeof value === "bigint" || typeof value === "number") return String(value)
  const text = String(value).toLowerCase()
  if (name === "type" && text in types) return types[text]!
  // A block's nonce is eight bytes, a transaction's nonce is a number.
  return quantities.has(name) && !(isBlock && name === "nonce") && text.startsWith("0x") ? String(BigInt(text)) : text
}

/** True for the value that viem sets for a field that the node did not send. */
const isAbsence = (name: string, value: unknown): boolean => name === "totalDifficulty" && value === null

/**
 * True for a transaction whose signature parity is in `v`. Other transactions have the parity in `yParity`, and ox
 * gives their `v` a different meaning.
 */
const isLegacy = (transaction: object): boolean =>
  "type" in transaction && ["0x0", "legacy", 0, 0n].includes(transaction.type as string)

const parts = (name: string, value: unknown, isBlock: boolean): unknown => {
  if (Array.isArray(value)) return value.map((one) => parts(name, one, false))
  if (typeof value !== "object" || value === null) return scalar(name, value, isBlock)
  const block = "transactionsRoot" in value
  const parity = !("r" in value) ? undefined : isLegacy(value) ? "yParity" : "v"
  return Object.entries(value)
    .filter(([name, one]) => one !== undefined && !derived.has(name) && !isAbsence(name, one) && name !== parity)
    .map(([name, one]) => [name, parts(name, one, block)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns the text of the whole value. */
export const canonical = (value: unknown): string => JSON.stringify(parts("", value, false))
