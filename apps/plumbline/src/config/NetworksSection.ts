/**
 * `networks` and `defaultNetwork`: the chains of the service, and the nodes that answer for them.
 */
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as ExtraMethods from "@plumbline/gateway/networks/ExtraMethods"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import * as UpstreamPool from "@plumbline/gateway/networks/pool/UpstreamPool"
import * as Routing from "@plumbline/gateway/networks/Routing"
import * as Setting from "@plumbline/gateway/schema/Setting"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as ConfigMistake from "./ConfigMistake.ts"
import * as IntegritySection from "./IntegritySection.ts"
import * as NodeVendors from "./NodeVendors.ts"
import * as Operators from "./Operators.ts"

const { array, literal, optional, pattern, record, secret, secretUrl, struct, text, url } = Setting

/** The embedded nodes. If the file names no networks, each embedded node is a network. */
const NODES = ["live", "history", "starknet-pool"] as const

/** The name of the embedded node of the second chain, the only embedded node that is not an Ethereum node. */
const POOL = "starknet-pool"

/** Requires exactly one of these settings: a node has one of them. */
const exactlyOne = (...names: ReadonlyArray<string>) => ({ oneOf: names.map((name) => ({ required: [name] })) })

const name = (description: string) =>
  pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", { description })

const upstream = struct(
  {
    url: optional(
      secretUrl(
        url(["http", "https", "ws", "wss"], {
          description:
            "The URL of the node, or a vendor and its key, such as alchemy://KEY. It may contain a key, so only its host is shown.",
          words: [NodeVendors.pattern],
          flaws: NodeVendors.flaws
        }).annotate({
          message: `must be a URL with http://, https://, ws:// or wss://, or of a vendor: ${NodeVendors.known}`
        })
      )
    ),
    embedded: optional(literal(NODES, { description: "A node of this process, in place of a URL." })),
    name: optional(
      name(
        "The node's name in health and logs, if the network has several nodes. Default: the network's name and the node's number."
      )
    ),
    operator: optional(
      name(
        "The name of the node's operator: in a quorum, all nodes of one operator have one vote. Default: nodes at the same IP address, host or registrable domain have the same operator."
      )
    ),
    headers: optional(
      record(secret(text({ description: "A value. It is never shown." })), {
        description: "Headers of every request, by name."
      })
    ),
    timeout: optional(HttpUpstream.fields.timeout.to),
    batch: HttpUpstream.fields.batch,
    ...UpstreamPool.nodeFields
  },
  "A node that answers for a network: by its url, or embedded."
).annotate(exactlyOne("url", "embedded"))

const network = struct(
  {
    hosts: optional(
      array(
        pattern(/^[a-z0-9_.-]{1,253}$/iu, "must be a host name, without a port", {
          description: "A host name, without a port."
        }),
        { description: "Host names that select the network. Default: the network's name before .localhost." }
      )
    ),
    chainId: optional(
      Schema.Union([
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        Schema.String.check(Schema.isPattern(/^[A-Z0-9_]{1,31}$/u))
      ]).annotate({
        description:
          "The chain's own id: a number, or on a second chain a text such as SN_MAIN. An embedded node has its own.",
        message: "must be a whole number, or a text such as SN_MAIN"
      })
    ),
    kind: optional(
      literal(["eth", "starknet"], {
        description: "The methods of the network. Default: those of its embedded node, else eth."
      })
    ),
    upstreams: array(upstream, { description: "Its nodes; at least one." }).check(Schema.isMinLength(1)).annotate({
      message: "must be a list of at least one node"
    }),
    ...UpstreamPool.fields,
    ...ExtraMethods.fields,
    ...IntegritySection.fields
  },
  "A network: its hosts, and the nodes that answer for it."
)

