import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, type Scope } from "effect"

import { childrenOf, eventually, folder, gone, isAlive, script } from "../support/shared.ts"

const fixture = fileURLToPath(new URL("../support/parent.ts", import.meta.url))

/** Starts a parent process with a chain, and returns its first line. */
const parent = (...args: ReadonlyArray<string>): Effect.Effect<Parent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [fixture, ...args], { stdio: ["ignore", "pipe", "inherit"] })
      const said = Deferred.makeUnsafe<string>()
      child.stdout.once("data", (data) => Deferred.doneUnsafe(said, Effect.succeed(String(data).trim())))
      return { child, pid: child.pid!, said: Deferred.await(said) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

interface Parent {
  readonly child: ChildProcess
  readonly pid: number
  readonly said: Effect.Effect<string>
}

const posixOnly = process.platform === "win32"

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  it.live.skipIf(posixOnly)(`a parent that dies by ${signal} leaves neither its chain nor a shell behind`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { child, said } = yield* parent()
        const anvil = Number(yield* said)
        const watchers = childrenOf(anvil)
        assert.isTrue(isAlive(anvil))
        assert.strictEqual(watchers.length, 1)
        child.kill(signal)
        yield* gone(anvil, ...watchers)
      })
    )
  )
}

it.live.skipIf(posixOnly)("a parent that is killed while the chain starts leaves nothing behind either", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const note = path.join(yield* folder, "pid")
      // The script never prints that it listens, and ignores SIGTERM.
      const { child } = yield* parent(yield* script("trap '' TERM", `echo $$ > ${note}`, "exec sleep 1000"))
      yield* eventually(
        "a note",
        Effect.sync(() => existsSync(note) && readFileSync(note, "utf8").endsWith("\n"))
      )
      const starting = Number(readFileSync(note, "utf8"))
      const watchers = childrenOf(starting)
      child.kill("SIGKILL")
      yield* gone(starting, ...watchers)
    })
  )
)
