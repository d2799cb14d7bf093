/** Converts the flags to the URL and the Host header of the node to ask. */
import { isIP } from "node:net"

import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type * as ServiceFile from "../home/ServiceFile.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** A node or a service. The URL may contain an API key. */
export interface NodeEndpoint {
  readonly url: Redacted.Redacted
  /** The Host header, if it is not the host of the URL. */
  readonly host: string | undefined
}

/** The service has no network of this name. */
export class UnknownNetworkError extends Schema.TaggedError<UnknownNetworkError>()("UnknownNetworkError", {
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
 * The URL names the network in its path (`/history/v3/<key>`), so that the system does not have to resolve a name under
 * `localhost`. Services of earlier versions select the network only by the host.
 */
export const ofService = (
  service: Pick<ServiceFile.Running, "url" | "apiKey" | "networks">,
  network: string | undefined
): Result.Result<NodeEndpoint, UnknownNetworkError> => {
  const url = Redacted.make(`${service.url}/v3/${service.apiKey}`)
  if (network === undefined) return Result.succeed({ url, host: undefined })
  const found = service.networks.find((other) => other.name === network)
  return found === undefined
    ? Result.fail(new UnknownNetworkError({ network, known: service.networks.map((other) => other.name) }))
    : found.url === undefined
      ? Result.succeed({ url, host: found.host })
      : Result.succeed({ url: Redacted.make(`${found.url}/v3/${service.apiKey}`), host: undefined })
}

/**
 * Returns the endpoint of any URL. The network's name is put before the host: `mainnet` and
 * `https://node.example/v3/key` make `https://mainnet.node.example/v3/key`. An IP address or `localhost` cannot have
 * names before it, so for those only the Host header is `mainnet.localhost`. A URL with the host `mainnet.localhost` is
 * treated the same way, because not every system resolves that host (RFC 6761 says it should).
 *
 * A URL whose path names a network (`http://127.0.0.1:8645/history/v3/key`) is used unchanged: the service reads the
 * path, not the host. A different `network` is refused, because the answers would be of the wrong chain. `flag` is the
 * flag that gave the URL, for the error.
 */
export const ofUrl = (
  given: Redacted.Redacted,
  network: string | undefined,
  flag = "--url"
): Result.Result<NodeEndpoint, UsageError> => {
  const text = Redacted.value(given)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return usage(`${flag} must be an http:// or https:// URL`)
  }
  if (network !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/iu.test(network)) {
    return usage("--network must be the name of a network: letters, digits and hyphens")
  }
  const inPath = networkInPath(url)
  if (inPath !== undefined && network !== undefined) {
    return inPath === network
      ? Result.succeed({ url: given, host: undefined })
      : usage(`--network: the path of ${flag} names the network ${inPath} already. Leave one of them out`)
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

/** First parts of paths that do not name a network. */
const PATHS: ReadonlySet<string> = new Set(["api", "v0", "v1", "v2", "v3", "ws", "rpc"])

/** True for a host that cannot have a name before it. */
export const isLocal = (hostname: string): boolean =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname.startsWith("[") || isIP(hostname) !== 0

const usage = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError({ problem }))
