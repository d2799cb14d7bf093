/**
 * The allowlist of a project: its networks, methods, contract addresses, origins and user agents.
 *
 * The rules are Infura's. A kind without entries allows every request. A kind with entries allows a request that
 * matches at least one of them. A request passes if all kinds allow it.
 *
 * Source: https://docs.metamask.io/developer-tools/dashboard/how-to/secure-an-api/use-an-allowlist/
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { SettingError } from "../errors/SettingError.ts"
import * as Addresses from "./allowedAddresses.ts"
import * as Origins from "./allowedOrigins.ts"

/**
 * A kind of allowlist entries.
 */
export type AllowlistKind = "networks" | "methods" | "addresses" | "origins" | "userAgents"

/** Maximum number of entries of a kind. */
export const MAX_ENTRIES = 30

const entries = (description: string) =>
  Schema.Array(Schema.String)
    .annotate({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

/**
 * An allowlist as it is stored. Each kind has at most 30 entries:
 *
 * - `networks`: names of networks, such as `mainnet`. IPFS commands belong to the network `ipfs`.
 * - `methods`: names of methods, such as `eth_call`, and of IPFS commands, such as `pin/add`.
 * - `addresses`: 20 bytes as `0x` hex, in upper or lower case. They restrict these methods: eth_call,
 *   eth_estimateGas, eth_createAccessList, eth_simulateV1, eth_getLogs, eth_getBalance, eth_getCode,
 *   eth_getStorageAt, eth_getStorageValues, eth_getTransactionCount, eth_getProof, and eth_subscribe to logs. Such a call is refused if
 *   it names no address, or if one of its addresses is not listed. A call that makes the node run other code is refused
 *   too, because that code could read any account. Such a call has an `authorizationList`, a `feeRecipient` of the
 *   block, or an override of an account other than `balance` and `nonce` (`code`, `state`, `stateDiff`,
 *   `movePrecompileToAddress`). Unknown methods of JSON-RPC are refused. The calls that the called contract makes are
 *   not checked.
 * - `origins`: `https://app.example`; `app.example` for any scheme; `https://*.example.com` or `*.example.com` for
 *   every host below `example.com`, but not for `example.com`; `https://` for every origin of that scheme. The ports
 *   must be equal. Browsers omit the default port of a scheme.
 * - `userAgents`: a part of the User-Agent header. Case matters.
 *
 * If `origins` has entries, a request without an Origin header is refused. The same holds for `userAgents` and the
 * User-Agent header.
 */
export const Allowlist = Schema.Struct({
  networks: entries("Names of networks; that of IPFS commands is ipfs"),
  methods: entries("Names of methods such as eth_call, and of IPFS commands such as pin/add"),
  addresses: entries("20 bytes as 0x hex: for the methods that are about an address"),
  origins: entries("Origins of web pages, such as app.example or *.example.com, with a scheme or for any"),
  userAgents: entries("Parts of the User-Agent; upper and lower case differ")
})
  .check(Schema.makeFilter((allowlist) => flawOf(allowlist)?.message))
  .annotate({
    identifier: "Allowlist",
    description:
      "The allowed targets and origins of calls: at most 30 entries of each kind. A kind without entries allows everything."
  })

export type Allowlist = typeof Allowlist.Type

/**
 * The allowlist without entries, which allows everything.
 */
export const none: Allowlist = { networks: [], methods: [], addresses: [], origins: [], userAgents: [] }

/**
 * Parses an allowlist from a file or a request. A kind that is absent or null has no entries. An unknown kind is an
 * error, because a misspelt kind would otherwise allow everything.
 *
 * ```ts import.meta.vitest
 * import { Allowlist } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * Result.getOrThrow(Allowlist.parse({ methods: ["eth_call"] })) // => { ...Allowlist.none, methods: ["eth_call"] }
 * const wrong = Allowlist.parse({ origins: ["https://app.example", "*"] })
 * Result.isFailure(wrong) && wrong.failure.setting // => "origins[1]"
 * ```
 */
export const parse = (input: unknown): Result.Result<Allowlist, SettingError> => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return Result.fail(flaw("allowlist", `must be an object of ${kinds.join(", ")}`))
  }
  const given: Record<AllowlistKind, ReadonlyArray<string>> = { ...none }
  for (const [kind, list] of Object.entries(input)) {
    if (!isKind(kind)) return Result.fail(flaw("allowlist", `must have no other names than ${kinds.join(", ")}`))
    if (list === null || list === undefined) continue
    if (!Array.isArray(list)) return Result.fail(flaw(kind, "must be a list"))
    const wrong = list.findIndex((entry) => typeof entry !== "string")
    if (wrong !== -1) return Result.fail(flaw(`${kind}[${wrong}]`, "must be a string"))
    given[kind] = [...list]
  }
  const wrong = flawOf(given)
  return wrong === undefined ? Result.succeed(given) : Result.fail(wrong)
}

