/** A lie: the question to a server, and its behaviour in place of the honest answer. */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

import type { Answer, Asked } from "./answer.ts"
import type { Read } from "./trueContent.ts"

/** A request, the honest answer, and the two ways to send an answer: as an HTTP response, or directly on the socket. */
export interface Exchange {
  readonly asked: Asked
  readonly answer: Answer
  readonly response: ServerResponse
  readonly socket: Socket
}

/** Changes an honest answer. */
export type Change = (answer: Answer, asked: Asked) => Answer | Promise<Answer>

export interface Lie {
  /** The server's behaviour, in a few words. */
  readonly name: string
  readonly read: Read
  /** Set if the answer is true but has an unusual form. A refusal is then as wrong as a false answer. */
  readonly honest?: true
  /**
   * The reason why no client can detect the lie, if that is so: for example, a claim of the node that no CID proves, or
   * a list that could just be long.
   */
  readonly unprovable?: string
  /**
   * For a fault in the transport of the answer: the kind of error with which our plain client over undici must fail.
   */
  readonly says?: string
  /**
   * The server's behaviour, by command. A verifying client requests blocks where other clients request files, so a lie
   * about content has an entry for each.
   */
  readonly commands: Readonly<Record<string, Behaviour>>
}

export type Behaviour =
  | { readonly _tag: "Changing"; readonly change: Change }
  | { readonly _tag: "Responding"; readonly respond: (exchange: Exchange) => void }

/** A family of lies: one chapter of the table. */
export interface Family {
  readonly name: string
  readonly lies: ReadonlyArray<Lie>
}

export const changing = (change: Change): Behaviour => ({ _tag: "Changing", change })

export const responding = (respond: (exchange: Exchange) => void): Behaviour => ({ _tag: "Responding", respond })

/** Returns the same behaviour for several commands. */
export const forAll = (commands: ReadonlyArray<string>, behaviour: Behaviour): Readonly<Record<string, Behaviour>> =>
  Object.fromEntries(commands.map((command) => [command, behaviour]))

/** Returns the answer with another body. The new length is sent if the honest answer sends its length. */
export const withBody = (answer: Answer, body: Uint8Array): Answer => ({
  ...answer,
  body,
  headers:
    "x-content-length" in answer.headers
      ? { ...answer.headers, "x-content-length": String(body.length) }
      : answer.headers
})

/** Returns the body with one bit changed (default: in the middle). */
export const flipped = (body: Uint8Array, at = body.length >> 1): Uint8Array => {
  const copy = Uint8Array.from(body)
  copy[at]! ^= 1
  return copy
}

/** Returns the first half of a body. */
export const half = (body: Uint8Array): Uint8Array => body.subarray(0, body.length >> 1)
