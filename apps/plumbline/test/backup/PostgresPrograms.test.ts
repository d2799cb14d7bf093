/** The arguments and the environment of Postgres's programs, told by a program in place of `pg_dump`. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { Effect, Redacted } from "effect"
import { expect, it, vi } from "vitest"

import * as PostgresPrograms from "../../src/backup/PostgresPrograms.ts"

const SECRETS = { password: "s3cret 1", sslpassword: "s3cret=2", oauth_client_secret: "s3cret 3" }

it.skipIf(process.platform === "win32")("shows no secret of the URL in the arguments", async ({ onTestFinished }) => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-programs-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(
    path.join(folder, "pg_dump"),
    `#!/bin/sh
cd '${folder}'
printf '%s\\n' "$@" > arguments
printf '%s\\n' "$PGPASSWORD" > password
printf '%s\\n' "$PGSERVICEFILE" > place
cat "$PGSERVICEFILE" > service
stat -c %a "$PGSERVICEFILE" > mode
`
  )
  await chmod(path.join(folder, "pg_dump"), 0o755)
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const told = async (name: string) => (await readFile(path.join(folder, name), "utf8")).trimEnd()
  const query = new URLSearchParams({ ...SECRETS, sslmode: "verify-full", sslkey: "/etc/key.pem" })
  const url = Redacted.make(`postgres://ada:other@db.example:5433/state?${query}`)
  await Effect.runPromise(PostgresPrograms.dump(url, path.join(folder, "dump")))
  expect((await told("arguments")).split("\n")[0]).toBe(
    "--dbname=postgres://ada@db.example:5433/state?sslmode=verify-full&sslkey=%2Fetc%2Fkey.pem&service=plumbline"
  )
  expect(await told("arguments")).not.toMatch(/s3cret|other/u)
  expect(await told("password")).toBe(SECRETS.password)
  expect(await told("service")).toBe("[plumbline]\nsslpassword=s3cret=2\noauth_client_secret=s3cret 3")
  expect(await told("mode")).toBe("600")
  // the file is gone with the program
  await expect(readFile(await told("place"))).rejects.toThrow("ENOENT")

  // the settings of the operator's own service stand behind the secrets: libpq takes the first value of a name
  const services = path.join(folder, "services.conf")
  await writeFile(
    services,
    "[other]\nhost=other.example\n[office]\n# a comment\nhost=db.office\nport=5434\n\n[last]\nport=1\n"
  )
  vi.stubEnv("PGSERVICEFILE", services)
  const dump = (service: string) =>
    PostgresPrograms.dump(Redacted.make(`postgres:///state?service=${service}&sslpassword=s3cret`), "dump")
  await Effect.runPromise(dump("office"))
  expect((await told("arguments")).split("\n")[0]).toBe("--dbname=postgres:///state?service=plumbline")
  expect(await told("service")).toBe("[plumbline]\nsslpassword=s3cret\nhost=db.office\nport=5434")
  // libpq names a service that it does not find
  await Effect.runPromise(dump("nowhere"))
  expect((await told("arguments")).split("\n")[0]).toBe("--dbname=postgres:///state?service=nowhere")
  vi.stubEnv("PGSERVICEFILE", undefined)

  // without such a secret there is no file
  await Effect.runPromise(
    Effect.result(PostgresPrograms.dump(Redacted.make("postgres://ada:s3cret@db.example/state"), "dump"))
  )
  expect((await told("arguments")).split("\n")[0]).toBe("--dbname=postgres://ada@db.example/state")
  expect([await told("password"), await told("place")]).toEqual(["s3cret", ""])
})
