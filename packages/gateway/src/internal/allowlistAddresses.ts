/** Which addresses a call is about, and whether all of them are listed. */

type Listed = ReadonlySet<string>
type Rule = (listed: Listed, params: ReadonlyArray<unknown>) => boolean

/** Whether a call, with its parameters in canonical form, is about listed addresses only, or about none at all. */
export const isAllowed = (listed: Listed, method: string, params: ReadonlyArray<unknown>): boolean => {
  const rule = rules.get(method)
  return rule === undefined || rule(listed, params)
}

/** The addresses listed are in lower case; most callers send theirs so, too. */
const has = (listed: Listed, address: unknown): boolean =>
  typeof address === "string" && (listed.has(address) || listed.has(address.toLowerCase()))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const first: Rule = (listed, [address]) => has(listed, address)

/** Without `to` it would create a contract, whose code could read any other; so could code put in place of an account's. */
const called: Rule = (listed, [request, , overrides]) =>
  isObject(request) && has(listed, request["to"]) && !replacesCode(overrides)

const replacesCode = (overrides: unknown): boolean => {
  if (!isObject(overrides)) return false
  for (const address in overrides) {
    const account = overrides[address]
    if (isObject(account) && account["code"] !== undefined) return true
  }
  return false
}

/** Without an address a filter takes the logs of all. */
const filtered = (listed: Listed, filter: unknown): boolean => {
  const address = isObject(filter) ? filter["address"] : undefined
  return Array.isArray(address) ? address.length > 0 && address.every((one) => has(listed, one)) : has(listed, address)
}

const keyed: Rule = (listed, [slots]) => {
  if (!isObject(slots)) return false
  const addresses = Object.keys(slots)
  return addresses.length > 0 && addresses.every((address) => has(listed, address))
}

const rules: ReadonlyMap<string, Rule> = new Map([
  ["eth_call", called],
  ["eth_estimateGas", called],
  ["eth_createAccessList", called],
  ["eth_getLogs", (listed, [filter]) => filtered(listed, filter)],
  ["eth_getBalance", first],
  ["eth_getCode", first],
  ["eth_getStorageAt", first],
  ["eth_getStorageValues", keyed],
  ["eth_getTransactionCount", first],
  ["eth_getProof", first],
  ["eth_subscribe", (listed, [kind, filter]) => kind !== "logs" || filtered(listed, filter)]
])
