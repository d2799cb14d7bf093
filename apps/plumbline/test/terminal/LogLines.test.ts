import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"

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
})
