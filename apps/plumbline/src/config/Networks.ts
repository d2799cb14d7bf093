/**
 * `networks` and `defaultNetwork`: the chains of the service, and the nodes that answer for them.
 */
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import * as Routing from "@plumbline/gateway/networks/Routing"
import * as Upstreams from "@plumbline/gateway/networks/Upstream"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import * as Integrity from "./Integrity.ts"
import * as Kinds from "./Kinds.ts"
import * as Mistake from "./Mistake.ts"
import * as Operators from "./Operators.ts"
import * as Pool from "./Pool.ts"
import * as Sections from "./Sections.ts"

const { entries, formed, group, listOf, may, text, url, wait, whole, word } = Kinds

/** The embedded nodes. If the file names no networks, each embedded node is a network. */
const NODES = ["live", "history", "starknet-pool"] as const

/** The name of the embedded node of the second chain, the only embedded node that is not an Ethereum node. */
const POOL = "starknet-pool"

/** Milliseconds for a call to one node. */
const UPSTREAM_TIMEOUT = Upstreams.defaults.timeout

/** Requires exactly one of these settings: a node has one of them. */
const exactlyOne = (...names: ReadonlyArray<string>) => ({ oneOf: names.map((name) => ({ required: [name] })) })

const upstream = group(
  {
    url: may(
      url(["http", "https", "ws", "wss"], {
        description: "The URL of the node. It may contain a key, so only its host is shown."
      })
    ),
    embedded: may(word(NODES, { description: "A node of this process, in place of a URL." })),
    name: may(
      formed(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", {
        description:
          "The node's name in health and logs, if the network has several nodes. Default: the network's name and the node's number."
      })
    ),
    operator: may(
      formed(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", {
        description:
          "The name of the node's operator: in a quorum, all nodes of one operator have one vote. Default: nodes at the same IP address, host or registrable domain have the same operator."
      })
    ),
    headers: may(
      entries(text({ description: "A value. It is never shown." }), {
        description: "Headers of every request, by name."
      })
    ),
    timeout: wait("Maximum time from a call to the last byte of its answer.", UPSTREAM_TIMEOUT),
    batch: may(
      group(
        {
          most: may(
            whole(1, 1000, {
              description: "Maximum number of calls in a packet; 1 sends each call alone.",
              default: HttpUpstream.defaults.batch.most
            })
          ),
          wait: may(
            Kinds.time({
              description:
                "Time for which a call waits for others. Default: a packet contains only calls that come at the same time."
            })
          )
        },
        "Sends reads that come at the same time as one packet, to a node behind HTTP. Left out: as if it were empty with integrity prove, else each by itself."
      )
    ),
    ...Pool.nodeFields
  },
  "A node that answers for a network: by its url, or embedded."
).annotate(exactlyOne("url", "embedded"))

const network = group(
  {
    hosts: may(
      listOf(
        formed(/^[a-z0-9_.-]{1,253}$/iu, "must be a host name, without a port", {
          description: "A host name, without a port."
        }),
        { description: "Host names that select the network. Default: the network's name before .localhost." }
      )
    ),
    chainId: may(
      Schema.Union([
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        Schema.String.check(Schema.isPattern(/^[A-Z0-9_]{1,31}$/u))
      ]).annotate({
        description:
          "The chain's own id: a number, or on a second chain a text such as SN_MAIN. An embedded node has its own.",
        message: "must be a whole number, or a text such as SN_MAIN"
      })
    ),
    kind: may(
      word(["eth", "starknet"], {
        description: "The methods of the network. Default: those of its embedded node, else eth."
      })
    ),
    upstreams: listOf(upstream, { description: "Its nodes; at least one." }).check(Schema.isMinLength(1)).annotate({
      message: "must be a list of at least one node"
    }),
    ...Pool.networkFields,
    ...Integrity.fields
  },
  "A network: its hosts, and the nodes that answer for it."
)