export const section = record(network, {
  description:
    "The networks, by name; a name begins with a letter. Each needs a list of upstreams. Left out: the embedded live, history and starknet-pool; with one worker, the first two with integrity: check."
}).annotate({ propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9-]{0,62}$" }, minProperties: 1 })

export type NetworksSection = typeof section.Type

type NetworkSection = NetworksSection[string]
type UpstreamSection = NetworkSection["upstreams"][number]

export type EmbeddedNetwork = (typeof NODES)[number]

/** A node of a network: at a URL, or embedded. Without an operator, the operator has the node's name. */
export interface UpstreamSettings extends UpstreamSection {
  readonly name: string
}

/** A network, with the defaults that depend on other settings. An embedded node knows its chain id itself. */
export interface NetworkSettings extends NetworkSection {
  readonly name: string
  readonly hosts: ReadonlyArray<string>
  readonly kind: "eth" | "starknet"
  readonly upstreams: ReadonlyArray<UpstreamSettings>
}

/**
 * Returns the networks with all defaults. If the file names none, they are the embedded nodes, whose answers are checked
 * unless several workers share them.
 */
export const settings = (section: NetworksSection | undefined, workers: number): ReadonlyArray<NetworkSettings> =>
  Object.entries(section ?? embedded(workers === 1 ? "check" : "off")).map(filled)

const filled = ([name, given]: readonly [string, NetworkSection]): NetworkSettings => {
  const section = withUrls(given)
  const names = namesOf(name, section)
  const operators = operatorsOf(name, section)
  return {
    ...section,
    ...IntegritySection.filled(section),
    name,
    hosts: section.hosts ?? [`${name.toLowerCase()}.localhost`],
    kind: kindOf(section),
    upstreams: section.upstreams.map((upstream, index) => ({
      ...upstream,
      ...(upstream.url === undefined ? {} : ofUrl(upstream, upstream.url, section.integrity === "prove")),
      name: names[index]!,
      ...(operators[index] === names[index] ? {} : { operator: operators[index]! })
    })),
    watch: UpstreamPool.watchOf(section)
  }
}

/**
 * Returns the settings that only a node at a URL has. A proof needs several reads at once, so with `isProven` reads are
 * gathered into packets unless the file says otherwise.
 */
const ofUrl = ({ batch, headers, timeout }: UpstreamSection, url: Redacted.Redacted, isProven: boolean) => ({
  headers: headers ?? {},
  timeout: timeout ?? HttpUpstream.defaults.timeout,
  ...(batch === undefined && isProven && !isSocket(url) ? { batch: packets } : {})
})

/** Returns the network with the URLs of its vendors. A vendor that has none for the chain stays as it is. */
const withUrls = (section: NetworkSection): NetworkSection => ({
  ...section,
  upstreams: section.upstreams.map(({ url, ...upstream }) =>
    url === undefined
      ? upstream
      : { ...upstream, url: Result.getOrElse(NodeVendors.urlOf(url, section.chainId), () => url) }
  )
})

const packets = Schema.decodeSync(HttpUpstream.fields.batch.schema)({})

/** True for the URL of a WebSocket. */
export const isSocket = (url: Redacted.Redacted): boolean => /^wss?:/iu.test(Redacted.value(url))

const namesOf = (network: string, { upstreams }: NetworkSection): ReadonlyArray<string> =>
  upstreams.map(({ name }, index) => name ?? `${network}-${index + 1}`)

const operatorsOf = (network: string, section: NetworkSection): ReadonlyArray<string> =>
  Operators.of(
    section.upstreams.map(({ operator, url }) => ({ operator, url: url && Redacted.value(url) })),
    namesOf(network, section)
  )

/** Returns the kind of methods that a network has: the configured kind, or else the kind of its embedded node. */
const kindOf = ({ kind, upstreams }: NetworkSection): "eth" | "starknet" =>
  kind ?? (upstreams.some((upstream) => upstream.embedded === POOL) ? "starknet" : "eth")

/**
 * The default networks, for a file that names none. Their answers are checked, and not proven: a block of the live chain
 * is proven a moment after it is made, and a developer reads it at once.
 */
const embedded = (integrity: "off" | "check"): NetworksSection =>
  Schema.decodeSync(section)(
    Object.fromEntries(
      NODES.map((node) => [node, { upstreams: [{ embedded: node }], integrity: node === POOL ? "off" : integrity }])
    )
  )

/** The methods of networks of a kind. */
export const usualMethods = (kind: "eth" | "starknet"): MethodGroup.Any =>
  kind === "starknet" ? Starknet.group : EthMethods.group

/** Adds the further methods of a network to the methods of its kind. */
export const methodsWith = (
  usual: MethodGroup.Any,
  { methods = [], readMethods = [] }: Pick<NetworkSettings, "methods" | "readMethods">
): MethodGroup.Any =>
  ExtraMethods.add(
    usual,
    [
      ...methods.map((name) => ({ name, idempotent: false })),
      ...readMethods.map((name) => ({ name, idempotent: true }))
    ]
      // the service keeps filters itself, so no node gets their methods
      .filter(({ name }) => usual.get(name) === undefined && EthFilters.group.get(name) === undefined)
  )

export const mistakes = (
  section: NetworksSection | undefined,
  defaultNetwork: string | undefined
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const names: ReadonlyArray<string> = section === undefined ? NODES : Object.keys(section)
  const found: Array<ConfigMistake.SettingMistake> = []
  if (defaultNetwork !== undefined && !names.includes(defaultNetwork)) {
    found.push({
      path: ["defaultNetwork"],
      problem: `must be the name of a network: ${Setting.list(names.map(ConfigMistake.named), "or")}`
    })
  }
  if (names.length === 0) found.push({ path: ["networks"], problem: "must have at least one network" })
  const hosts = new Map<string, string>()
  for (const [name, network] of Object.entries(section ?? {})) {
    const path = ["networks", name]
    if (!/^[A-Za-z][A-Za-z0-9-]{0,62}$/u.test(name)) {
      found.push({ path, problem: "must be named with a letter, then up to 62 letters, digits and hyphens" })
    }
    if (name === "ipfs") found.push({ path, problem: "must have another name: allowlists use this name for IPFS" })
    else if (Routing.isReserved(name)) {
      found.push({ path, problem: "must have another name: paths of the service begin with this name" })
    }
    ;(network.hosts ?? [`${name}.localhost`]).forEach((host, index) => {
      const other = hosts.get(Routing.hostName(host))
      hosts.set(Routing.hostName(host), name)
      if (other === undefined) return
      const at = network.hosts === undefined ? path : [...path, "hosts", index]
      found.push({
        path: at,
        problem:
          other === name
            ? "is there twice"
            : `has a host of the network ${ConfigMistake.named(other)}, and a host selects one network: set other hosts`
      })
    })
    found.push(...upstreamMistakes(path, network))
  }
  return found
}

const upstreamMistakes = (
  path: ConfigMistake.SettingPath,
  given: NetworkSection
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const network = withUrls(given)
  const found: Array<ConfigMistake.SettingMistake> = []
  const kind = kindOf(network)
  const names = namesOf(String(path.at(-1)), network)
  network.upstreams.forEach((upstream, index) => {
    const at = [...path, "upstreams", index]
    const { embedded, headers, url } = upstream
    if ((url === undefined) === (embedded === undefined)) {
      found.push({ path: at, problem: "must have a url, or embedded, and not both" })
    }
    const vendor = url === undefined ? undefined : NodeVendors.urlOf(url, network.chainId)
    if (vendor !== undefined && Result.isFailure(vendor)) found.push({ path: [...at, "url"], problem: vendor.failure })
    for (const name of ["headers", "timeout", "batch"] as const) {
      if (embedded !== undefined && upstream[name] !== undefined) {
        found.push({ path: [...at, name], problem: "means nothing for an embedded node" })
      }
    }
    if (names.indexOf(names[index]!) !== index) {
      found.push({ path: [...at, "name"], problem: "is the name of another node of the network" })
    }
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (!isHeader(name, Redacted.value(value))) {
        found.push({ path: [...at, "headers", name], problem: "is not a header that can be sent" })
      }
    }
    if (upstream.batch !== undefined && url !== undefined && isSocket(url)) {
      found.push({ path: [...at, "batch"], problem: "means nothing for a WebSocket" })
    }
    if (embedded !== undefined && (embedded === POOL) !== (kind === "starknet")) {
      found.push({ path: [...at, "embedded"], problem: `is not a node of the kind ${kind}` })
    }
  })
  found.push(...methodMistakes(path, network))
  const usual = usualMethods(kind)
  const isRead = (method: string) => usual.get(method)?.idempotent ?? network.readMethods?.includes(method) === true
  const pool = UpstreamPool.mistakes(network, network.upstreams.length, isRead)
  found.push(...pool.map((mistake) => ({ ...mistake, path: [...path, ...mistake.path] })))
  found.push(...IntegritySection.mistakes(path, network, { kind, nodes: network.upstreams.length }))
  const isKnown = network.upstreams.some(({ embedded }) => embedded !== undefined)
  if (network.chainId === undefined && !isKnown) {
    found.push({ path, problem: "needs a chainId" })
  }
  if (typeof network.chainId === "string" && kind === "eth") {
    found.push({ path: [...path, "chainId"], problem: "must be a whole number, for the kind eth" })
  }
  return found
}

