/** The paths of JSON-RPC: `/v3/<key>` for calls, `/ws/v3/<key>` for WebSockets. */
import type { IncomingMessage } from "node:http"

import type { CallHead, CallHeaders, RequestCaller } from "../http/callDoor.ts"
import * as HttpTarget from "../http/httpTarget.ts"
import * as VerdictMember from "../integrity/verdictMember.ts"

export interface RpcPath {
  readonly _tag: "Rpc" | "WebSocket"
  readonly key: string
  readonly host: string | undefined
  /** The network's name before `/v3` or `/ws/v3`; undefined if there is none. It takes precedence over the host. */
  readonly network: string | undefined
  /** True if the caller asks for verdicts in the answers. */
  readonly annotates: boolean
}

/**
 * Parses the key and the network of a target. Returns undefined for another path. The key is empty if the path has none
 * (`/v3`, `/v3/`). In the query only `annotate` matters. The path may begin with a network's name:
 * `/<network>/v3/<key>`, `/<network>/ws/v3/<key>`.
 */
export const keyedOf = ({ host, path, query }: HttpTarget.HttpTarget): RpcPath | undefined => {
  const annotates = VerdictMember.isAsked(query)
  const keyed = keyedAt(path, host, undefined, annotates)
  if (keyed !== undefined) return keyed
  const end = path.indexOf("/", 1)
  return end > 1 ? keyedAt(path.slice(end), host, path.slice(1, end), annotates) : undefined
}

/** True if a request asks for a WebSocket on one of the WebSocket paths. */
export const isWebSocket = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === "websocket" &&
  keyedOf(HttpTarget.parse(request.url ?? ""))?._tag === "WebSocket"

/** Reads the caller of a request from its target and headers. */
export const keyedCallerOf = (
  headers: CallHeaders,
  { host, key, network }: RpcPath,
  method: string | undefined
): RequestCaller => ({
  key,
  host: host ?? textOf(headers["host"]),
  network,
  authorization: textOf(headers["authorization"]),
  origin: textOf(headers["origin"]),
  userAgent: textOf(headers["user-agent"]),
  isHead: method === "HEAD"
})

/** Reads the head of a request. */
export const headOf = (path: RpcPath, headers: CallHeaders, method: string | undefined): CallHead => ({
  caller: keyedCallerOf(headers, path, method),
  annotates: path.annotates,
  session: undefined
})

const textOf = (value: CallHeaders[string]): string | undefined => (typeof value === "string" ? value : undefined)

const keyedAt = (
  path: string,
  host: string | undefined,
  network: string | undefined,
  annotates: boolean
): RpcPath | undefined => {
  const rpc = keyAfter(path, "/v3")
  if (rpc !== undefined) return { _tag: "Rpc", key: rpc, host, network, annotates }
  const socket = keyAfter(path, "/ws/v3")
  return socket === undefined ? undefined : { _tag: "WebSocket", key: socket, host, network, annotates }
}

const SLASH = 0x2f

const keyAfter = (path: string, prefix: string): string | undefined => {
  if (!path.startsWith(prefix)) return undefined
  if (path.length === prefix.length) return ""
  if (path.charCodeAt(prefix.length) !== SLASH || path.indexOf("/", prefix.length + 1) !== -1) return undefined
  return path.slice(prefix.length + 1)
}
