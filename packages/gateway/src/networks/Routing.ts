/**
 * Finds the network of a Host header.
 *
 * A path may name a network in place of its host (`/<network>/v3/<key>`), so names use only characters that a path can
 * have.
 */
import * as Result from "effect/Result"

import { GatewayError } from "../errors/GatewayError.ts"
import type { Network } from "./Network.ts"
import { IPFS_PLACE } from "./reservedNames.ts"

/**
 * Returns the network of a Host header, or the default network.
 */
export type NetworkRoute = (host: string | undefined) => Network

/**
 * Makes the routes of a list of networks. `defaultNetwork` is the name of the default network (default: the first
 * network).
 *
 * Names and hosts must be unique, and valid in allowlists and paths. Otherwise the result is a `BadOption`.
 *
 * ```ts import.meta.vitest
 * import { Routing } from "@plumbline/gateway"
 * import { MethodGroup } from "@plumbline/jsonrpc-core"
 * import * as Effect from "effect/Effect"
 * import * as Result from "effect/Result"
 *
 * const upstream = { call: () => Effect.fail({ code: -32000, message: "no node" }) }
 * const network = (name: string, host: string) =>
 *   ({ name, hosts: [host], chainId: 1, methods: MethodGroup.make(), upstream })
 * const route = Result.getOrThrow(Routing.make([network("live", "live.localhost"), network("history", "history.localhost")]))
 * route("HISTORY.localhost:8545").name // => "history"
 * route("127.0.0.1:8545").name // => "live"
 * ```
 */
export const make = (
  networks: ReadonlyArray<Network>,
  defaultNetwork?: string
): Result.Result<NetworkRoute, GatewayError> => {
  const byHost = new Map<string, Network>()
  const byName = new Map<string, Network>()
  for (const network of networks) {
    if (network.name === "" || byName.has(network.name)) {
      return badOption("networks", `the name "${network.name}" is empty or used twice`)
    }
    if (!/^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/u.test(network.name)) {
      return badOption("networks", "a name must have 1 to 64 letters, digits, dots, hyphens, underscores or tildes")
    }
    if (network.name === IPFS_PLACE)
      return badOption("networks", `the name "${IPFS_PLACE}" is reserved for IPFS commands`)
    if (isReserved(network.name))
      return badOption("networks", `the name "${network.name}" is reserved for paths of the service`)
    byName.set(network.name, network)
    for (const host of network.hosts) {
      const name = hostName(host)
      if (name === "" || byHost.has(name)) return badOption("networks", `the host "${host}" is empty or used twice`)
      byHost.set(name, network)
    }
  }
  const fallback = defaultNetwork === undefined ? networks[0] : byName.get(defaultNetwork)
  if (fallback === undefined) {
    return defaultNetwork === undefined
      ? badOption("networks", "must not be empty")
      : badOption("defaultNetwork", `no network is called "${defaultNetwork}"`)
  }
  return Result.succeed((host) => (host === undefined ? undefined : byHost.get(hostName(host))) ?? fallback)
}

/**
 * True if the name is reserved. A path of the service begins with a reserved name, such as `/v3`, `/health` or
 * `/admin`, or may begin with it in future. No network can have a reserved name.
 *
 * ```ts import.meta.vitest
 * import { Routing } from "@plumbline/gateway"
 *
 * Routing.isReserved("admin") // => true
 * Routing.isReserved("mainnet") // => false
 * ```
 */
export const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase())

const RESERVED: ReadonlySet<string> = new Set([
  "v0",
  "v3",
  "ws",
  "api",
  "admin",
  "billing",
  "console",
  "docs",
  "health",
  "ready",
  "livez",
  "readyz",
  "metrics",
  "ipfs",
  "ipns"
])

/**
 * Returns the host name in a Host header, in lower case and without port and trailing dot. An IPv6 address keeps its
 * brackets.
 *
 * ```ts import.meta.vitest
 * import { Routing } from "@plumbline/gateway"
 *
 * Routing.hostName("Mainnet.Example.:443") // => "mainnet.example"
 * Routing.hostName("[::1]:8545") // => "[::1]"
 * ```
 */
export const hostName = (host: string): string => {
  const end = host.startsWith("[") ? host.indexOf("]") + 1 : host.indexOf(":")
  const name = (end > 0 ? host.slice(0, end) : host).toLowerCase()
  return name.endsWith(".") ? name.slice(0, -1) : name
}

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
