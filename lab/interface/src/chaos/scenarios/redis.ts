/** A Redis that is killed and starts again empty. */
import { setTimeout } from "node:timers/promises"

import * as Redis from "@plumbline/gateway/support/redis"
import * as Postgres from "@plumbline/gateway/support/servers"
import { Effect, Redacted } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Limits that the clients cannot reach. They are needed because a project without limits is not counted in Redis. */
const LIMITS = { creditsPerDay: 10 ** 12, creditsPerSecond: 10 ** 9 }

export const redis: Scenario = {
  name: "redis",
  about:
    "Redis is killed and comes back empty. Calls are refused with 503 while it is down, and answered when it is back.",
  skipped: Postgres.postgresSkipped ?? Redis.redisSkipped,
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const [server, store, node] = yield* Effect.all([Postgres.postgres, Redis.redis, Node.start()])
    const database = Redacted.value(server.url(yield* server.create))
    const service = yield* Service.start(folder, {
      ...Node.networks([node]),
      state: { postgres: database, redis: Redacted.value(store.url) }
    })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const refusals = /^503 service unavailable$|^WebSocket -32002 service unavailable$|^WebSocket closed with 1013$/u
      const load = await Load.start(service, { questions, clients, refusals, limits: LIMITS })
      const wait = () => setTimeout(seconds * 1000)
      await wait()
      await Effect.runPromise(store.kill)
      const saw = await Judged.within(30, async () => (await service.metric("plumbline_limiter_up")) === 0)
      await wait()
      const refused = load.refused() > 0
      await Effect.runPromise(store.start)
      const before = load.right()
      const recovered = await Judged.within(30, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_limiter_up` is 0 while Redis is down"],
        promises: {
          "no call was refused without Redis": refused,
          "the metric did not show that Redis is away": saw,
          "calls were not answered again after Redis was back": recovered
        }
      })
    })
  })
}
