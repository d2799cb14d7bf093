/**
 * A Postgres and a Redis of a test's own, from Debian's packages; `scripts/servers.sh` installs them. Without them,
 * tests over them are skipped, and fail in CI.
 */
import { execFile, spawn } from "node:child_process"
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

import { freePort } from "./Ports.ts"

const execute = promisify(execFile)

const postgres = globSync("/usr/lib/postgresql/*/bin").findLast((folder) => existsSync(path.join(folder, "initdb")))

/** True if tests over them are skipped. */
export const skipped = process.env["CI"] !== "true" && (postgres === undefined || !existsSync("/usr/bin/redis-server"))

/** Starts both. They are reached through sockets in a folder of their own, which is removed at the end. */
export const start = async (): Promise<{ readonly postgres: string; readonly redis: string } & AsyncDisposable> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-db-"))
  // Postgres does not run as root
  const user = userInfo().uid === 0 ? NOBODY : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const place = { ...user, cwd: folder, env: { PATH: `${postgres}:${process.env["PATH"]}`, LC_ALL: "C", TZ: "UTC" } }
  const data = path.join(folder, "data")
  await execute(
    "initdb",
    ["-D", data, "-U", "plumbline", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    place
  )
  const port = await freePort()
  const shell = spawn("sh", ["-c", BOTH, "sh", data, folder, String(port)], {
    ...place,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()))
  const isReady = () =>
    Promise.all([
      execute("pg_isready", ["-h", folder, "-q"], place),
      execute("redis-cli", ["-p", String(port), "ping"], place)
    ]).then(
      () => true,
      () => false
    )
  for (let tries = 0; !(await isReady()); tries += 1) {
    if (tries === 300 || shell.exitCode !== null) throw new Error("the databases do not start")
    await setTimeout(50)
  }
  return {
    postgres: `postgres://plumbline@localhost/postgres?host=${encodeURIComponent(folder)}`,
    redis: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      shell.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const NOBODY = { uid: 65_534, gid: 65_534 }

/** Both end when the input ends, which it does with this process in any case. */
const BOTH = `
  exec 3<&0
  postgres -D "$1" -k "$2" -c listen_addresses= -c fsync=off </dev/null 3<&- &
  postgres=$!
  redis-server --port "$3" --bind 127.0.0.1 --save "" --dir "$2" </dev/null 3<&- &
  redis=$!
  read -r _ <&3
  kill -INT "$postgres" "$redis"
  wait "$postgres" "$redis"
`
