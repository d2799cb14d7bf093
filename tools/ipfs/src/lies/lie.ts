/** A lie: what is asked of a server, and what it does in the place of the honest answer. */
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
  /** What the server does, in a few words. */
  readonly name: string
  readonly read: Read
  /** Whether the truth is there all the same, if in an unusual form: then a refusal is as wrong as a false answer. */
  readonly honest?: true
  /** Why nobody can tell it from the truth, if so: a claim of the node that no CID names, or a list that may just be long. */
  readonly unprovable?: string
  /** What our plain client says over undici, where the fault shows in how the answer comes and not in what it says. */
  readonly says?: string
  /**
   * What the server does, by command. A client that verifies asks for blocks where others ask for files, so a lie about
   * content stands here for each.
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

/** Another body, whose length is told if the length of the honest one was. */
export const withBody = (answer: Answer, body: Uint8Array): Answer => ({
  ...answer,
  body,
  headers:
    "x-content-length" in answer.headers
      ? { ...answer.headers, "x-content-length": String(body.length) }
      : answer.headers
})

/** The same body with one bit changed, in the middle unless said otherwise. */
export const flipped = (body: Uint8Array, at = body.length >> 1): Uint8Array => {
  const copy = Uint8Array.from(body)
  copy[at]! ^= 1
  return copy
}

/** The half of a body. */
export const half = (body: Uint8Array): Uint8Array => body.subarray(0, body.length >> 1)
