/** A lie: the question to a server, and its behaviour in place of the honest answer. */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

import type { Answer, Asked } from "./answer.ts"
import type { Read } from "./truth.ts"

/** A request, the honest answer, and the two ways to answer it: properly, and on the bare socket. */
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
  /** Set if the answer is true, in an unusual form: then a refusal is as wrong as a false answer. */
  readonly honest?: true
  /**
   * The reason why no client can tell the lie from the truth, if that is so: a claim of the node that no CID names, or
   * a list that may just be long.
   */
  readonly unprovable?: string
  /**
   * The words of our plain client's error over undici, for faults that show in the transport of the answer and not in
   * its content.
   */
  readonly says?: string
  /**
   * The server's behaviour, by command. A client that verifies asks for blocks where others ask for files, so a lie
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

/** The same behaviour for several commands. */
export const forAll = (commands: ReadonlyArray<string>, behaviour: Behaviour): Readonly<Record<string, Behaviour>> =>
  Object.fromEntries(commands.map((command) => [command, behaviour]))

/** Returns the answer with another body. Its length is sent if the length of the honest one was. */
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

/** The half of a body. */
export const half = (body: Uint8Array): Uint8Array => body.subarray(0, body.length >> 1)