/**
 * An allowlist compiled for many checks.
 *
 * - `caller` checks the headers, once per request or WebSocket.
 * - `network` checks the network, once the host of the request is known.
 * - `call` checks each call, with the canonical parameters that `CallCheck.check` returns.
 */
export interface CompiledAllowlist {
  readonly caller: (origin: string | undefined, userAgent: string | undefined) => boolean
  readonly network: (name: string) => boolean
  readonly call: (method: string, params: ReadonlyArray<unknown>) => boolean
}

/** Combines two allowlists: a call must be allowed by both. */
export const both = (one: CompiledAllowlist, other: CompiledAllowlist): CompiledAllowlist => ({
  caller: (origin, userAgent) => one.caller(origin, userAgent) && other.caller(origin, userAgent),
  network: (name) => one.network(name) && other.network(name),
  call: (method, params) => one.call(method, params) && other.call(method, params)
})

/**
 * Compiles an allowlist. Do it once per project, and again when the allowlist changes.
 *
 * ```ts import.meta.vitest
 * import { Allowlist } from "@plumbline/gateway"
 *
 * const address = `0x${"ab".repeat(20)}`
 * const rules = Allowlist.compile({ ...Allowlist.none, addresses: [address], origins: ["https://*.example.com"] })
 * rules.caller("https://app.example.com", "curl/8.5.0") // => true
 * rules.caller("https://example.com", "curl/8.5.0") // => false
 * rules.call("eth_getBalance", [address, "latest"]) // => true
 * rules.call("eth_call", [{ data: "0x" }, "latest"]) // => false
 * rules.call("eth_chainId", []) // => true
 * ```
 */
export const compile = (allowlist: Allowlist): CompiledAllowlist => {
  const networks = new Set(allowlist.networks)
  const methods = new Set(allowlist.methods)
  const addresses = new Set(allowlist.addresses.map((address) => address.toLowerCase()))
  const origin = allowlist.origins.length === 0 ? undefined : Origins.compile(allowlist.origins)
  const agents = [...allowlist.userAgents]
  return {
    caller: (from, userAgent) =>
      (origin === undefined || (from !== undefined && origin(from))) &&
      (agents.length === 0 || (userAgent !== undefined && agents.some((part) => userAgent.includes(part)))),
    network: (name) => networks.size === 0 || networks.has(name),
    call: (method, params) =>
      (methods.size === 0 || methods.has(method)) &&
      (addresses.size === 0 || Addresses.isAllowed(addresses, method, params))
  }
}

/**
 * The answer to a request that an allowlist refuses: status 403 and an error object. The error does not say which kind
 * of entries refused the request.
 */
export const rejected: { readonly status: 403; readonly error: ErrorObject.ErrorObject } = {
  status: 403,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "rejected due to project ID settings")
}

// Private: the form of the entries.

const kinds = [
  "networks",
  "methods",
  "addresses",
  "origins",
  "userAgents"
] as const satisfies ReadonlyArray<AllowlistKind>

const isKind = (name: string): name is AllowlistKind => (kinds as ReadonlyArray<string>).includes(name)

const flaw = (setting: string, problem: string): SettingError => new SettingError({ setting, problem })

const forms: Readonly<Record<AllowlistKind, { readonly is: (entry: string) => boolean; readonly problem: string }>> = {
  networks: {
    is: (entry) => /^[\x21-\x7e]{1,64}$/u.test(entry),
    problem: "must be the name of a network, of 1 to 64 characters"
  },
  methods: {
    is: (entry) => /^[A-Za-z0-9_./-]{1,128}$/u.test(entry),
    problem: "must be the name of a method, of 1 to 128 characters"
  },
  addresses: { is: (entry) => /^0x[0-9a-fA-F]{40}$/u.test(entry), problem: "must be 20 bytes as 0x hex" },
  origins: {
    is: Origins.isEntry,
    problem: "must be an origin, such as https://app.example, *.example.com or https://"
  },
  userAgents: {
    is: (entry) => /^[\x20-\x7e]{1,256}$/u.test(entry) && entry.trim() !== "",
    problem: "must be a part of a User-Agent, of 1 to 256 characters"
  }
}

const flawOf = (allowlist: Readonly<Record<AllowlistKind, ReadonlyArray<string>>>): SettingError | undefined => {
  for (const kind of kinds) {
    const list = allowlist[kind]
    if (list.length > MAX_ENTRIES) return flaw(kind, `must have at most ${MAX_ENTRIES} entries`)
    const wrong = list.findIndex((entry) => !forms[kind].is(entry))
    if (wrong !== -1) return flaw(`${kind}[${wrong}]`, forms[kind].problem)
  }
  return undefined
}
