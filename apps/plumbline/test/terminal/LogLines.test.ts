import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"

import * as LogLines from "../../src/terminal/LogLines.ts"

describe("a line of the log", () => {
  it.effect("has one message, whatever its parts", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(LogLines.logger, (line) => void lines.push(line))
      yield* Effect.gen(function* () {
        yield* Effect.logWarning("a node is down", "ECONNREFUSED")
        yield* Effect.logError("the configuration stays as it was", "two mistakes", "1:1 a", "2:2 b")
        yield* Effect.logInfo("alone")
        yield* Effect.annotateLogs(Effect.logInfo("a=b", 'with "quotes"'), { node: "live-1" })
      }).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      assert.deepStrictEqual(
        lines.map((line) => line.match(/\bmessage=/gu)?.length),
        [1, 1, 1, 1]
      )
      assert.match(lines[0]!, /level=WARN.* message="a node is down: ECONNREFUSED"/u)
      assert.include(lines[1]!, 'message="the configuration stays as it was: two mistakes: 1:1 a: 2:2 b"')
      assert.include(lines[2]!, "message=alone")
      assert.include(lines[3]!, "node=live-1")
    })
  )

  it.effect("is one JSON object for programs, whatever its parts and annotations are", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(LogLines.json, (line) => void lines.push(line))
      yield* Effect.gen(function* () {
        yield* Effect.logWarning("a node is down", "ECONN\nREFUSED")
        yield* Effect.annotateLogs(Effect.logInfo("request"), {
          requestId: "r1",
          status: 200,
          message: "x",
          level: "y"
        })
        yield* Effect.logError("it died", Cause.fail("why"))
        yield* Effect.logInfo({ a: 1 })
      }).pipe(Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      const read = lines.map((line) => JSON.parse(line))
      assert.isTrue(lines.every((line) => !line.includes("\n")))
      const time = "1970-01-01T00:00:00.000Z"
      assert.deepStrictEqual(read.slice(0, 2), [
        { time, level: "warn", message: "a node is down: ECONN\nREFUSED" },
        { time, level: "info", message: "request", requestId: "r1", status: 200 }
      ])
      assert.include(read[2].cause, "why")
      assert.strictEqual(read[3].message, '{"a":1}')
    })
  )
})
