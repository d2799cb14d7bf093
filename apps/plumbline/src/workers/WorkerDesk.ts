/** Answers the questions of workers, from the stores, networks and nodes of the supervisor. */
import type { SpawnFiber } from "@plumbline/gateway/GatewayInternals"
import { LimiterStore, type Reservation } from "@plumbline/gateway/limits/LimiterStore"
import { MeteringStore } from "@plumbline/gateway/metering/MeteringStore"
import type { Network } from "@plumbline/gateway/networks/Network"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"

import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"
import * as WorkerMessages from "./WorkerMessages.ts"

/** The nodes that run in the supervisor. */
export interface DeskNodes {
  readonly get: (
    name: EmbeddedNetwork
  ) => Effect.Effect<
    { readonly chainId: number; readonly upstream: Pick<Upstream, "call"> },
    { readonly message: string },
    Scope.Scope
  >
}

/** The parts of the supervisor that workers use. */
export interface DeskParts {
  readonly state: Context.Context<LimiterStore | MeteringStore>
  readonly networks: () => ReadonlyArray<Network>
  readonly embedded: DeskNodes
}

type Ask<Q extends WorkerMessages.Question> = WorkerMessages.Questions[Q][0]

/** The answers to one worker. */
export interface WorkerDesk {
  /** Takes a message. After `close`, the last messages of a worker that has ended may still come: only usage counts then. */
  readonly hear: (message: WorkerMessages.WorkerTold) => void
  /** Frees what the worker held. Credits that its calls had reserved stay taken. */
  readonly close: () => void
}

/** Returns the maker of a worker's desk. `tell` sends a message to the worker. */
export const make = Effect.fnUntraced(function* ({ embedded, networks, state }: DeskParts) {
  const supervisor: SupervisorParts = {
    scope: yield* Effect.scope,
    spawn: Effect.runForkWith(yield* Effect.context()),
    limits: Context.get(state, LimiterStore),
    usage: Context.get(state, MeteringStore),
    networks,
    embedded
  }
  return (tell: (message: WorkerMessages.SupervisorTold) => void): WorkerDesk => new Desk(supervisor, tell)
})

/** The parts that the desks of all workers share. */
interface SupervisorParts extends Omit<DeskParts, "state"> {
  readonly scope: Scope.Scope
  readonly spawn: SpawnFiber
  readonly limits: LimiterStore["Service"]
  readonly usage: MeteringStore["Service"]
}

class Desk implements WorkerDesk {
  readonly #supervisor: SupervisorParts
  readonly #tell: (message: WorkerMessages.SupervisorTold) => void
  readonly #calls = new Map<string, Reservation>()
  /** The function that ends each feed, also one that is still opening. */
  readonly #feeds = new Map<number, () => void>()
  #isClosed = false

  constructor(supervisor: SupervisorParts, tell: (message: WorkerMessages.SupervisorTold) => void) {
    this.#supervisor = supervisor
    this.#tell = tell
  }

