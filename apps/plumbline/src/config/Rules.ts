/**
 * What must hold between settings, and what the gateway itself says of them: rules that a Schema cannot tell.
 */
import * as Costs from "@plumbline/gateway/Costs"
import * as GatewayOptions from "@plumbline/gateway/GatewayOptions"
import * as Routing from "@plumbline/gateway/Routing"
import * as IpfsApi from "@plumbline/ipfs-client/IpfsApi"
import * as Result from "effect/Result"

import type { ConfigFile } from "./ConfigFile.ts"
import * as Kinds from "./Kinds.ts"
import * as Mistake from "./Mistake.ts"
import { kindOf } from "./Settings.ts"

/** What is wrong in a file that has passed its Schema. */
export const mistakes = (file: ConfigFile): ReadonlyArray<Mistake.Mistake> => [
  ...server(file),
  ...networks(file),
  ...ipfs(file),
  ...state(file),
  ...costs(file),
  ...metering(file),
  ...admin(file)
]

/** What is no mistake, and likely not meant. */
export const warnings = (file: ConfigFile): ReadonlyArray<Mistake.Mistake> => {
  const found: Array<Mistake.Mistake> = []
  if (file.state?.postgres === undefined) return found
  if (file.state.redis === undefined) {
    found.push({
      path: ["state", "redis"],
      problem: "is not there: each process counts limits for itself, so that they are exact for one process only"
    })
  }
  const own = file.networks === undefined ? ["live", "starknet-pool"] : processOwned(file.networks)
  if (own.length > 0) {
    found.push({
      path: ["networks"],
      problem: `each process has its own ${Kinds.list(own, "and")}: what one is told, the others do not know`
    })
  }
  return found
}

/** Networks whose nodes live, and change, in one process alone. The history chain is the same in all. */
const processOwned = (networks: NonNullable<ConfigFile["networks"]>): ReadonlyArray<string> =>
  Object.entries(networks).flatMap(([name, { upstreams }]) =>
    upstreams.some(({ embedded }) => embedded === "live" || embedded === "starknet-pool") ? [Mistake.named(name)] : []
  )

type Found = ReadonlyArray<Mistake.Mistake>

/** A time that a timer takes: Node's count in 32 bits, and what is longer would fire at once. */
const TIMER = 0x7fff_ffff

const timer = (path: Mistake.Path, time: string | undefined, most = TIMER, least = 1): Found => {
  if (time === undefined) return []
  const millis = Kinds.millisOf(time)
  if (millis >= least && millis <= most) return []
  return [{ path, problem: `must be a time from ${least}ms to ${most === TIMER ? "24d" : `${most / 60_000}m`}` }]
}

const server = ({ server }: ConfigFile): Found => {
  const found = [
    ...Object.entries(server?.timeouts ?? {}).flatMap(([name, time]) =>
      timer(["server", "timeouts", name], time, TIMER, name === "grace" ? 0 : 1)
    ),
    ...Object.entries(server?.limits ?? {}).flatMap(([name, size]) =>
      Kinds.bytesOf(size) < 1 ? [{ path: ["server", "limits", name], problem: "must be above zero" }] : []
    )
  ]
  const checked = GatewayOptions.resolve({ networks: [], trustedProxies: server?.trustedProxies })
  return Result.isSuccess(checked)
    ? found
    : [
        ...found,
        { path: ["server", "trustedProxies"], problem: "must be IP addresses, or networks such as 10.0.0.0/8" }
      ]
}

const networks = (file: ConfigFile): Found => {
  const { defaultNetwork } = file
  const names = Object.keys(file.networks ?? { live: 0, history: 0, "starknet-pool": 0 })
  const found: Array<Mistake.Mistake> = []
  if (defaultNetwork !== undefined && !names.includes(defaultNetwork)) {
    found.push({
      path: ["defaultNetwork"],
      problem: `must be the name of a network: ${Kinds.list(names.map(Mistake.named), "or")}`
    })
  }
  if (names.length === 0) found.push({ path: ["networks"], problem: "must have at least one network" })
  const hosts = new Map<string, string>()
  for (const [name, network] of Object.entries(file.networks ?? {})) {
    const path = ["networks", name]
    if (!/^[A-Za-z][A-Za-z0-9-]{0,62}$/u.test(name)) {
      found.push({ path, problem: "must be named with a letter, then up to 62 letters, digits and hyphens" })
    }
    if (name === "ipfs") found.push({ path, problem: "must have another name: allowlists have this one for IPFS" })
    else if (Routing.isReserved(name)) {
      found.push({ path, problem: "must have another name: paths of the service begin with this one" })
    }
    ;(network.hosts ?? [`${name}.localhost`]).forEach((host, index) => {
      const other = hosts.get(Routing.hostName(host))
      hosts.set(Routing.hostName(host), name)
      if (other === undefined) return
      const at = network.hosts === undefined ? path : [...path, "hosts", index]
      found.push({
        path: at,
        problem: `has a host that ${other === name ? "it has already" : `leads to ${Mistake.named(other)} already`}`
      })
    })
    found.push(...upstreams(path, network))
  }
  return found
}

