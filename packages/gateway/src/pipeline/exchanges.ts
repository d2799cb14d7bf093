/** HTTP requests of known projects: each is recorded and charged once, whatever its outcome. */
import type { IncomingMessage } from "node:http"

import type { CallExchange, RequestCaller, RequestOwner } from "../http/callDoor.ts"
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

  class Owner implements RequestOwner {
    readonly #exchange: CallExchange
    readonly #known: KnownProject

    constructor(exchange: CallExchange, known: KnownProject) {
      this.#exchange = exchange
      this.#known = known
    }

    get project(): string {
      return this.#known.holder.project.id
    }

    get network(): string {
      return this.#known.place
    }

    refuse(refusal: HttpRefusal.HttpRefusal): void {
      refuse(this.#exchange, this.#known, refusal)
    }

    /** Records an exchange whose work never began: the caller left, or the service is ending. */
    recordUnasked(): void {
      const { bytesOut, held, status } = this.#exchange
      const refusal = HttpRefusal.make(status ?? this.#exchange.interrupted(), "")
      fork(pipeline.refuse(this.#known, refusal, { bytesIn: held, bytesOut }))
    }
  }

  return {
    refuse,
    own: (exchange, known) => {
      exchange.owner = new Owner(exchange, known)
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