/** The section of the file. */
export const section = entries(network, {
  description:
    "The networks, by name; a name begins with a letter. Left out: the embedded live, history and starknet-pool."
}).annotate({ propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9-]{0,62}$" }, minProperties: 1 })

/** The section, if the file has it. */
export type Section = typeof section.Type

type NetworkSection = Section[string]
type UpstreamSection = NetworkSection["upstreams"][number]

/** An embedded node. */
export type Embedded = (typeof NODES)[number]

/** The operator of a node, which has one vote in a quorum (default: the node's name). */
interface Operated {
  readonly operator?: string | undefined
}

/** A node of a network: at a URL, or embedded. Times are milliseconds. */
export type Upstream =
  | (Pool.Node & Operated & { readonly _tag: "Embedded"; readonly name: string; readonly node: Embedded })
  | (Pool.Node &
      Operated & {
        readonly _tag: "Url"
        readonly name: string
        readonly url: Redacted.Redacted
        readonly headers: Readonly<Record<string, Redacted.Redacted>>
        readonly timeout: number
        /**
         * Settings for gathering calls into packets. If undefined, or with a maximum of one call, each call is sent by
         * itself.
         */
        readonly batch?: { readonly most: number; readonly wait: number } | undefined
      })

/** A network. An embedded node knows its chain id itself. */
export interface Network extends Pool.Pool {
  readonly name: string
  readonly hosts: ReadonlyArray<string>
  readonly chainId: number | string | undefined
  readonly kind: "eth" | "starknet"
  readonly upstreams: ReadonlyArray<Upstream>
  /** If undefined, answers are not checked. */
  readonly integrity?: Integrity.Settings | undefined
}

/** Returns the section as settings. */
export const settings = (section: Section | undefined): ReadonlyArray<Network> =>
  section === undefined ? embedded : Object.entries(section).map(networkOf)

const networkOf = ([name, section]: readonly [string, NetworkSection]): Network => {
  const names = namesOf(name, section)
  const operators = Operators.of(section.upstreams, names)
  return {
    name,
    hosts: section.hosts ?? [`${name.toLowerCase()}.localhost`],
    chainId: section.chainId,
    kind: kindOf(section),
    upstreams: section.upstreams.map((upstream, index) => ({
      ...upstreamOf(upstream, `${name}-${index + 1}`, section.integrity === "prove"),
      ...(operators[index] === names[index] ? {} : { operator: operators[index]! })
    })),
    ...Pool.pool(section),
    integrity: Integrity.settings(section)
  }
}

const namesOf = (network: string, { upstreams }: NetworkSection): ReadonlyArray<string> =>
  upstreams.map(({ name }, index) => name ?? `${network}-${index + 1}`)

const operatorsOf = (network: string, section: NetworkSection): ReadonlyArray<string> =>
  Operators.of(section.upstreams, namesOf(network, section))

/** Returns the kind of methods that a network has: the configured kind, or else the kind of its embedded node. */
const kindOf = ({ kind, upstreams }: NetworkSection): "eth" | "starknet" =>
  kind ?? (upstreams.some((upstream) => upstream.embedded === POOL) ? "starknet" : "eth")

/**
 * Returns a node's settings. A proof needs several reads at once, so with `isProven` reads are gathered into packets
 * unless the file says otherwise.
 */
const upstreamOf = (section: UpstreamSection, usual: string, isProven: boolean) => {
  const { name = usual } = section
  const isHttp = section.url !== undefined && !/^wss?:/iu.test(section.url)
  const batch = section.batch ?? (isProven && isHttp ? {} : undefined)
  return section.embedded === undefined
    ? {
        _tag: "Url" as const,
        name,
        url: Redacted.make(section.url!),
        headers: Object.fromEntries(
          Object.entries(section.headers ?? {}).map(([name, value]) => [name, Redacted.make(value)])
        ),
        timeout: section.timeout === undefined ? UPSTREAM_TIMEOUT : Kinds.millisOf(section.timeout),
        ...(batch === undefined ? {} : { batch: batchOf(batch) }),
        ...Pool.node(section)
      }
    : { _tag: "Embedded" as const, name, node: section.embedded, ...Pool.node(section) }
}

const batchOf = ({ most, wait }: NonNullable<UpstreamSection["batch"]>) => ({
  most: most ?? HttpUpstream.defaults.batch.most,
  wait: wait === undefined ? HttpUpstream.defaults.batch.wait : Kinds.millisOf(wait)
})

const alone = (node: Embedded, kind: Network["kind"]): Network => ({
  name: node,
  hosts: [`${node}.localhost`],
  chainId: undefined,
  kind,
  upstreams: [{ _tag: "Embedded", name: `${node}-1`, node, ...Pool.node({}) }],
  ...Pool.pool({})
})

/** The default networks, for a file that names none. */
const embedded: ReadonlyArray<Network> = NODES.map((node) => alone(node, node === POOL ? "starknet" : "eth"))

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = (section: Section | undefined, defaultNetwork: string | undefined): Sections.Found => {
  const names: ReadonlyArray<string> = section === undefined ? NODES : Object.keys(section)
  const found: Array<Mistake.Mistake> = []
  if (defaultNetwork !== undefined && !names.includes(defaultNetwork)) {
    found.push({
      path: ["defaultNetwork"],
      problem: `must be the name of a network: ${Kinds.list(names.map(Mistake.named), "or")}`
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
        problem: `has a host that ${other === name ? "it has already" : `leads to ${Mistake.named(other)} already`}`
      })
    })
    found.push(...upstreamMistakes(path, network))
  }
  return found
}

