/** A whole service with a node in this process. The test sees the metered usage and the node's calls. */
import {
  Accounts,
  Gateway,
  type GatewayOptions,
  type GatewayProduct,
  HttpUpstream,
  Limiter,
  LimiterError,
  LimiterStore,
  Metering,
  MeteringError,
  type Network,
  UsageFigures
} from "@plumbline/gateway"
import { Clock, Context, Effect, Layer, Logger } from "effect"

import * as State from "./accounts.ts"
import * as FakeNode from "./fakeNode.ts"
import { KEY, listener, network, SECRET } from "./service.ts"

export interface Options {
  /** Settings of the project whose key is `KEY`. */
  readonly project?: Partial<State.Given> | undefined
  readonly gateway?: Omit<GatewayOptions.GatewayOptions & GatewayProduct.GatewayProducts, "networks"> | undefined
  /** A layer that replaces a part of the state. */
  readonly instead?: Layer.Layer<never> | undefined
  readonly node?: FakeNode.Behaviour | undefined
  /** The network, in place of one with that node. */
  readonly network?: Network.Network | undefined
  readonly loggers?: ReadonlyArray<Logger.Logger<unknown, unknown>> | undefined
}

export interface Row {
  readonly product: string
  readonly network: string
  readonly method: string
  readonly status: number
  readonly calls: number
  readonly credits: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Starts the service with the methods of `methods.ts`. The node answers each call with the name of its method. */
export const start = Effect.fnUntraced(function* (options: Options = {}) {
  const node = yield* FakeNode.make(options.node ?? (({ method }) => ({ result: method })))
  const state = State.layer([{ id: "p1", key: KEY, secret: SECRET, ...options.project }])
  const whole = Layer.merge(state, options.instead ?? Layer.empty)
  const upstream = yield* HttpUpstream.make({ url: node.url })
  const context = yield* Layer.build(
    Gateway.layer({ networks: [options.network ?? network(upstream)], ...listener(), ...options.gateway }).pipe(
      Layer.provideMerge(whole)
    )
  ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set(options.loggers)))
  const figures = Context.get(context, UsageFigures.UsageFigures)
  const rows: Effect.Effect<ReadonlyArray<Row>> = Effect.orDie(
    Effect.map(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        figures.by({ ...UsageFigures.last("24h", now), by: ["product", "network", "method", "status"] })
      ),
      (found) =>
        found.rows.map(({ bytesIn, bytesOut, calls, credits, method, network, product, status }) => ({
          product,
          network,
          method,
          status,
          calls: Number(calls),
          credits: Number(credits),
          bytesIn: Number(bytesIn),
          bytesOut: Number(bytesOut)
        }))
    )
  )
  const accounts = Context.get(context, Accounts.Accounts)
  const holder = (yield* accounts.lookup(KEY))!
  return {
    ...Context.get(context, Gateway.Gateway),
    node,
    accounts,
    holder,
    limiter: Context.get(context, Limiter.Limiter),
    figures,
    metering: Context.get(context, Metering.Metering),
    rows
  }
})

export type Metered = Effect.Success<ReturnType<typeof start>>

/** Returns a line for each row: `method status calls credits`. */
export const summary = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.map(({ calls, credits, method, status }) => `${method} ${status} ${calls} ${credits}`)

export const sum = (rows: ReadonlyArray<Row>, name: "calls" | "credits" | "bytesIn" | "bytesOut"): number =>
  rows.reduce((total, row) => total + row[name], 0)

/** A limiter whose store never answers. */
export const limiterDown = (whenDown: "open" | "closed"): Layer.Layer<Limiter.Limiter> => {
  const failing = Effect.fail(new LimiterError.LimiterError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } }))
  const store = LimiterStore.LimiterStore.of({ local: undefined, take: () => failing, settle: () => failing })
  return Limiter.layer({ whenDown }).pipe(Layer.provide(Layer.succeed(LimiterStore.LimiterStore, store)), Layer.orDie)
}

/** Metering that cannot record. If `ready` is true, `Metering.ready` succeeds nevertheless. */
export const meteringDown = (ready: boolean): Layer.Layer<Metering.Metering> => {
  const failing = Effect.fail(new MeteringError.MeteringError({ problem: "Unavailable", detail: "no connection" }))
  return Layer.succeed(Metering.Metering, {
    ready: ready ? Effect.void : failing,
    record: () => failing,
    recordAll: () => failing,
    latencies: Metering.latencies(),
    status: Effect.succeed({ store: "down", waiting: 0, rows: 0 } as const)
  })
}

/** Metering whose status reports this number of waiting calls. */
export const meteringWaits = (waiting: number): Layer.Layer<Metering.Metering> =>
  Layer.succeed(Metering.Metering, {
    ready: Effect.void,
    record: () => Effect.never,
    recordAll: () => Effect.never,
    latencies: Metering.latencies(),
    status: Effect.succeed({ store: "up", waiting, rows: 1 } as const)
  })

/** Makes a limiter with separate counts in memory. */
export const overMemory = <E>(
  layer: Layer.Layer<Limiter.Limiter, E, LimiterStore.LimiterStore>
): Layer.Layer<Limiter.Limiter> => layer.pipe(Layer.provide(LimiterStore.layerMemory()), Layer.orDie)
