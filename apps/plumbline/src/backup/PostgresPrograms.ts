/**
 * Runs `pg_dump` and `pg_restore`. Every user can see a program's arguments, so the password is in the environment, and
 * the other secrets, for which Postgres knows no variable, in a service file that only this user can read.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import * as path from "node:path"
import { text } from "node:stream/consumers"

import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

import { attempt } from "../files/DataError.ts"
import { BackupError } from "./BackupError.ts"

/** Writes a dump of the database, as it is at one moment, to a file. */
export const dump = (url: Redacted.Redacted, file: string) =>
  run("pg_dump", url, ["--format=custom", "--no-owner", `--file=${file}`])

/** Restores a dump to an empty database, whole or not at all. */
export const restore = (url: Redacted.Redacted, file: string) =>
  run("pg_restore", url, ["--exit-on-error", "--single-transaction", "--no-owner", file])

const run = (program: string, url: Redacted.Redacted, args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.scoped(
      Effect.gen(function* () {
        const { database, password, secrets } = yield* connectionOf(Redacted.value(url))
        return yield* ended(program, [`--dbname=${database}`, "--no-password", ...args], {
          ...process.env,
          ...(password === undefined ? {} : { PGPASSWORD: password }),
          ...(secrets.length === 0 ? {} : { PGSERVICEFILE: yield* serviceFile(secrets) }),
          PGAPPNAME: "plumbline"
        })
      })
    ),
    ({ code, said }) =>
      code === 0
        ? Effect.void
        : Effect.fail(
            new BackupError({
              path: "",
              problem: "Refused",
              detail: program,
              lines: said
                .split("\n")
                .filter((line) => line.trim() !== "")
                .slice(0, MAX_LINES)
            })
          )
  )

const MAX_LINES = 5

const ended = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.callback<{ readonly code: number | null; readonly said: string }, BackupError>((resume) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] })
    child.once("error", () => resume(Effect.fail(new BackupError({ path: "", problem: "NoProgram", detail: program }))))
    Promise.all([once(child, "close"), text(child.stderr)]).then(
      ([[code], said]) => resume(Effect.succeed({ code, said })),
      () => undefined
    )
    return Effect.sync(() => child.kill())
  })

/** Writes a service file of Postgres with these settings, which is removed when the scope closes. */
const serviceFile = Effect.fnUntraced(function* (settings: ReadonlyArray<readonly [string, string]>) {
  const folder = yield* Effect.acquireRelease(
    attempt(tmpdir(), "Unwritable", () => mkdtemp(path.join(tmpdir(), "plumbline-postgres-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const file = path.join(folder, "service.conf")
  const lines = [`[${SERVICE}]`, ...settings.map(([name, value]) => `${name}=${value}`)]
  yield* attempt(file, "Unwritable", () => writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 }))
  return file
})

/** The name of the entry in the service file. */
const SERVICE = "plumbline"

/** The secret parameters of libpq, without the password (PostgreSQL 18, "Parameter Key Words"). */
const SECRETS = ["sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"]

/**
 * Takes the secrets out of a URL. Both places of the password that Postgres knows are searched. A connection has one
 * service, so the settings of the service that the operator names are copied behind the secrets.
 */
const connectionOf = Effect.fnUntraced(function* (text: string) {
  const url = new URL(text)
  const { searchParams } = url
  const password = searchParams.get("password") ?? (url.password === "" ? undefined : decodeURIComponent(url.password))
  searchParams.delete("password")
  url.password = ""
  const secrets = SECRETS.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const value = searchParams.get(name)
    searchParams.delete(name)
    return value === null ? [] : [[name, value.replaceAll(/[\r\n]/gu, "")]]
  })
  const named = searchParams.get("service") ?? process.env["PGSERVICE"]
  const settings = secrets.length === 0 || named === undefined ? [] : yield* settingsOf(named)
  // Postgres's own error names a service that is in no file
  if (secrets.length > 0 && settings !== undefined) searchParams.set("service", SERVICE)
  // libpq takes a plus sign for itself
  url.search = url.search.replaceAll("+", "%20")
  return { database: url.href, password, secrets: [...secrets, ...(settings ?? [])] }
})

/** Reads the settings of a service; undefined if it is in none of the files that libpq reads (PostgreSQL 18, 32.17). */
const settingsOf = Effect.fnUntraced(function* (service: string) {
  const { PGSERVICEFILE = path.join(homedir(), ".pg_service.conf"), PGSYSCONFDIR = "/etc/postgresql-common" } =
    process.env
  for (const file of [PGSERVICEFILE, path.join(PGSYSCONFDIR, "pg_service.conf")]) {
    const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
    const lines = text.split("\n").map((line) => line.trim())
    const start = lines.indexOf(`[${service}]`)
    if (start === -1) continue
    const length = lines.slice(start + 1).findIndex((line) => line.startsWith("["))
    return lines
      .slice(start + 1, length === -1 ? undefined : start + 1 + length)
      .flatMap((line): ReadonlyArray<readonly [string, string]> => {
        const [, name, value] = /^([^#=]+)=(.*)$/u.exec(line) ?? []
        return name === undefined ? [] : [[name, value!]]
      })
  }
  return undefined
})
