/** Servers that tests start. They come from Debian's packages; `scripts/servers.sh` installs missing ones. */
import { execFile, spawn } from "node:child_process"
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

import { Effect, Redacted, type Scope } from "effect"

/** True in CI, where no test may be skipped because a server is missing. */
const required = process.env["CI"] === "true"

/** Returns the folder with the programs of the newest installed Postgres; undefined if none is installed. */
const postgresPrograms = (): string | undefined =>
  globSync("/usr/lib/postgresql/*/bin")
    .sort((a, b) => Number(b.split("/")[4]) - Number(a.split("/")[4]))
    .find((folder) => existsSync(path.join(folder, "initdb")))

/** The reason why tests over Postgres are skipped; undefined if they run. */
export const postgresSkipped: string | undefined =
  required || postgresPrograms() !== undefined ? undefined : "skipped: Postgres is not installed (scripts/servers.sh)"

export interface PostgresServer {
  /** Returns the address of one of the server's databases. */
  readonly url: (database: string) => Redacted.Redacted
  /** Creates an empty database, and returns its name. */
  readonly create: Effect.Effect<string>
  /** Stops the server as a crash would, without a clean shutdown or a notice to its clients. */
  readonly crash: Effect.Effect<void>
  /** Starts the server again on the same data. */
  readonly start: Effect.Effect<void>
}

/** Starts a server whose socket is in a separate folder. The server and the folder are removed with the scope. */
export const postgres: Effect.Effect<PostgresServer, never, Scope.Scope> = Effect.gen(function* () {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error("Postgres is not installed: scripts/servers.sh installs it")
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-pg-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  // Postgres refuses to run as root.
  const user = userInfo().uid === 0 ? NOBODY : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = path.join(folder, "data")
  const place = { ...user, cwd: folder, env: { PATH: `${programs}:${process.env["PATH"]}`, LC_ALL: "C", TZ: "UTC" } }
  const program = (name: string, ...rest: ReadonlyArray<string>) =>
    Effect.promise(() => execute(path.join(programs, name), rest, place))
  yield* program("initdb", "-D", data, "-U", "plumbline", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")

  let ended = Promise.resolve()
  const start = Effect.promise(async () => {
    const shell = spawn("sh", ["-c", DEAD_MAN, "sh", data, folder], { ...place, stdio: ["pipe", "ignore", "ignore"] })
    ended = new Promise((resolve) =>
      shell.once("exit", () => {
        shell.stdin.destroy()
        resolve()
      })
    )
    for (let tries = 0; ; tries += 1) {
      try {
        await execute(path.join(programs, "pg_isready"), ["-h", folder, "-q"], place)
        return
      } catch (error) {
        if (tries === 600 || shell.exitCode !== null) throw error
        await setTimeout(50)
      }
    }
  })
  const end = (signal: NodeJS.Signals) =>
    Effect.promise(() => {
      const file = path.join(data, "postmaster.pid")
      if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), signal)
      return ended
    })
  yield* Effect.acquireRelease(start, () => end("SIGINT"))

  let created = 0
  return {
    url: (database) => Redacted.make(`postgres://plumbline@localhost/${database}?host=${encodeURIComponent(folder)}`),
    create: Effect.suspend(() => {
      created += 1
      const name = `d${created}`
      // Texts are sorted by the rules of a language, as in most databases by default.
      const english = ["--template=template0", "--locale-provider=icu", "--icu-locale=en-US"]
      // Copies the template's files. By default Postgres writes the whole template to the log first, which takes five
      // times the processor time.
      const copied = ["--strategy=file_copy"]
      return Effect.as(program("createdb", "-h", folder, "-U", "plumbline", ...english, ...copied, name), name)
    }),
    crash: end("SIGQUIT"),
    start
  }
})

const execute = promisify(execFile)

const NOBODY = { uid: 65_534, gid: 65_534 }

/**
 * Ends the server and deletes its folder when the script's input ends. The input ends when this process ends, for
 * whatever reason.
 */
const DEAD_MAN = `
  exec 3<&0
  postgres -D "$1" -k "$2" -c listen_addresses= -c max_connections=200 -c fsync=off </dev/null 3<&- &
  server=$!
  (read -r _ <&3; touch "$2/orphaned"; kill -INT "$server") &
  watch=$!
  wait "$server"
  kill "$watch" 2>/dev/null
  if [ -e "$2/orphaned" ]; then rm -rf "$2"; fi
`
