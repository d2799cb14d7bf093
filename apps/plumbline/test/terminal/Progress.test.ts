/** The line that shows the progress of long work. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"

import * as Progress from "../../src/terminal/Progress.ts"

const MIB = 1024 * 1024
const state = { label: "adding", bytes: 300 * MIB, total: 1024 * MIB, seconds: 12, columns: 80 }

describe("a line of progress", () => {
  it("has a bar, what is done of how much, how fast, and how long it will take", () => {
    const lines = [
      state,
      { ...state, bytes: 0, seconds: 0 },
      { ...state, bytes: 1024 * MIB, seconds: 3725 },
      { ...state, total: undefined },
      { ...state, bytes: 999, total: 0 },
      { ...state, bytes: 1023, total: 1024, seconds: 0.5 }
    ]
    expect(lines.map(Progress.line).join("\n")).toMatchInlineSnapshot(`
      "adding  ███████░░░░░░░░░░░░░░░░░░░  300.0 MiB of 1.0 GiB  25.0 MiB/s  0:28 left
      adding  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  0 B of 1.0 GiB  0 B/s  0:00
      adding  █████████████████████████████  1.0 GiB of 1.0 GiB  281.5 KiB/s  1:02:05
      adding  300.0 MiB  25.0 MiB/s  0:12
      adding  ████████████████████████████████  999 B of 0 B  83 B/s  0:12
      adding  █████████████████████████████░  1023 B of 1.0 KiB  2.0 KiB/s  0:00 left"
    `)
  })

  it("is shorter than the terminal is wide, so that it stays one line", () => {
    for (let columns = 1; columns < 120; columns++) {
      expect(Progress.line({ ...state, columns }).length).toBeLessThan(columns)
    }
    // a bar is shown only if there is space for it
    expect(Progress.line({ ...state, columns: 61 })).toBe("adding  300.0 MiB of 1.0 GiB  25.0 MiB/s  0:28 left")
    expect(Progress.line({ ...state, columns: 62 })).toMatch(/^adding {2}[█░]{8} {2}300/u)
  })
})

/** Returns the output of work that processes 10 MiB each second, on a terminal or not. */
const seen = (stderrIsTerminal: boolean, seconds: number) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const stderr = () => Sink.forEach((text: string | Uint8Array) => Effect.sync(() => written.push(String(text))))
    const work = Effect.gen(function* () {
      const progress = yield* Progress.make("adding")
      progress.expect(100 * MIB)
      for (let second = 0; second < seconds; second++) {
        progress.done(10 * MIB)
        yield* TestClock.adjust("1 second")
      }
      return progress.isShown
    })
    const stdio = Stdio.layerTest({ stderr, stderrIsTerminal: Effect.succeed(stderrIsTerminal) })
    const isShown = yield* Effect.scoped(work).pipe(Effect.provide(stdio))
    return { isShown, written }
  })

describe("progress", () => {
  it.effect("is drawn over and over on a terminal, and gone at the end", () =>
    Effect.gen(function* () {
      const { isShown, written } = yield* seen(true, 3)
      assert.isTrue(isShown)
      assert.isAbove(written.length, 20)
      assert.isTrue(written.every((text) => text.startsWith("\r\u001b[K")))
      assert.match(written.at(-2) ?? "", / 30\.0 MiB of 100\.0 MiB {2}/u)
      assert.strictEqual(written.at(-1), "\r\u001b[K")
    })
  )

  it.effect("is nothing anywhere else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* seen(false, 3), { isShown: false, written: [] })
    })
  )

  it.effect("is nothing where the work is done at once", () =>
    Effect.gen(function* () {
      const { written } = yield* seen(true, 0)
      assert.isFalse(written.some((text) => text.includes("adding")))
    })
  )
})