const methodMistakes = (
  path: ConfigMistake.SettingPath,
  network: NetworkSection
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const found: Array<ConfigMistake.SettingMistake> = []
  const names = new Set<string>()
  for (const list of ["methods", "readMethods"] as const) {
    for (const [index, name] of (network[list] ?? []).entries()) {
      const at = [...path, list, index]
      if (names.has(name)) found.push({ path: at, problem: "is there already" })
      if (/_(?:un)?subscribe$/u.test(name))
        found.push({ path: at, problem: "is a method of the service, and of no node" })
      names.add(name)
    }
  }
  return found
}

/**
 * True if the name is valid in HTTP, the value cannot begin another header, and the HTTP client does not set this
 * header itself.
 */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name) &&
  /^[\t\u0020-\u007e\u0080-\u00ff]*$/u.test(value) &&
  !/^(?:content-length|transfer-encoding|connection|host|upgrade|expect|keep-alive|content-type)$/iu.test(name)

/**
 * Warns about networks whose embedded nodes hold their state in one process. The history chain is the same in all
 * processes.
 */
export const warnings = (section: NetworksSection | undefined): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const own =
    section === undefined
      ? NODES.filter(isOwn)
      : Object.entries(section).flatMap(([name, { upstreams }]) =>
          upstreams.some(({ embedded }) => isOwn(embedded)) ? [ConfigMistake.named(name)] : []
        )
  if (own.length === 0) return []
  const problem = `give each process its own ${Setting.list(own, "and")}: what one is told, the others do not know`
  return [{ path: ["networks"], problem }]
}

