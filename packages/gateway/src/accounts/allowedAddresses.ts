/** Finds the addresses in a call's parameters, and checks that all of them are listed. */

type Listed = ReadonlySet<string>
type Rule = (listed: Listed, params: ReadonlyArray<unknown>) => boolean

/**
 * True if a call names only listed addresses, or if its method names none. The parameters must be in canonical form.
 *
 * An unknown JSON-RPC method is refused: it may name an address or run code in a way that this check does not see
 * (`debug_traceCall`, `eth_simulateV1`, `trace_callMany`). Commands of IPFS, which have no underscore in their names,
 * do not name addresses.
 */
export const isAllowed = (listed: Listed, method: string, params: ReadonlyArray<unknown>): boolean => {
  const rule = rules.get(method)
  return rule === undefined ? isFree(method) : rule(listed, params)
}

const isFree = (method: string): boolean =>
  !method.includes("_") || free.has(method) || method.endsWith("_pendingTransactions")

/** Listed addresses are in lower case. Most callers send lower case too. */
const has = (listed: Listed, address: unknown): boolean =>
  typeof address === "string" && (listed.has(address) || listed.has(address.toLowerCase()))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const first: Rule = (listed, [address]) => has(listed, address)

/**
 * A call without `to` would create a contract, whose code could read any other contract. An authorization (EIP-7702)
 * replaces the code of its signer, and overrides can replace any code.
 */
const called: Rule = (listed, [request, , accounts, block]) =>
  isObject(request) &&
  has(listed, request["to"]) &&
  isEmpty(request["authorizationList"]) &&
  !changesWhatRuns(accounts) &&
  hasOnly(block, harmlessOfBlock)

const isEmpty = (list: unknown): boolean =>
  list === undefined || list === null || (Array.isArray(list) && list.length === 0)

/**
 * False only if every override of an account is known to keep the code that runs. `code` replaces that code. `state`
 * and `stateDiff` can replace it too, because a proxy reads the address of its implementation from a storage slot.
 */
const changesWhatRuns = (accounts: unknown): boolean => {
  if (accounts === undefined || accounts === null) return false
  if (!isObject(accounts)) return true
  for (const address in accounts) if (!hasOnly(accounts[address], harmlessOfAccount)) return true
  return false
}

const harmlessOfAccount: ReadonlySet<string> = new Set(["balance", "nonce"])

/** `feeRecipient` is missing on purpose: contracts pay the recipient by a call, which runs the recipient's code. */
const harmlessOfBlock: ReadonlySet<string> = new Set([
  "number",
  "difficulty",
  "time",
  "gasLimit",
  "prevRandao",
  "baseFeePerGas",
  "blobBaseFee"
])

const hasOnly = (override: unknown, names: ReadonlySet<string>): boolean => {
  if (override === undefined || override === null) return true
  if (!isObject(override)) return false
  for (const name in override) {
    const value = override[name]
    if (!names.has(name) && value !== undefined && value !== null) return false
  }
  return true
}

/** A filter without an address matches the logs of all addresses. */
const filtered = (listed: Listed, filter: unknown): boolean => {
  const address = isObject(filter) ? filter["address"] : undefined
  return Array.isArray(address) ? address.length > 0 && address.every((one) => has(listed, one)) : has(listed, address)
}

const keyed: Rule = (listed, [slots]) => {
  if (!isObject(slots)) return false
  const addresses = Object.keys(slots)
  return addresses.length > 0 && addresses.every((address) => has(listed, address))
}

/** Methods that name no address. They run no code, except that a node runs a signed transaction that it accepts. */
const free: ReadonlySet<string> = new Set([
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleCountByBlockNumber",
  "eth_getTransactionByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_sendRawTransaction",
  "eth_getTransactionReceipt",
  "eth_getBlockReceipts",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_blobBaseFee",
  "eth_blockNumber",
  "eth_chainId",
  "eth_newBlockFilter",
  "eth_newPendingTransactionFilter",
  "eth_getFilterChanges",
  "eth_getFilterLogs",
  "eth_uninstallFilter",
  "eth_accounts",
  "eth_baseFee",
  "eth_capabilities",
  "eth_config",
  "eth_sendRawTransactionSync",
  "net_listening",
  "net_peerCount",
  "web3_sha3",
  "eth_syncing",
  "eth_unsubscribe",
  "net_version",
  "web3_clientVersion"
])

const rules: ReadonlyMap<string, Rule> = new Map([
  ["eth_call", called],
  ["eth_estimateGas", called],
  ["eth_createAccessList", called],
  ["eth_getLogs", (listed, [filter]) => filtered(listed, filter)],
  // a call by the id of a filter is checked again with the filter's own parameters
  ["eth_newFilter", (listed, [filter]) => filtered(listed, filter)],
  ["eth_getBalance", first],
  ["eth_getCode", first],
  ["eth_getStorageAt", first],
  ["eth_getStorageValues", keyed],
  ["eth_getTransactionCount", first],
  ["eth_getProof", first],
  ["eth_subscribe", (listed, [kind, filter]) => kind !== "logs" || filtered(listed, filter)]
])
