/** A Redis server that tests start. It comes from Debian's package, which `scripts/servers.sh` installs. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { createClient } from "@redis/client"
import { Effect, Redacted, Schedule, type Scope } from "effect"

import { freePort } from "./ports.ts"

const program = "/usr/bin/redis-server"

/** The reason why tests over Redis are skipped; undefined if they run. In CI none is skipped. */
export const redisSkipped: string | undefined =
  process.env["CI"] === "true" || existsSync(program)
    ? undefined
    : "skipped: redis-server is not installed (scripts/servers.sh)"

export interface RedisServer {
  readonly port: number
  readonly url: Redacted.Redacted
  /** Runs a command, and returns Redis's reply. */
  readonly command: (...words: ReadonlyArray<string>) => Promise<unknown>
  /** Ends the server as `kill -9` would. The server's data is lost. */
  readonly kill: Effect.Effect<void>
  /** Starts the server again, empty, on the same port. */
  readonly start: Effect.Effect<void>
}

/** Starts a server on a free port of this machine. The server writes nothing to the disk, and ends with the scope. */
export const redis: Effect.Effect<RedisServer, never, Scope.Scope> = Effect.gen(function* () {
  if (!existsSync(program)) throw new Error("redis-server is not installed: scripts/servers.sh installs it")
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-redis-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const port = yield* Effect.promise(freePort)
  const url = `redis://127.0.0.1:${port}`

  let stop: () => Promise<void> = () => Promise.resolve()
  const command = async (...words: ReadonlyArray<string>): Promise<unknown> => {
    const client = createClient({ url, socket: { reconnectStrategy: false } })
    client.on("error", () => undefined)
    await client.connect()
    try {
      return await client.sendCommand(words)
    } finally {
      client.destroy()
    }
  }
  const start = Effect.gen(function* () {
    // The shell kills the server when the shell's input ends, so that a killed test run leaves no server.
    const shell = spawn("sh", ["-c", DEAD_MAN, "sh", program, String(port)], {
      cwd: folder,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
    stop = () => {
      shell.stdin.end()
      return ended
    }
    yield* Effect.tryPromise(() => command("PING")).pipe(
      Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 250 }),
      Effect.orDie
    )
  })
  const kill = Effect.promise(() => stop())
  yield* Effect.acquireRelease(start, () => kill)
  return { port, url: Redacted.make(url), command, kill, start }
})

// A shell gives no standard input to a process in the background, so the script reads the pipe as descriptor 3.
const DEAD_MAN = `
  exec 3<&0
  "$1" --port "$2" --bind 127.0.0.1 --save "" --appendonly no &
  server=$!
  (read -r _ <&3; kill -KILL "$server") &
  wait "$server"
`
