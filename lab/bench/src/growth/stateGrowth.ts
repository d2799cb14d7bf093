/** Growth of the service's state: rows of usage, and projects, both in SQLite. */
import { Accounts, Metering, MeteringStore, ServiceState, Sqlite, UsageFigures, type Usage } from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Scope } from "effect"

import type { Subject } from "./subject.ts"

const build = async <A>(layer: Layer.Layer<A, unknown>) => {
  const scope = Effect.runSync(Scope.make())
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return { context, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

const usageOf = (n: number): Usage.Usage => ({
  project: `project ${n}`,
  product: "rpc",
  network: "live",
  method: "eth_getProof",
  status: 200,
  key: "k",
  calls: 1,
  credits: 150,
  bytesIn: 180,
  bytesOut: 4096
})

/** Maximum number of usages in one record: the size of the largest batch that a gateway accepts. */
const AT_ONCE = 1000

/** Records usage of a different project each time, so that each record adds a row, and then reads all rows. */
const usage: Subject = {
  name: "rows of usage, written and read",
  prepare: async (size) => {
    const layer = Layer.merge(Metering.layer({ gather: 0 }), UsageFigures.layer()).pipe(
      Layer.provide(MeteringStore.layer()),
      Layer.provide(Sqlite.layer({ file: ":memory:" }))
    )
    const { close, context } = await build(layer)
    const metering = Context.get(context, Metering.Metering)
    const figures = Context.get(context, UsageFigures.UsageFigures)
    const usages = Array.from({ length: size }, (_, i) => usageOf(i))
    const parts = Array.from({ length: Math.ceil(size / AT_ONCE) }, (_, i) =>
      usages.slice(i * AT_ONCE, (i + 1) * AT_ONCE)
    )
    return {
      close,
      isOnce: true,
      run: async () => {
        await Effect.runPromise(Effect.forEach(parts, metering.recordAll, { discard: true }))
        const day = UsageFigures.last("24h", Date.now())
        const { groups } = (await Effect.runPromise(figures.by({ ...day, by: ["project"] }))) as never as {
          readonly groups?: ReadonlyArray<unknown>
        }
        if (groups !== undefined && groups.length !== size) throw new Error(`${groups.length} rows of ${size}`)
      }
    }
  }
}

/** Makes projects one after the other, each with a key. */
const projects: Subject = {
  name: "projects, made",
  prepare: async (size) => {
    const { close, context } = await build(ServiceState.layerSqlite({ file: ":memory:" }))
    const accounts = Context.get(context, Accounts.Accounts)
    return {
      close,
      isOnce: true,
      run: () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const { id: account } = yield* accounts.createAccount({ name: "bench", card: true })
            for (let i = 0; i < size; i++) yield* accounts.createProject({ account, name: `p${i}`, limits: {} })
          })
        )
    }
  }
}

export const subjects: ReadonlyArray<Subject> = [usage, projects]
