/**
 * What would run, in the form of the file, with every default in its place and no secret: of URLs the scheme and the
 * host, for the rest of one may be a secret; of headers the names.
 */
import * as GatewayOptions from "@plumbline/gateway/GatewayOptions"
import * as IpfsOptions from "@plumbline/gateway/IpfsOptions"
import * as UrlSecrets from "@plumbline/redaction/UrlSecrets"
import * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import * as Settings from "./Settings.ts"

type Shown = { readonly [name: string]: unknown }

/** The settings as a file would have them. */
export const file = (settings: Settings.Settings): Shown => {
  const { admin, billing, ipfs, limiter, metering, server } = settings
  return {
    server: {
      host: server.host,
      ...given({ port: server.port }),
      trustedProxies: server.trustedProxies,
      accessLog: server.accessLog,
      limits: { ...GatewayOptions.defaultLimits, ...server.limits },
      timeouts: {
        ...mapped(GatewayOptions.defaultTimeouts, Kinds.shortened),
        grace: Kinds.timeOf(Settings.USUAL_GRACE),
        ...mapped(server.timeouts, Kinds.timeOf)
      }
    },
    networks: Object.fromEntries(settings.networks.map((network) => [network.name, networkOf(network)])),
    defaultNetwork: settings.defaultNetwork ?? settings.networks[0]?.name,
    ipfs: {
      node: ipfs.node._tag === "Url" ? hostOf(ipfs.node.url) : ipfs.node._tag.toLowerCase(),
      allowedOrigins: ipfs.allowedOrigins,
      disallowed: ipfs.disallowed,
      limits: { ...IpfsOptions.defaultLimits, ...ipfs.limits },
      uploadIdle: Kinds.timeOf(ipfs.uploadIdle),
      quotas: ipfs.quotas,
      rates: { reads: null, writes: null, ...ipfs.rates },
      ...given({ collectEvery: ipfs.collectEvery === undefined ? undefined : Kinds.timeOf(ipfs.collectEvery) })
    },
    state: stateOf(settings.state),
    limits: {
      project: { creditsPerSecond: null, burst: null, creditsPerDay: null, concurrency: null, ...settings.limits },
      ...given({ address: limiter.address }),
      whenDown: limiter.whenDown,
      timeout: Kinds.timeOf(Number(limiter.timeout))
    },
    metering: {
      gather: Kinds.timeOf(Number(metering.gather)),
      attempt: Kinds.timeOf(Number(metering.attempt)),
      patience: Kinds.timeOf(Number(metering.patience)),
      whenDown: metering.whenDown,
      limits: metering.limits ?? {},
      retention: mapped(metering.retention ?? {}, (time) => Kinds.timeOf(Number(time)))
    },
    policies: { card: settings.card },
    costs: settings.costs,
    billing: { provider: billing.provider, ...given({ webhookSecret: billing.webhookSecret && SECRET }) },
    admin: { ...given({ token: admin.token && SECRET }), allowedOrigins: admin.allowedOrigins },
    wording: settings.wording
  }
}

/** The same as lines, `path` and `value`. What is empty is left out. */
export const lines = (settings: Settings.Settings): ReadonlyArray<readonly [path: string, value: string]> => {
  const found: Array<readonly [string, string]> = []
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item !== "object")) {
        if (value.length > 0) found.push([path, value.join(", ")])
      } else value.forEach((item, index) => walk(item, `${path}[${index}]`))
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) walk(member, path === "" ? name : `${path}.${name}`)
    } else if (value !== null) found.push([path, typeof value === "string" ? value : JSON.stringify(value)])
  }
  walk(file(settings), "")
  return found
}

/** The scheme and the host of a URL, without a key in the host. */
const hostOf = (url: Redacted.Redacted): string => UrlSecrets.shownOrigin(Redacted.value(url))

const SECRET = "<secret>"

const networkOf = ({
  balance,
  chainId,
  hosts,
  kind,
  maxLag,
  timeout,
  tryTimeout,
  upstreams
}: Settings.Network): Shown => ({
  hosts,
  ...given({ chainId }),
  kind,
  upstreams: upstreams.map(upstreamOf),
  balance,
  timeout: Kinds.timeOf(timeout),
  tryTimeout: Kinds.timeOf(tryTimeout),
  ...given({ maxLag })
})

const upstreamOf = (upstream: Settings.Upstream): Shown => {
  const { name, weight } = upstream
  return upstream._tag === "Embedded"
    ? { embedded: upstream.node, name, weight }
    : {
        url: hostOf(upstream.url),
        name,
        headers: mapped(upstream.headers, () => SECRET),
        timeout: Kinds.timeOf(upstream.timeout),
        weight
      }
}

const stateOf = (state: Settings.State): Shown =>
  state._tag === "Folder"
    ? given({ folder: state.folder })
    : {
        postgres: hostOf(state.postgres),
        connections: state.connections,
        ...given({ redis: state.redis && hostOf(state.redis) })
      }

const mapped = <A>(group: Readonly<Record<string, A>> | object, read: (value: A) => unknown): Shown =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [name, read(value)]))

/** What is there of a group. */
const given = (group: Shown): Shown =>
  Object.fromEntries(Object.entries(group).filter(([, value]) => value !== undefined))
