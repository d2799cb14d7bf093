/** HTTP requests of known projects: each is recorded and charged once, whatever its outcome. */
import type { IncomingMessage } from "node:http"

import type { CallExchange, RequestCaller } from "../http/callDoor.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import { type SpawnFiber, proceed } from "../http/requestFibers.ts"
import type { KnownProject, Pipeline } from "./Pipeline.ts"

export interface ProjectExchanges {
  /** Refuses a known project. The refusal is recorded and charged before it is sent. */
  readonly refuse: (exchange: CallExchange, known: KnownProject, refusal: HttpRefusal.HttpRefusal) => void
  /** Assigns an exchange to a project. If the exchange ends before its work begins, the project is charged. */
  readonly own: (exchange: CallExchange, known: KnownProject) => void
}

export const make = (pipeline: Pipeline, fork: SpawnFiber): ProjectExchanges => {
  const refuse = (exchange: CallExchange, known: KnownProject, refusal: HttpRefusal.HttpRefusal) => {
    exchange.isAccountedFor = true
    const bytesOut = exchange.isHead ? 0 : undefined
    proceed(fork, exchange, pipeline.refuse(known, refusal, { bytesIn: exchange.held, bytesOut }), (answer) =>
      exchange.refuse(answer)
    )
  }

  /** Records an exchange whose work never began: the caller left, or the service is ending. */
  const recordUnasked = (exchange: CallExchange, known: KnownProject) => {
    const code = exchange.status ?? exchange.interrupted()
    const { bytesOut, held } = exchange
    fork(pipeline.refuse(known, HttpRefusal.make(code, ""), { bytesIn: held, bytesOut }))
  }

  return {
    refuse,
    own: (exchange, known) => {
      exchange.owner = {
        project: known.holder.project.id,
        network: known.place,
        refuse: (refusal) => refuse(exchange, known, refusal),
        recordUnasked: () => recordUnasked(exchange, known)
      }
    }
  }
}

/** Reads the caller from a request, except the key, the host and the network. */
export const callerOf = ({ headers, method }: IncomingMessage): Omit<RequestCaller, "key" | "host" | "network"> => ({
  authorization: headers.authorization,
  origin: headers.origin,
  userAgent: headers["user-agent"],
  isHead: method === "HEAD"
})