const upstreams = (path: Mistake.Path, network: NonNullable<ConfigFile["networks"]>[string]): Found => {
  const found: Array<Mistake.Mistake> = []
  const kind = kindOf(network)
  const names = network.upstreams.map(({ name }, index) => name ?? `${String(path.at(-1))}-${index + 1}`)
  network.upstreams.forEach((upstream, index) => {
    const at = [...path, "upstreams", index]
    const { embedded, headers, timeout, url } = upstream
    if ((url === undefined) === (embedded === undefined)) {
      found.push({ path: at, problem: "must have a url, or embedded, and not both" })
    }
    for (const name of ["headers", "timeout"] as const) {
      if (embedded !== undefined && upstream[name] !== undefined) {
        found.push({ path: [...at, name], problem: "means nothing for an embedded node" })
      }
    }
    if (names.indexOf(names[index]!) !== index) {
      found.push({ path: [...at, "name"], problem: "is the name of another node of the network" })
    }
    if (url !== undefined && !URL.canParse(url)) found.push({ path: [...at, "url"], problem: "is no URL" })
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (!isHeader(name, value)) {
        found.push({ path: [...at, "headers", name], problem: "is no header that can be sent" })
      }
    }
    found.push(...timer([...at, "timeout"], timeout))
    if (embedded !== undefined && (embedded === "starknet-pool") !== (kind === "starknet")) {
      found.push({ path: [...at, "embedded"], problem: `is no node of the kind ${kind}` })
    }
  })
  for (const name of ["timeout", "tryTimeout"] as const) found.push(...timer([...path, name], network[name]))
  const isKnown = network.upstreams.some(({ embedded }) => embedded !== undefined)
  if (network.chainId === undefined && !isKnown) {
    found.push({ path, problem: "needs a chainId" })
  }
  if (typeof network.chainId === "string" && kind === "eth") {
    found.push({ path: [...path, "chainId"], problem: "must be a whole number, for the kind eth" })
  }
  return found
}

/** Names as HTTP has them, and values that cannot begin another header. Not those that the client must set itself. */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name) &&
  /^[\t\u0020-\u007e\u0080-\u00ff]*$/u.test(value) &&
  !/^(?:content-length|transfer-encoding|connection|host|upgrade|expect|keep-alive|content-type)$/iu.test(name)

const ipfs = ({ ipfs, state }: ConfigFile): Found => {
  const found: Array<Mistake.Mistake> = []
  ipfs?.disallowed?.forEach((command, index) => {
    if (IpfsApi.find(command) !== undefined) return
    found.push({ path: ["ipfs", "disallowed", index], problem: "must be a command, such as pin/rm" })
  })
  for (const [name, size] of Object.entries(ipfs?.limits ?? {})) {
    if (Kinds.bytesOf(size) < 1) found.push({ path: ["ipfs", "limits", name], problem: "must be above zero" })
  }
  const node = ipfs?.node ?? "embedded"
  if (node !== "embedded" && node !== "none" && !URL.canParse(node)) {
    found.push({ path: ["ipfs", "node"], problem: "is no URL" })
  }
  if (node !== "embedded" && ipfs?.collectEvery !== undefined) {
    found.push({ path: ["ipfs", "collectEvery"], problem: "is for the embedded node: another collects by itself" })
  }
  if (node === "embedded" && state?.postgres !== undefined) {
    found.push({
      path: ["ipfs", "node"],
      problem: "must be a URL or none where state.postgres is: what is pinned must be in reach of every process"
    })
  }
  return [
    ...found,
    ...timer(["ipfs", "uploadIdle"], ipfs?.uploadIdle),
    ...timer(["ipfs", "collectEvery"], ipfs?.collectEvery)
  ]
}

const state = ({ admin, state }: ConfigFile): Found => {
  const found: Array<Mistake.Mistake> = []
  for (const name of ["postgres", "redis"] as const) {
    const url = state?.[name]
    if (url !== undefined && !URL.canParse(url)) found.push({ path: ["state", name], problem: "is no URL" })
  }
  if (state?.postgres === undefined) {
    for (const name of ["redis", "connections"] as const) {
      if (state?.[name] !== undefined)
        found.push({ path: ["state", name], problem: "is for several processes: it needs state.postgres" })
    }
    return found
  }
  if (state.folder !== undefined) {
    found.push({
      path: ["state", "folder"],
      problem: "means nothing where state.postgres is: nothing is kept in a folder"
    })
  }
  if (admin?.token === undefined && admin?.tokenFile === undefined) {
    found.push({
      path: ["admin"],
      problem: "needs a token or a tokenFile where state.postgres is: all processes must have the same"
    })
  }
  return found
}

const costs = ({ costs }: ConfigFile): Found => {
  const made = Costs.make(costs ?? {})
  return Result.isSuccess(made)
    ? []
    : [
        {
          path: ["costs", ...made.failure.setting.split(".").filter((part) => part !== "costs")],
          problem: made.failure.problem
        }
      ]
}

const metering = ({ limits, metering }: ConfigFile): Found => [
  ...timer(["limits", "timeout"], limits?.timeout, 60_000),
  ...(["attempt", "patience"] as const).flatMap((name) => timer(["metering", name], metering?.[name])),
  ...(metering?.gather === undefined || Kinds.millisOf(metering.gather) <= 60_000
    ? []
    : [{ path: ["metering", "gather"], problem: "must be a time up to 1m" }])
]

const admin = ({ admin }: ConfigFile): Found =>
  admin?.token !== undefined && admin.tokenFile !== undefined
    ? [{ path: ["admin", "tokenFile"], problem: "cannot be beside a token" }]
    : []
