/** Finds the addresses in a call's parameters, and checks that all of them are listed. */
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import type * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"

type Listed = ReadonlySet<string>
/** True if an argument names only listed addresses. */
type Rule = (listed: Listed, argument: unknown) => boolean

/**
 * True if a call names only listed addresses, or if its method names none. The parameters must be in canonical form.
 *
 * An unknown JSON-RPC method is refused: it may name an address or run code in a way that this check does not see
 * (`debug_traceCall`, `eth_simulateV1`, `trace_callMany`). Commands of IPFS, which have no underscore in their names,
 * do not name addresses.
 */
export const isAllowed = (listed: Listed, method: string, params: ReadonlyArray<unknown>): boolean => {
  const found = addressed.get(method)
  if (found !== undefined) {
    if (found.every((rule) => rule === undefined)) return true
    // nothing is known about an argument that the method does not have
    return params.length <= found.length && found.every((rule, at) => rule === undefined || rule(listed, params[at]))
  }
  // a subscription to anything but logs names no address
  if (method === "eth_subscribe") return params[0] !== "logs" || filtered(listed, params[1])
  return !method.includes("_") || method === "eth_unsubscribe" || method.endsWith("_pendingTransactions")
}

/** Listed addresses are in lower case. Most callers send lower case too. */
const has = (listed: Listed, address: unknown): boolean =>
  typeof address === "string" && (listed.has(address) || listed.has(address.toLowerCase()))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * A call without `to` would create a contract, whose code could read any other contract. An authorization (EIP-7702)
 * replaces the code of its signer.
 */
const called: Rule = (listed, request) =>
  isObject(request) && has(listed, request["to"]) && isEmpty(request["authorizationList"])

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

/** Each call of each block must be allowed, and so must each override. A simulation without a call names no address. */
const simulated: Rule = (listed, payload) => {
  const blocks = isObject(payload) ? payload["blockStateCalls"] : undefined
  if (!Array.isArray(blocks)) return false
  let count = 0
  for (const block of blocks) {
    if (!isObject(block)) return false
    const { blockOverrides, calls = [], stateOverrides } = block
    if (changesWhatRuns(stateOverrides) || !hasOnly(blockOverrides, harmlessOfBlock)) return false
    if (calls === null) continue
    if (!Array.isArray(calls) || !calls.every((call) => called(listed, call))) return false
    count += calls.length
  }
  return count > 0
}

/** A filter without an address matches the logs of all addresses. */
const filtered: Rule = (listed, filter) => {
  const address = isObject(filter) ? filter["address"] : undefined
  return Array.isArray(address) ? address.length > 0 && address.every((one) => has(listed, one)) : has(listed, address)
}

const keyed: Rule = (listed, slots) => {
  if (!isObject(slots)) return false
  const addresses = Object.keys(slots)
  return addresses.length > 0 && addresses.every((address) => has(listed, address))
}

const rules: Readonly<Record<EthMethod.ParamNames, Rule | undefined>> = {
  nothing: undefined,
  block: undefined,
  transaction: undefined,
  slots: undefined,
  account: has,
  slotsByAccount: keyed,
  logs: filtered,
  call: called,
  simulation: simulated,
  accountOverrides: (_, accounts) => !changesWhatRuns(accounts),
  blockOverrides: (_, block) => hasOnly(block, harmlessOfBlock)
}

/**
 * The rules of the arguments, by method. The id of a filter names no address: such a call is checked again with the
 * filter's own parameters. A signed transaction names none either, although a node runs one that it accepts.
 */
const addressed: ReadonlyMap<string, ReadonlyArray<Rule | undefined>> = new Map(
  [...EthMethods.all, ...Object.values(EthFilters.group.methods)].map(({ name, params }) => [
    name,
    params.map(({ names }) => rules[names])
  ])
)
