/** A Postgres that crashes and starts again: once before metering stops retrying, and once after. */
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

/** Seconds for which metering tries to write again, as this scenario configures it. */
const TIMEOUT = 3

export const postgres: Scenario = {
  name: "postgres",
  about:
    "Postgres crashes and comes back within `metering.timeout`: no call is refused. Then it stays down for longer: calls are refused with 503, and answered again when it is back.",
  skipped: Postgres.postgresSkipped ?? Redis.redisSkipped,
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const [server, redis, node] = yield* Effect.all([Postgres.postgres, Redis.redis, Node.start()])
    const database = Redacted.value(server.url(yield* server.create))
    const service = yield* Service.start(folder, {
      ...Node.networks([node]),
      state: { postgres: database, redis: Redacted.value(redis.url) },
      limits: { timeout: "10s" },
      metering: { timeout: `${TIMEOUT}s` }
    })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const refusals = /^503 service unavailable$|^WebSocket -32002 service unavailable$|^WebSocket closed with 1013$/u
      const load = await Load.start(service, { questions, clients, refusals })
      const wait = () => setTimeout(seconds * 1000)
      await wait()
      await Effect.runPromise(server.crash)
      await Effect.runPromise(server.start)
      await wait()
      const refusedAfterShort = load.refused()
      await Effect.runPromise(server.crash)
      const saw = await Judged.within(30, async () => (await service.metric("plumbline_metering_up")) === 0)
      await setTimeout(seconds * 500)
      const refused = load.refused() > refusedAfterShort
      await Effect.runPromise(server.start)
      const before = load.right()
      const recovered = await Judged.within(30, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_metering_up` is 0 while usage cannot be written"],
        measured: [`${refusedAfterShort} calls refused by the short outage`],
        // At each of the two crashes, one call of each client can be in the batch that is being committed.
        mostUncertain: 2 * (clients.http + clients.webSocket),
        promises: {
          "no call was refused in the long outage": refused,
          "the metric did not show that usage cannot be written": saw,
          "calls were not answered again after the database was back": recovered
        }
      })
    })
  })
}
