/** The node to ask: from the flags to a URL and a Host header. */
import { isIP } from "node:net"

import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type * as ServiceFile from "../home/ServiceFile.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** A node or a service. The URL may hold an API key. */
export interface Endpoint {
  readonly url: Redacted.Redacted
  /** The Host header, if it is not the host of the URL. */
  readonly host: string | undefined
}

/** The service has no network of this name. */
export class UnknownNetwork extends Schema.TaggedError<UnknownNetwork>()("UnknownNetwork", {
  network: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the service has no network "${this.network}", only: ${this.known.join(", ")}`
  }
}

/**
 * Returns a network of the service that `up` started, or the first one if none is named.
 *
 * The URL names the network in its path (`/history/v3/<key>`), so that no name under `localhost` must be resolved.
 * Services of earlier versions select the network only by the host.
 */
export const ofService = (
  service: Pick<ServiceFile.Running, "url" | "apiKey" | "networks">,
  network: string | undefined
): Result.Result<Endpoint, UnknownNetwork> => {
  const url = Redacted.make(`${service.url}/v3/${service.apiKey}`)
  if (network === undefined) return Result.succeed({ url, host: undefined })
  const found = service.networks.find((other) => other.name === network)
  return found === undefined
    ? Result.fail(new UnknownNetwork({ network, known: service.networks.map((other) => other.name) }))
    : found.url === undefined
      ? Result.succeed({ url, host: found.host })
      : Result.succeed({ url: Redacted.make(`${found.url}/v3/${service.apiKey}`), host: undefined })
}

/**
 * Any URL. A network is a name before its host: `mainnet` and `https://node.example/v3/key` make
 * `https://mainnet.node.example/v3/key`. An IP address or `localhost` cannot have names before it, so for those only
 * the Host header is `mainnet.localhost`. The same holds for a URL with the host `mainnet.localhost`, which not every
 * system resolves (RFC 6761 says it should).
 *
 * A URL whose path names a network (`http://127.0.0.1:8645/history/v3/key`) is asked as it is: for the service the path
 * counts, and not the host. Another network beside it is refused, because the answers would be of the wrong chain.
 */
export const ofUrl = (given: Redacted.Redacted, network: string | undefined): Result.Result<Endpoint, UsageError> => {
  const text = Redacted.value(given)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return usage("--url must be an http:// or https:// URL")
  }
  if (network !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu.test(network)) {
    return usage("--network must be the name of a network: letters, digits and hyphens")
  }
  const inPath = networkInPath(url)
  if (inPath !== undefined && network !== undefined) {
    return inPath === network
      ? Result.succeed({ url: given, host: undefined })
      : usage(`--network: the path of --url names the network ${inPath} already. Leave one of them out`)
  }
  const { hostname, port } = url
  if (isLocal(hostname)) {
    const name = network === undefined ? hostname : `${network}.localhost`
    if (name === hostname && !hostname.endsWith(".localhost")) return Result.succeed({ url: given, host: undefined })
    if (hostname.endsWith(".localhost")) url.hostname = "localhost"
    return Result.succeed({ url: Redacted.make(url.href), host: port === "" ? name : `${name}:${port}` })
  }
  if (network === undefined) return Result.succeed({ url: given, host: undefined })
  url.hostname = `${network}.${hostname}`
  return Result.succeed({ url: Redacted.make(url.href), host: undefined })
}

/** Returns the network that a path such as `/history/v3/<key>` names. */
export const networkInPath = ({ pathname }: URL): string | undefined => {
  const name = /^\/([a-z0-9][a-z0-9-]{0,62})\/v3\/[^/]+\/?$/iu.exec(pathname)?.[1]
  return name === undefined || PATHS.has(name.toLowerCase()) ? undefined : name
}

/** The first parts of paths that name no network. */
const PATHS: ReadonlySet<string> = new Set(["api", "v0", "v1", "v2", "v3", "ws", "rpc"])

/** True for a host that cannot have a name before it. */
export const isLocal = (hostname: string): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname.startsWith("[") || isIP(hostname) !== 0

const usage = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError({ problem }))
