/** A fault: how a server behaves, what is asked of it, and what our client must make of it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

import type { WebSocket } from "ws"

import { type Json, type JsonObject, resultOf, type Truth, type WireCall } from "./truth.ts"

/**
 * What the client does: reads something, reads two transactions one after the other (`twice`), or three at once
 * (`three`), which clients that batch send as one batch, or follows the heads of the chain until `LAST_HEAD`.
 */
export type Read = "transaction" | "block" | "slot" | "account" | "twice" | "three" | "heads"

/** The number of the head that ends a run. The first is 1. */
export const LAST_HEAD = 6

export interface Fault {
  /** What the server does, in a few words. */
  readonly name: string
  readonly read: Read
  /** Whether our client proves the answer as well. The others have nothing of that kind. */
  readonly proven?: true
  readonly server: Behaviour
  /**
   * Whether what was asked for is there, if in an unusual form: then the true value is the right outcome, else an error
   * is. Where it is there for some calls, their numbers, from 0.
   */
  readonly honest?: true | ReadonlyArray<number>
  /** Words of the server's that an error should hand on. */
  readonly words?: string
  /**
   * For servers that never answer, or over a WebSocket never to the call: how long clients that can be told so shall wait,
   * in milliseconds.
   */
  readonly patience?: number
  /** For servers that die without a word: how often clients that can be told so shall look after them, in milliseconds. */
  readonly heartbeat?: number
  /** Our outcome, as the table shows it. */
  readonly ours: Expected
}

/** The transports of ours. */
export type Over = "fetch" | "undici" | "webSocket"

/** The same over each transport that the fault is for, or one for each of them. */
export type Expected = string | { readonly [over in Over]?: string }

/**
 * What an answer that names no call of ours comes to: over HTTP it is a wrong answer to the only call there is; among the
 * calls of a WebSocket it is nobody's, and the call has none.
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

/** What arrived in one packet. */
export interface Asked {
  readonly calls: ReadonlyArray<WireCall>
  /** The first of them. */
  readonly call: WireCall
  readonly isBatch: boolean
  /** Which packet of the run it is, from 1. */
  readonly nth: number
  /** Where the client sent it. */
  readonly url: string
  readonly truth: Truth
}

/** One request over HTTP, and the two ways to answer it: properly, and on the bare socket. */
export interface Exchange extends Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: Socket
}

/** One message over a WebSocket, and the two ways to answer it: properly, and on the bare socket. */
export interface Heard extends Asked {
  readonly webSocket: WebSocket
  readonly socket: Socket
  /** Which connection of the run it came over, from 1. */
  readonly connection: number
}

export type Behaviour =
  /** Says it over either transport: with status 200, or as a message of text. */
  | { readonly _tag: "Saying"; readonly say: (asked: Asked) => string | Uint8Array }
  | { readonly _tag: "Http"; readonly respond: (exchange: Exchange) => void }
  | { readonly _tag: "WebSocket"; readonly upgrade?: Upgrade; readonly hear: (heard: Heard) => void }
  /** There is no server. */
  | { readonly _tag: "Nobody" }

/** Does something else with a request for a WebSocket than to accept it; `false` accepts it after all. */
export type Upgrade = (request: IncomingMessage, socket: Socket, nth: number) => boolean

/** Whether a fault can happen over HTTP, or over a WebSocket. */
export const isOver = ({ server }: Fault, over: "Http" | "WebSocket"): boolean =>
  server._tag === over || server._tag === "Saying" || server._tag === "Nobody"

/** Says this text, or these bytes. */
export const saying = (say: (asked: Asked) => string | Uint8Array): Behaviour => ({ _tag: "Saying", say })

/** Answers each call with a reply of its making. */
export const replying = (reply: (call: WireCall, result: Json) => Json): Behaviour =>
  saying((asked) => packet(asked, (call) => reply(call, resultOf(asked.truth, call))))

/** Changes the result of one method, or of several, and answers all else with the truth. */
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

export const http = (respond: (exchange: Exchange) => void): Behaviour => ({ _tag: "Http", respond })

export const webSocket = (hear: (heard: Heard) => void, upgrade?: Upgrade): Behaviour => ({
  _tag: "WebSocket",
  hear,
  ...(upgrade === undefined ? {} : { upgrade })
})

/** The true reply to one call. */
export const replyTo = (truth: Truth, call: WireCall): JsonObject => ({
  jsonrpc: "2.0",
  id: call.id,
  result: resultOf(truth, call)
})

/** The true answer to a packet. */
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