/** Warns of networks that prove without a trusted block, and of quorums that do not do what they promise. */
export const untrusted = (section: NetworksSection | undefined): ReadonlyArray<ConfigMistake.SettingMistake> =>
  Object.entries(section ?? {}).flatMap(([name, given]) => {
    const path = ["networks", name]
    const network = withUrls(given)
    return [
      ...IntegritySection.warnings(
        path,
        network,
        network.upstreams.length === 1 && ["live", "history"].includes(network.upstreams[0]!.embedded ?? "")
      ),
      // an embedded node knows its rules
      ...(network.upstreams.some(({ embedded }) => embedded !== undefined)
        ? []
        : IntegritySection.withoutRules(path, network, network.chainId)),
      ...quorumWarnings(path, network)
    ]
  })

/** Warns of quorums of equals, of quorums that need every operator, and of trust in nodes that is not accepted. */
const quorumWarnings = (
  path: ConfigMistake.SettingPath,
  network: NetworkSection
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const { integrity, quorum, trust, unprovable } = network
  const name = String(path.at(-1))
  const operators = operatorsOf(name, network)
  const voices = new Set(operators).size
  const equals = Map.groupBy(namesOf(name, network), (_, index) => operators[index]!)
  const found: Array<ConfigMistake.SettingMistake> = []
  const needs = [
    { at: [...path, "trust", "quorum"], needed: integrity === "prove" ? trust?.quorum : undefined },
    { at: [...path, "quorum", "agree"], needed: quorum?.agree }
  ]
  for (const { at, needed } of needs) {
    if (needed === undefined || needed < 2) continue
    for (const names of equals.values()) {
      if (names.length < 2) continue
      const problem = `counts ${Setting.list(names, "and")} once: they share an operator, a host or a domain. If different operators run them, name each with operator`
      found.push({ path: at, problem })
    }
    if (needed > voices) {
      found.push({ path: at, problem: `can never be reached: the nodes have ${voices} of ${needed} operators` })
    } else if (needed === voices) {
      const problem = `needs all ${voices} operators: when one of them is down, nothing is served. Add a node of another operator`
      found.push({ path: at, problem })
    }
  }
  const word = trust?.quorum === undefined ? trust?.operator && "operator" : "quorum"
  if (integrity === "prove" && word !== undefined && trust?.accept !== true && unprovable !== "mark") {
    const problem = "is not accepted: answers that rest on it are refused. Set accept to true, or trust a checkpoint"
    found.push({ path: [...path, "trust", word], problem })
  }
  return found
}

const isOwn = (node: EmbeddedNetwork | undefined): boolean => node === "live" || node === POOL

export const shown = (networks: ReadonlyArray<NetworkSettings>): NetworksSection =>
  Object.fromEntries(networks.map((network) => [network.name, IntegritySection.shown(network)]))
