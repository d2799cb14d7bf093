/** Starts faulty programs instead of anvil, and checks the resulting errors. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as AnvilBinary from "../../src/anvil/anvilBinary.ts"
import { Anvil, AnvilError } from "../../src/index.ts"
import { childrenOf, eventually, folder, gone, isAlive, reasonFor, script } from "../support/shared.ts"

it.live("a binary that is not there, is a folder or may not be executed is an error", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      const text = path.join(dir, "text")
      writeFileSync(text, "not a program")
      for (const binary of [path.join(dir, "nothing"), dir, text]) {
        const reason = yield* reasonFor({ binary })
        assert.instanceOf(reason, AnvilError.AnvilUnavailable)
        assert.strictEqual(reason.problem, "NotExecutable")
        assert.strictEqual(reason.message, `${binary} cannot be executed`)
      }
    })
  )
)

it.live("the environment names a binary, the option goes before it", () =>
  Effect.gen(function* () {
    const named = yield* reasonFor({})
    assert.strictEqual(named.message, "/nowhere/anvil cannot be executed")
    const asked = yield* reasonFor({ binary: "/elsewhere/anvil" })
    assert.strictEqual(asked.message, "/elsewhere/anvil cannot be executed")
  }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PLUMBLINE_ANVIL: "/nowhere/anvil" }))))
)

it.live("a platform without a binary, or with one that is not installed, is an error", () =>
  Effect.gen(function* () {
    const unknown = yield* Effect.flip(AnvilBinary.find({ platform: "sunos", arch: "sparc" }))
    assert.strictEqual(unknown.problem, "NoSuchPlatform")
    assert.include(unknown.message, "no anvil is published for sunos on sparc")
    // npm installs the binary of only one platform.
    const platform = process.platform === "darwin" ? "linux" : "darwin"
    const missing = yield* Effect.flip(AnvilBinary.find({ platform, arch: "arm64" }))
    assert.strictEqual(missing.problem, "NotInstalled")
    assert.strictEqual(missing.path, `@foundry-rs/anvil-${platform}-arm64`)
  })
)

it.live("a program that ends at once is an error with its exit code and the end of what it said", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const binary = yield* script(
        "i=0",
        "while [ $i -lt 2000 ]; do echo 0123456789 >&2; i=$((i + 1)); done",
        "echo the end >&2",
        "exit 3"
      )
      const reason = yield* reasonFor({ binary })
      assert.instanceOf(reason, AnvilError.AnvilDidNotStart)
      assert.strictEqual(reason.exitCode, 3)
      assert.isNull(reason.signal)
      assert.strictEqual(reason.stderr.length, 4096)
      assert.isTrue(reason.stderr.endsWith("\n0123456789\nthe end\n"))
    })
  )
)

it.live("a program that is killed before it listens is an error with the signal", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const reason = yield* reasonFor({ binary: yield* script("kill -9 $$") })
      assert.instanceOf(reason, AnvilError.AnvilDidNotStart)
      assert.strictEqual(reason.signal, "SIGKILL")
      assert.strictEqual(reason.message, "anvil did not start, signal SIGKILL")
    })
  )
)

it.live("nothing of the environment is handed down, and no folder", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const reason = yield* reasonFor({ binary: yield* script("env >&2", "pwd >&2", "exit 1") })
      assert.instanceOf(reason, AnvilError.AnvilDidNotStart)
      const lines = reason.stderr.trim().split("\n")
      assert.strictEqual(lines.pop(), "/")
      // Variables that a shell sets itself.
      assert.includeMembers(
        ["PWD", "OLDPWD", "SHLVL", "_"],
        lines.map((line) => line.split("=")[0]!)
      )
    })
  )
)

it.live("a program that never listens is an error, and is ended", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const note = path.join(yield* folder, "pid")
      const binary = yield* script(`echo $$ > ${note}`, "echo Listening on 0.0.0.0:8545", "exec sleep 1000")
      const reason = yield* reasonFor({ binary, startTimeout: "500 millis" })
      assert.instanceOf(reason, AnvilError.AnvilDidNotAnswer)
      assert.strictEqual(reason.message, "anvil did not answer within 500ms")
      if (existsSync(note)) assert.isFalse(isAlive(Number(readFileSync(note, "utf8"))))
    })
  )
)

it.effect("a program that does not answer as a chain is asked until the time is over", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const questions: Array<string> = []
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((request, response) => {
            let body = ""
            request.setEncoding("utf8").on("data", (text: string) => (body += text))
            request.once("end", () => {
              questions.push(body)
              response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: "one" }))
            })
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.closeAllConnections())
      )
      const { port } = server.address() as AddressInfo
      const binary = yield* script(`echo Listening on 127.0.0.1:${port}`, "exec sleep 1000")
      const starting = yield* Effect.forkChild(reasonFor({ binary, startTimeout: "20 seconds" }))
      // The test's clock advances only here. The second request is sent after the first answer was rejected.
      const pause = TestClock.withLive(Effect.sleep("10 millis"))
      while (questions.length < 1) yield* pause
      while (questions.length < 2) yield* Effect.andThen(TestClock.adjust("20 millis"), pause)
      yield* TestClock.adjust("20 seconds")
      const reason = yield* Fiber.join(starting)
      assert.instanceOf(reason, AnvilError.AnvilDidNotAnswer)
      assert.include(reason.message, "anvil did not answer within 20s: eth_chainId: result")
    })
  )
)

for (const [what, ...before] of [["willing"], ["deaf to SIGTERM", "trap '' TERM"]] as const) {
  it.live(`an interrupted start ends a program that is ${what}`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const note = path.join(yield* folder, "pid")
        const binary = yield* script(...before, `echo $$ > ${note}`, "exec sleep 1000")
        const starting = yield* Effect.forkChild(Effect.scoped(Anvil.make({ binary })))
        yield* eventually(
          "a note",
          Effect.sync(() => existsSync(note) && readFileSync(note, "utf8").endsWith("\n"))
        )
        const pid = Number(readFileSync(note, "utf8"))
        const watchers = childrenOf(pid)
        yield* Fiber.interrupt(starting)
        assert.isFalse(isAlive(pid))
        yield* gone(...watchers)
      })
    )
  )
}