  hear(message: WorkerMessages.WorkerTold): void {
    if (this.#isClosed && !isUsage(message)) return
    if (message._tag === "Settled") return this.#settle(message.reservation, message.charged)
    if (message._tag === "FeedClosed") {
      this.#feeds.get(message.feed)?.()
      return void this.#feeds.delete(message.feed)
    }
    if (message._tag !== "Asked") return
    const { id } = message
    const told = (exit: Exit.Exit<unknown, unknown>) => {
      if (exit._tag === "Success") return this.#tell({ _tag: "Answered", id, answer: exit.value })
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      const failure = WorkerMessages.encodeFailure(
        WorkerMessages.isQuestionError(error) ? error : ErrorObject.internalError()
      )
      this.#tell({ _tag: "Failed", id, failure })
    }
    this.#supervisor.spawn(this.#answerTo(message)).addObserver(told)
  }

  close(): void {
    this.#isClosed = true
    for (const taken of this.#calls.values()) this.#free(taken)
    this.#calls.clear()
    for (const close of this.#feeds.values()) close()
    this.#feeds.clear()
  }

  #openFeed({ feed, network, request }: Ask<"openFeed">) {
    return Effect.suspend(() => {
      const found = this.#supervisor.networks().find(({ name }) => name === network)?.feeds
      if (found === undefined) return Effect.fail(ErrorObject.internalError())
      let isOver = false
      this.#feeds.set(feed, () => {
        isOver = true
      })
      const opened = found.open(request, {
        begun: (close) => (isOver ? close() : void this.#feeds.set(feed, close)),
        event: (event) => this.#tell({ _tag: "FeedEvents", feed, events: [event] }),
        end: (why) => {
          this.#feeds.delete(feed)
          this.#tell({ _tag: "FeedEnded", feed, why })
        }
      })
      return Effect.onError(opened, () => Effect.sync(() => this.#feeds.delete(feed)))
    })
  }

  #filter({ denies, method, network, owner, params }: Ask<"filter">) {
    return Effect.suspend(() => {
      const found = this.#supervisor.networks().find(({ name }) => name === network)?.filters
      if (found === undefined) return Effect.fail(ErrorObject.methodNotFound(method))
      let begun: readonly [method: string, params: ReadonlyArray<unknown>] | undefined
      const mayRead = (method: string, params: ReadonlyArray<unknown>): boolean => {
        begun = [method, params]
        return !denies
      }
      return Effect.map(found.call(method, params, { id: owner, mayRead }), (json) => ({ json, begun }))
    })
  }

  #free(taken: Reservation): void {
    this.#supervisor.spawn(Effect.ignore(this.#supervisor.limits.settle(taken, taken.credits)))
  }

  #take(id: number, { credits, id: project, kind, limits: bounds, members }: Ask<"take">) {
    return Effect.map(
      Effect.catchTag(
        this.#supervisor.limits.take(kind, project, bounds, credits, members),
        "LimitExceeded",
        Effect.succeed
      ),
      (taken) => {
        if (taken._tag !== "Reservation" || taken.slot === undefined) return taken
        if (this.#isClosed) {
          this.#free(taken)
          return taken
        }
        const slot = String(id)
        this.#calls.set(slot, taken)
        return { ...taken, slot }
      }
    )
  }

  #settle(sent: Reservation, charged: number): void {
    const { slot } = sent
    const taken = slot === undefined ? sent : this.#calls.get(slot)
    if (taken === undefined) return
    if (slot !== undefined) this.#calls.delete(slot)
    this.#supervisor.spawn(Effect.ignore(this.#supervisor.limits.settle(taken, charged)))
  }

  #answerTo({
    ask,
    id,
    question
  }: Extract<WorkerMessages.WorkerTold, { readonly _tag: "Asked" }>): Effect.Effect<unknown, unknown> {
    switch (question) {
      case "take":
        return this.#take(id, ask as Ask<"take">)
      case "look": {
        const { id, kind, limits: bounds } = ask as Ask<"look">
        return this.#supervisor.limits.look!(kind, id, bounds)
      }
      case "commit": {
        const { batch, durability } = ask as Ask<"commit">
        return this.#supervisor.usage.commit(batch, durability)
      }
      case "addLatencies":
        return this.#supervisor.usage.addLatencies(
          (ask as Ask<"addLatencies">).minute,
          (ask as Ask<"addLatencies">).rows
        )
      case "pingUsage":
        return this.#supervisor.usage.ping
      case "node": {
        const { method, name, params } = ask as Ask<"node">
        return Effect.flatMap(
          Effect.provideService(this.#supervisor.embedded.get(name), Scope.Scope, this.#supervisor.scope),
          ({ upstream }) => upstream.call(method, params)
        )
      }
      case "filter":
        return this.#filter(ask as Ask<"filter">)
      case "openFeed":
        return this.#openFeed(ask as Ask<"openFeed">)
    }
  }
}

const isUsage = (message: WorkerMessages.WorkerTold): boolean =>
  message._tag === "Asked" && (message.question === "commit" || message.question === "addLatencies")
