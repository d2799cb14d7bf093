/** What a request target names. */

export interface Keyed {
  readonly _tag: "Rpc" | "WebSocket"
  readonly key: string
  readonly host: string | undefined
}

/** A command of the IPFS HTTP API: what stands behind `/api/v0/`, as it was sent. */
export interface Ipfs {
  readonly _tag: "Ipfs"
  readonly path: string
  readonly query: string
}

export type Target = Keyed | Ipfs | { readonly _tag: "Health" } | { readonly _tag: "Unknown" }

/**
 * Reads a request target. The key is empty if the path has none (`/v3`, `/v3/`); the query is ignored.
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
  const rpc = keyAfter(path, "/v3")
  if (rpc !== undefined) return { _tag: "Rpc", key: rpc, host }
  const socket = keyAfter(path, "/ws/v3")
  if (socket !== undefined) return { _tag: "WebSocket", key: socket, host }
  if (path.startsWith(IPFS)) {
    return { _tag: "Ipfs", path: path.slice(IPFS.length), query: query === -1 ? "" : target.slice(query + 1) }
  }
  return path === "/health" ? health : unknown
}

const SLASH = 0x2f
const IPFS = "/api/v0/"
const health: Target = { _tag: "Health" }
const unknown: Target = { _tag: "Unknown" }

const keyAfter = (path: string, prefix: string): string | undefined => {
  if (!path.startsWith(prefix)) return undefined
  if (path.length === prefix.length) return ""
  if (path.charCodeAt(prefix.length) !== SLASH || path.indexOf("/", prefix.length + 1) !== -1) return undefined
  return path.slice(prefix.length + 1)
}
