/**
 * The door between a listener and the calls of JSON-RPC. Behind it nothing depends on `node:http`, so every listener
 * runs calls on the same path.
 */
import type * as Tracer from "effect/Tracer"

import type { HttpRefusal } from "./HttpRefusal.ts"
import type { HttpTarget } from "./httpTarget.ts"
import type { PacketAnswer } from "./PacketAnswer.ts"

/** The work for a request. It can be interrupted, for example because it is a fiber. */
export interface RequestWork {
  readonly interruptUnsafe: () => void
}

/** The project of a request, with the functions that record a request for which no call began. */
export interface RequestOwner {
  /** The id of the project, and the name of the network, for the log. */
  readonly project: string
  readonly network: string
  /** Refuses the request. The refusal is recorded and charged. */
  readonly refuse: (refusal: HttpRefusal) => void
  /** Records that the request has ended without a call. */
  readonly recordUnasked: () => void
}

/** The facts about a caller that are read from the head of a request. */
export interface RequestCaller {
  /** The key in the path; undefined if key and secret are in the Authorization header. */
  readonly key: string | undefined
  readonly authorization: string | undefined
  readonly host: string | undefined
  /** The network that the path names. It takes precedence over the host. */
  readonly network: string | undefined
  readonly origin: string | undefined
  readonly userAgent: string | undefined
  /** True for a HEAD request, whose answers have no body. */
  readonly isHead: boolean
}

/**
 * One request and its answer, as the path of a call sees it. When it ends, the listener interrupts `work`, gives
 * `held` bytes back, and calls `owner.recordUnasked` unless `isAccountedFor`.
 */
export interface CallExchange {
  readonly kind: "http"
  readonly requestId: string
  /** True for a HEAD request, whose answers have no body. */
  readonly isHead: boolean
  /** The tracing span of the exchange; undefined if it is not traced. */
  readonly span: Tracer.Span | undefined
  /** True if the caller asks for verdicts in the answers. */
  readonly annotates: boolean
  /** Number of bytes of the body that were read and are held in memory. */
  readonly held: number
  /** Number of body bytes of the answer. */
  readonly bytesOut: number
  /** True if the caller has left, so that no answer can be sent. */
  readonly isGone: boolean
  /** The status of the answer; undefined before one is sent. */
  readonly status: number | undefined
  /** Returns the status of an exchange that ends without an answer: 499 if the caller has left, 503 if it was given up. */
  readonly interrupted: () => number
  /** True once another part has taken over recording and charging the exchange. */
  isAccountedFor: boolean
  /** The work that prepares the answer, while it is under way. */
  work: RequestWork | undefined
  /** The owner, once the project is known. */
  owner: RequestOwner | undefined
  /** Sends the answer. The path of a call calls this or `refuse` once. */
  readonly answer: (answer: PacketAnswer) => void
  readonly refuse: (refusal: HttpRefusal) => void
}

/**
 * The head of a call. A listener may keep it for as long as a connection repeats the bytes of the head: the path of a
 * call remembers here what it found out, and checks for each call that it still holds.
 */
export interface CallHead {
  readonly caller: RequestCaller
  /** True if the caller asks for verdicts in the answers. */
  readonly annotates: boolean
  /** The session of the last call with this head. Only the path of a call reads and writes it. */
  session: unknown
}

/** The headers that the path of a call reads, by their names in lower case. */
export type CallHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface CallDoor {
  /**
   * Reads the head of a POST. Returns undefined for everything that is not a plain call: another path, a content type or
   * a coding that is refused, a request that may be traced. Such a request belongs to `HttpRoute.serve`.
   */
  readonly headOf: (target: HttpTarget, headers: CallHeaders) => CallHead | undefined
  /**
   * Runs the calls of a whole body, at once or later: the limit of the address, the key, the limits of the project,
   * the calls, usage, and the answer. `address` is the caller's. The body must be within `limits.bodyBytes`, its bytes
   * are taken from the budget, and the exchange is in the listener's set of exchanges under way.
   */
  readonly serve: (exchange: CallExchange, head: CallHead, address: string, body: Uint8Array) => void
}
