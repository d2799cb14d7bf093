/** A fault: the server's behaviour, the question, and the outcome that our client must have. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

import type { Lie } from "@plumbline/tamper"
import { Effect } from "effect"
import type { WebSocket } from "ws"

import { type Json, type JsonObject, resultOf, type Truth, type WireCall } from "./liveAnswers.ts"

/**
 * The client's action. With `twice`, it reads two transactions, one after the other. With `three`, it reads three
 * transactions at once, and batching clients send one batch. With `heads`, it follows the heads of the chain until
 * `LAST_HEAD`. Otherwise it reads the named thing once.
 */
export type Read = "transaction" | "block" | "slot" | "account" | "twice" | "three" | "heads"

/** The number of the head that ends a run. The first is 1. */
export const LAST_HEAD = 6

export interface Fault {
  /** The server's behaviour, in a few words. */
  readonly name: string
  readonly read: Read
  /** True if our client also proves the answer. The other clients cannot. */
  readonly proven?: true
  readonly server: Behaviour
  /**
   * True if the answer has the requested value, in an unusual form. Then the true value is the right outcome; otherwise
   * an error is the right outcome. If only some of several calls get their value, this is the list of the positions of
   * these calls, from 0.
   */
  readonly honest?: true | ReadonlyArray<number>
  /** Words from the server that an error should contain. */
  readonly words?: string
  /**
   * The time that clients wait, in milliseconds, if they take such a setting. It is set for servers that never answer,
   * or never answer the call over a WebSocket.
   */
  readonly patience?: number
  /**
   * The interval between checks for a sign of life, in milliseconds, if clients take such a setting. It is set for
   * servers that die silently.
   */
  readonly heartbeat?: number
  /** The outcome of our clients, as the table shows it. */
  readonly ours: Expected
}

/** Our transports. */
export type Over = "fetch" | "undici" | "webSocket"

/** The expected outcome: one for all transports of the fault, or one for each. */
export type Expected = string | { readonly [over in Over]?: string }

/**
 * The outcome of an answer that names none of our calls. Over HTTP, such an answer is a wrong answer to the only call.
 * Over a WebSocket it belongs to no call, so our call gets no answer.
 */
export const UNMATCHED = {
  fetch: "ProtocolError",
  undici: "ProtocolError",
  webSocket: "TimeoutError, retryable"
} as const satisfies Expected

/** A family of faults: one chapter of the table. */
export interface Family {
  readonly name: string
  readonly faults: ReadonlyArray<Fault>
}

/** The contents of one packet. */
export interface Asked {
  readonly calls: ReadonlyArray<WireCall>
  /** The first call of the packet. */
  readonly call: WireCall
  readonly isBatch: boolean
  /** The number of the packet in the run, from 1. */
  readonly nth: number
  /** The URL to which the client sent the packet. */
  readonly url: string
  readonly truth: Truth
}

/** One request over HTTP, and the two ways to answer it: with an HTTP response, or directly on the socket. */
export interface Exchange extends Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: Socket
}

/** One message over a WebSocket, and the two ways to answer it: with a message, or directly on the socket. */
export interface Heard extends Asked {
  readonly webSocket: WebSocket
  readonly socket: Socket
  /** The number of the connection in the run, from 1. */
  readonly connection: number
}

export type Behaviour =
  /** Sends a text over either transport: with status 200, or as a message. */
  | { readonly _tag: "Saying"; readonly say: (asked: Asked) => string | Uint8Array }
  | { readonly _tag: "Http"; readonly respond: (exchange: Exchange) => void }
  | { readonly _tag: "WebSocket"; readonly upgrade?: Upgrade; readonly hear: (heard: Heard) => void }
  /** There is no server. */
  | { readonly _tag: "Nobody" }

/**
 * Handles a request for a WebSocket instead of accepting it. Returns `false` if the server must accept the request
 * after all.
 */
export type Upgrade = (request: IncomingMessage, socket: Socket, nth: number) => boolean

/** True if a fault can happen over the given transport. */
export const isOver = ({ server }: Fault, over: "Http" | "WebSocket"): boolean =>
  server._tag === over || server._tag === "Saying" || server._tag === "Nobody"

/** Returns a behaviour that sends this text, or these bytes. */
export const saying = (say: (asked: Asked) => string | Uint8Array): Behaviour => ({ _tag: "Saying", say })

/** Returns a behaviour that answers each call with the reply that `reply` makes. */
export const replying = (reply: (call: WireCall, result: Json) => Json): Behaviour =>
  saying((asked) => packet(asked, (call) => reply(call, resultOf(asked.truth, call))))

/**
 * Returns a behaviour that changes the result of one or several methods, and answers all other calls with the truth.
 */
export const resulting = (
  methods: ReadonlyArray<string>,
  change: (result: any, truth: Truth) => Json | undefined
): Behaviour =>
  saying((asked) =>
    packet(asked, (call) => {
      const reply = replyTo(asked.truth, call)
      return methods.includes(call.method) ? { ...reply, result: change(reply["result"], asked.truth) ?? null } : reply
    })
  )

/** Returns a behaviour that tells a published lie about the content of answers. */
export const telling = ({ how, name }: Lie.Lie): Behaviour => {
  if (how._tag === "Line") throw new Error(`${name} is a fault of the connection`)
  return saying((asked) =>
    packet(asked, (call) => {
      const reply = replyTo(asked.truth, call)
      const ask = (method: string, params: ReadonlyArray<any>) =>
        Effect.succeed(resultOf(asked.truth, { ...call, method, params }))
      const told = how.tell(reply["result"], { method: call.method, params: call.params, count: 0, ask })
      return { ...reply, result: Effect.runSync(told) as Json }
    })
  )
}

export const http = (respond: (exchange: Exchange) => void): Behaviour => ({ _tag: "Http", respond })

export const webSocket = (hear: (heard: Heard) => void, upgrade?: Upgrade): Behaviour => ({
  _tag: "WebSocket",
  hear,
  ...(upgrade === undefined ? {} : { upgrade })
})

/** Returns the true reply to one call. */
export const replyTo = (truth: Truth, call: WireCall): JsonObject => ({
  jsonrpc: "2.0",
  id: call.id,
  result: resultOf(truth, call)
})

/** Returns the true answer to a packet. */
export const trueAnswer = (asked: Asked): string => packet(asked, (call) => replyTo(asked.truth, call))

export const failure = (id: Json, code: number, message: string, more: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...more }
})

const packet = ({ calls, isBatch }: Asked, reply: (call: WireCall) => Json): string => {
  const replies = calls.map(reply)
  return JSON.stringify(isBatch ? replies : replies[0])
}
