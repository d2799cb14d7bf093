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
  const scope = yield* Effect.scope
  const spawn: SpawnFiber = Effect.runForkWith(yield* Effect.context())
  const limits = Context.get(state, LimiterStore)
  const usage = Context.get(state, MeteringStore)

  return (tell: (message: WorkerMessages.SupervisorTold) => void): WorkerDesk => {
    const calls = new Map<string, Reservation>()
    /** The function that ends each feed, also one that is still opening. */
    const feeds = new Map<number, () => void>()
    let isClosed = false

    const openFeed = ({ feed, network, request }: Ask<"openFeed">) =>
      Effect.suspend(() => {
        const found = networks().find(({ name }) => name === network)?.feeds
        if (found === undefined) return Effect.fail(ErrorObject.internalError())
        let isOver = false
        feeds.set(feed, () => {
          isOver = true
        })
        const opened = found.open(request, {
          begun: (close) => (isOver ? close() : void feeds.set(feed, close)),
          event: (event) => tell({ _tag: "FeedEvents", feed, events: [event] }),
          end: (why) => {
            feeds.delete(feed)
            tell({ _tag: "FeedEnded", feed, why })
          }
        })
        return Effect.onError(opened, () => Effect.sync(() => feeds.delete(feed)))
      })

    const filter = ({ denies, method, network, owner, params }: Ask<"filter">) =>
      Effect.suspend(() => {
        const found = networks().find(({ name }) => name === network)?.filters
        if (found === undefined) return Effect.fail(ErrorObject.methodNotFound(method))
        let begun: readonly [method: string, params: ReadonlyArray<unknown>] | undefined
        const mayRead = (method: string, params: ReadonlyArray<unknown>): boolean => {
          begun = [method, params]
          return !denies
        }
        return Effect.map(found.call(method, params, { id: owner, mayRead }), (json) => ({ json, begun }))
      })

    const free = (taken: Reservation): void => void spawn(Effect.ignore(limits.settle(taken, taken.credits)))

    const take = (id: number, { credits, id: project, kind, limits: bounds, members }: Ask<"take">) =>
      Effect.map(
        Effect.catchTag(limits.take(kind, project, bounds, credits, members), "LimitExceeded", Effect.succeed),
        (taken) => {
          if (taken._tag !== "Reservation" || taken.slot === undefined) return taken
          if (isClosed) {
            free(taken)
            return taken
          }
          const slot = String(id)
          calls.set(slot, taken)
          return { ...taken, slot }
        }
      )

    const settle = (sent: Reservation, charged: number): void => {
      const { slot } = sent
      const taken = slot === undefined ? sent : calls.get(slot)
      if (taken === undefined) return
      if (slot !== undefined) calls.delete(slot)
      spawn(Effect.ignore(limits.settle(taken, charged)))
    }

    const answerTo = ({
      ask,
      id,
      question
    }: Extract<WorkerMessages.WorkerTold, { readonly _tag: "Asked" }>): Effect.Effect<unknown, unknown> => {
      switch (question) {
        case "take":
          return take(id, ask as Ask<"take">)
        case "look": {
          const { id, kind, limits: bounds } = ask as Ask<"look">
          return limits.look!(kind, id, bounds)
        }
        case "commit": {
          const { batch, durability } = ask as Ask<"commit">
          return usage.commit(batch, durability)
        }
        case "addLatencies":
          return usage.addLatencies((ask as Ask<"addLatencies">).minute, (ask as Ask<"addLatencies">).rows)
        case "pingUsage":
          return usage.ping
        case "node": {
          const { method, name, params } = ask as Ask<"node">
          return Effect.flatMap(Effect.provideService(embedded.get(name), Scope.Scope, scope), ({ upstream }) =>
            upstream.call(method, params)
          )
        }
        case "filter":
          return filter(ask as Ask<"filter">)
        case "openFeed":
          return openFeed(ask as Ask<"openFeed">)
      }
    }

    return {
      hear: (message) => {
        if (isClosed && !isUsage(message)) return
        if (message._tag === "Settled") return settle(message.reservation, message.charged)
        if (message._tag === "FeedClosed") {
          feeds.get(message.feed)?.()
          return void feeds.delete(message.feed)
        }
        if (message._tag !== "Asked") return
        const { id } = message
        const told = (exit: Exit.Exit<unknown, unknown>) => {
          if (exit._tag === "Success") return tell({ _tag: "Answered", id, answer: exit.value })
          const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
          const failure = WorkerMessages.encodeFailure(
            WorkerMessages.isQuestionError(error) ? error : ErrorObject.internalError()
          )
          tell({ _tag: "Failed", id, failure })
        }
        spawn(answerTo(message)).addObserver(told)
      },
      close: () => {
        isClosed = true
        for (const taken of calls.values()) free(taken)
        calls.clear()
        for (const close of feeds.values()) close()
        feeds.clear()
      }
    }
  }
})

const isUsage = (message: WorkerMessages.WorkerTold): boolean =>
  message._tag === "Asked" && (message.question === "commit" || message.question === "addLatencies")
