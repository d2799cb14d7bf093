/**
 * Remembers the head of the last call of each connection. Nearly all calls of a connection have the same head, so its
 * key is then neither parsed nor hashed again.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

import type { CallHead } from "../http/callDoor.ts"

const KEPT = Symbol("the head of the last call")

/** A head, with the parts of the request from which it was read. */
interface KeptHead {
  readonly url: string | undefined
  readonly host: string | undefined
  readonly authorization: string | undefined
  readonly origin: string | undefined
  readonly userAgent: string | undefined
  readonly head: CallHead
}

type Keeping = Socket & { [KEPT]?: KeptHead }

/** Returns the head of the connection's last call, if this request is a call with the same head. */
export const of = ({ headers, method, socket, url }: IncomingMessage): CallHead | undefined => {
  const kept = (socket as Keeping)[KEPT]
  return kept !== undefined &&
    method === "POST" &&
    kept.url === url &&
    kept.host === headers.host &&
    kept.authorization === headers.authorization &&
    kept.origin === headers.origin &&
    kept.userAgent === headers["user-agent"]
    ? kept.head
    : undefined
}

/** Keeps the head of a POST for the later calls of its connection. */
export const keep = ({ headers, socket, url }: IncomingMessage, head: CallHead): void => {
  const { authorization, host, origin, "user-agent": userAgent } = headers
  ;(socket as Keeping)[KEPT] = { url, host, authorization, origin, userAgent, head }
}