const upstreamMistakes = (path: Mistake.Path, network: NetworkSection): Sections.Found => {
  const found: Array<Mistake.Mistake> = []
  const kind = kindOf(network)
  const names = namesOf(String(path.at(-1)), network)
  network.upstreams.forEach((upstream, index) => {
    const at = [...path, "upstreams", index]
    const { embedded, headers, timeout, url } = upstream
    if ((url === undefined) === (embedded === undefined)) {
      found.push({ path: at, problem: "must have a url, or embedded, and not both" })
    }
    for (const name of ["headers", "timeout", "batch"] as const) {
      if (embedded !== undefined && upstream[name] !== undefined) {
        found.push({ path: [...at, name], problem: "means nothing for an embedded node" })
      }
    }
    if (names.indexOf(names[index]!) !== index) {
      found.push({ path: [...at, "name"], problem: "is the name of another node of the network" })
    }
    if (url !== undefined && !URL.canParse(url)) found.push({ path: [...at, "url"], problem: "is not a URL" })
    for (const [name, value] of Object.entries(headers ?? {})) {
      if (!isHeader(name, value)) {
        found.push({ path: [...at, "headers", name], problem: "is not a header that can be sent" })
      }
    }
    found.push(...Sections.timer([...at, "timeout"], timeout))
    found.push(...Sections.timer([...at, "batch", "wait"], upstream.batch?.wait))
    if (upstream.batch !== undefined && url !== undefined && /^wss?:/iu.test(url)) {
      found.push({ path: [...at, "batch"], problem: "means nothing for a WebSocket" })
    }
    if (embedded !== undefined && (embedded === POOL) !== (kind === "starknet")) {
      found.push({ path: [...at, "embedded"], problem: `is not a node of the kind ${kind}` })
    }
  })
  found.push(...Pool.mistakes(path, network, { kind, nodes: network.upstreams }))
  found.push(...Integrity.mistakes(path, network, { kind, nodes: network.upstreams.length }))
  const isKnown = network.upstreams.some(({ embedded }) => embedded !== undefined)
  if (network.chainId === undefined && !isKnown) {
    found.push({ path, problem: "needs a chainId" })
  }
  if (typeof network.chainId === "string" && kind === "eth") {
    found.push({ path: [...path, "chainId"], problem: "must be a whole number, for the kind eth" })
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
export const warnings = (section: Section | undefined): Sections.Found => {
  const own =
    section === undefined
      ? NODES.filter(isOwn)
      : Object.entries(section).flatMap(([name, { upstreams }]) =>
          upstreams.some(({ embedded }) => isOwn(embedded)) ? [Mistake.named(name)] : []
        )
  if (own.length === 0) return []
  const problem = `each process has its own ${Kinds.list(own, "and")}: what one is told, the others do not know`
  return [{ path: ["networks"], problem }]
}

/** Warns of networks that prove without a trusted block, and of quorums that do not do what they promise. */
export const untrusted = (section: Section | undefined): Sections.Found =>
  Object.entries(section ?? {}).flatMap(([name, network]) => {
    const path = ["networks", name]
    return [
      ...Integrity.warnings(
        path,
        network,
        network.upstreams.every(({ embedded }) => embedded === "live")
      ),
      ...quorumWarnings(path, network)
    ]
  })

/** Warns of quorums of equals, of quorums that need every operator, and of trust in nodes that is not accepted. */
const quorumWarnings = (path: Mistake.Path, network: NetworkSection): Sections.Found => {
  const { integrity, quorum, trust, unprovable } = network
  const name = String(path.at(-1))
  const operators = operatorsOf(name, network)
  const voices = new Set(operators).size
  const equals = Map.groupBy(namesOf(name, network), (_, index) => operators[index]!)
  const found: Array<Mistake.Mistake> = []
  const needs = [
    { at: [...path, "trust", "quorum"], needed: integrity === "prove" ? trust?.quorum : undefined },
    { at: [...path, "quorum", "agree"], needed: quorum?.agree }
  ]
  for (const { at, needed } of needs) {
    if (needed === undefined || needed < 2) continue
    for (const names of equals.values()) {
      if (names.length < 2) continue
      const problem = `counts ${Kinds.list(names, "and")} once: they share an operator, a host or a domain. If different operators run them, name each with operator`
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

const isOwn = (node: Embedded | undefined): boolean => node === "live" || node === POOL

/** Returns the settings in the form of the file. */
export const view = (networks: ReadonlyArray<Network>): Sections.Shown =>
  Object.fromEntries(networks.map((network) => [network.name, viewOf(network)]))

const viewOf = (network: Network): Sections.Shown => ({
  hosts: network.hosts,
  ...Sections.given({ chainId: network.chainId }),
  kind: network.kind,
  upstreams: network.upstreams.map(upstreamViewOf),
  ...Pool.view(network),
  ...Integrity.view(network.integrity)
})

const upstreamViewOf = (upstream: Upstream): Sections.Shown => {
  const { name } = upstream
  return upstream._tag === "Embedded"
    ? {
        embedded: upstream.node,
        name,
        ...Sections.given({ operator: upstream.operator }),
        ...Pool.nodeView(upstream)
      }
    : {
        url: Sections.hostOf(upstream.url),
        name,
        ...Sections.given({ operator: upstream.operator }),
        headers: Sections.mapped(upstream.headers, () => Sections.SECRET),
        timeout: Kinds.timeOf(upstream.timeout),
        ...(upstream.batch === undefined ? {} : { batch: batchView(upstream.batch) }),
        ...Pool.nodeView(upstream)
      }
}

const batchView = ({ most, wait }: { readonly most: number; readonly wait: number }): Sections.Shown => ({
  most,
  ...(wait === 0 ? {} : { wait: Kinds.timeOf(wait) })
})
