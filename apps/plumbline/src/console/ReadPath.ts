/**
 * Lets the console read chains and IPFS blocks without a key, only for a browser on this machine and only from embedded
 * nodes.
 *
 * The service makes the call with the folder's own key, so that the page never has the key. docs/decisions/console.md
 * explains why this is safe, and its limits.
 */
import type { IncomingMessage } from "node:http"

import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"

import * as Loopback from "../home/Loopback.ts"

/** The methods that read: the idempotent ones. A call of any other method is refused. */
const READS: ReadonlySet<string> = new Set(
  [...Object.values<Method.Any>(EthMethods.group.methods), ...Object.values<Method.Any>(Starknet.group.methods)]
    .filter(({ idempotent }) => idempotent)
    .map(({ name }) => name)
)

/** Maximum number of bytes of a body. */
export const MAX_BODY: number = 256 * 1024

/**
 * True if a request comes from a browser on this machine that shows a page of this service.
 *
 * The caller's address and the Host header must be loopback. A page of another site cannot set this Host header, even
 * if the site's name resolves to this machine. The origin must be this host, and no proxy header may be present.
 */
export const isLocal = (request: IncomingMessage): boolean => {
  const { headers, socket } = request
  const host = headers.host ?? ""
  return (
    LOOPBACK.test(socket.remoteAddress ?? "") &&
    /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/iu.test(host) &&
    (headers.origin === undefined || headers.origin === `http://${host}`) &&
    (headers["sec-fetch-site"] === undefined || headers["sec-fetch-site"] === "same-origin") &&
    !isProxied(headers)
  )
}

/**
 * True if a request reached a loopback address under a name that is not this machine's: DNS rebinding. A page of
 * another site makes such requests after its name was made to resolve to this machine. It can add the headers of a proxy too, so they
 * excuse nothing. A worker passes requests over a Unix socket, which has no address: then the caller's address counts,
 * because only this machine reaches its loopback addresses.
 */
export const isForeign = ({ headers, socket }: IncomingMessage, caller: string): boolean =>
  LOOPBACK.test(socket.localAddress ?? caller) && headers.host !== undefined && !Loopback.isLoopback(headers.host)

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/u

const isProxied = (headers: IncomingMessage["headers"]): boolean => PROXIED.some((name) => headers[name] !== undefined)

const PROXIED = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"] as const

/** Returns the method of the first call that does not read; undefined if all of them read. */
export const refusedIn = (body: string): string | undefined => {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return "a body that is not JSON"
  }
  const calls: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  if (calls.length === 0) return "an empty batch"
  for (const call of calls) {
    const method = typeof call === "object" && call !== null && "method" in call ? call.method : undefined
    if (typeof method !== "string") return "a message without a method"
    if (!READS.has(method)) return method.slice(0, 60)
  }
  return undefined
}

/**
 * True if the request has the header that the page's own script must set to read from IPFS. The request has no body
 * whose type would need a preflight, but the header needs a preflight, and the service grants none to other sites.
 */
export const isScripted = ({ headers }: IncomingMessage): boolean => headers["x-plumbline-console"] === "1"

/**
 * Returns the query of a read of one block, from the query that the page sent; undefined for any other read. A block is
 * named by its CID, because a path would make the node read many blocks.
 */
export const blockQuery = (search: URLSearchParams): string | undefined => {
  const args = search.getAll("arg")
  const [cid = ""] = args
  return args.length === 1 && /^[A-Za-z0-9]{1,600}$/u.test(cid) ? `arg=${cid}` : undefined
}
