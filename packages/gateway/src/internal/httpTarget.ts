/** What a request target names. */

export interface Keyed {
  readonly _tag: "Rpc" | "WebSocket"
  readonly key: string
  readonly host: string | undefined
  /** The name before `/v3` or `/ws/v3`, which counts instead of the host. */
  readonly network: string | undefined
}

/** A command of the IPFS HTTP API: what stands behind `/api/v0/`, as it was sent. */
export interface Ipfs {
  readonly _tag: "Ipfs"
  readonly path: string
  readonly query: string
}

export type Target = Keyed | Ipfs | { readonly _tag: "Health" | "Ready" } | { readonly _tag: "Unknown" }

/**
 * Reads a request target. The key is empty if the path has none (`/v3`, `/v3/`); the query is ignored. A network's name may
 * stand first: `/<network>/v3/<key>`, `/<network>/ws/v3/<key>`.
 *
 * `host` is that of a target in absolute form (`http://host/path`), which counts instead of the Host header (RFC 9112,
 * section 3.2.2).
 */
export const parse = (target: string): Target => {
  let start = 0
  let host: string | undefined
  if (target.charCodeAt(0) !== SLASH) {
    const absolute = /^https?:\/\/([^/?#]*)/iu.exec(target)
    if (absolute === null) return unknown
    start = absolute[0].length
    host = absolute[1]!.slice(absolute[1]!.lastIndexOf("@") + 1)
  }
  const query = target.indexOf("?", start)
  const path = start === 0 && query === -1 ? target : target.slice(start, query === -1 ? undefined : query)
  const keyed = keyedOf(path, host, undefined)
  if (keyed !== undefined) return keyed
  if (path.startsWith(IPFS)) {
    return { _tag: "Ipfs", path: path.slice(IPFS.length), query: query === -1 ? "" : target.slice(query + 1) }
  }
  if (path === "/health") return health
  if (path === "/ready") return ready
  const end = path.indexOf("/", 1)
  return (end > 1 ? keyedOf(path.slice(end), host, path.slice(1, end)) : undefined) ?? unknown
}

const SLASH = 0x2f
const IPFS = "/api/v0/"
const health: Target = { _tag: "Health" }
const ready: Target = { _tag: "Ready" }
const unknown: Target = { _tag: "Unknown" }

const keyedOf = (path: string, host: string | undefined, network: string | undefined): Keyed | undefined => {
  const rpc = keyAfter(path, "/v3")
  if (rpc !== undefined) return { _tag: "Rpc", key: rpc, host, network }
  const socket = keyAfter(path, "/ws/v3")
  return socket === undefined ? undefined : { _tag: "WebSocket", key: socket, host, network }
}

const keyAfter = (path: string, prefix: string): string | undefined => {
  if (!path.startsWith(prefix)) return undefined
  if (path.length === prefix.length) return ""
  if (path.charCodeAt(prefix.length) !== SLASH || path.indexOf("/", prefix.length + 1) !== -1) return undefined
  return path.slice(prefix.length + 1)
}
