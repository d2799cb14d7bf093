/**
 * The fields of a block's header, in the order in which they are hashed.
 *
 * Sources: the Yellow Paper, then EIP-1559, EIP-4895, EIP-4844, EIP-4788 and EIP-7685 for the last six.
 */
const fields = {
  parentHash: "bytes",
  sha3Uncles: "bytes",
  miner: "bytes",
  stateRoot: "bytes",
  transactionsRoot: "bytes",
  receiptsRoot: "bytes",
  logsBloom: "bytes",
  difficulty: "quantity",
  number: "quantity",
  gasLimit: "quantity",
  gasUsed: "quantity",
  timestamp: "quantity",
  extraData: "bytes",
  mixHash: "bytes",
  nonce: "bytes",
  baseFeePerGas: "quantity",
  withdrawalsRoot: "bytes",
  blobGasUsed: "quantity",
  excessBlobGas: "quantity",
  parentBeaconBlockRoot: "bytes",
  requestsHash: "bytes"
} as const

export type HeaderField = keyof typeof fields

export const names = Object.keys(fields) as ReadonlyArray<HeaderField>

/** True for a number, which is hashed without leading zeros. */
export const isQuantity = (name: HeaderField): boolean => fields[name] === "quantity"
