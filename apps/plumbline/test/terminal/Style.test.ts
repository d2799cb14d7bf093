import { assert, describe, it } from "@effect/vitest"
import { Effect, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"

import * as Style from "../../src/terminal/Style.ts"

describe("the style of standard output", () => {
  /** Returns the style of a terminal with this width; 0 means no terminal. */
  const on = (columns: number, canColor: boolean) =>
    Style.current.pipe(
      Effect.provideService(
        Terminal.Terminal,
        Terminal.make({
          columns: Effect.succeed(columns),
          rows: Effect.succeed(24),
          size: Effect.never,
          readInput: Effect.never,
          readLine: Effect.never,
          display: () => Effect.void
        })
      ),
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canColor,
        canAnimate: false,
        canPrompt: false
      })
    )

  it.effect("has the width of the terminal, and no end where there is none", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* on(80, true)).columns, 80)
      assert.strictEqual((yield* on(0, false)).columns, Infinity)
      assert.strictEqual((yield* Style.current).columns, Infinity)
    })
  )

  it.effect("has colours where the terminal has them", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* on(80, true)).good("yes"), "\u001b[1m\u001b[32myes\u001b[39m\u001b[22m")
      assert.strictEqual((yield* on(80, false)).good("yes"), "yes")
    })
  )
})
