/** `plumbline accounts move`: a service's state moves from its folder to Postgres, and its keys stay valid. */
import { readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../support/Children.ts"
import * as Databases from "../support/Databases.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Upped from "../support/Upped.ts"

const TOKEN = "5ec4e7".repeat(8)

const call = async (url: string, key: string) => {
  const response = await fetch(`${url}/v3/${key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
  })
  await response.text()
  return response.status
}

describe.skipIf(Databases.skipped)("a data folder", () => {
  it("moves when no service runs in it, once, and its API key is good in the new place", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const data = path.join(folder.path, "data")
    const first = await Upped.start(data)
    const { apiKey, url } = first.announcement
    expect(await call(url, apiKey)).toBe(200)
    const move = ["accounts", "move", "--from", data]
    const env = { PLUMBLINE_STATE__POSTGRES: databases.postgres }
    const running = await RunCli.json(move, { env })
    expect([running.exitCode, running.answer.error.tag]).toEqual([1, "AlreadyRunningError"])
    await first.stop()

    const before = await readFile(path.join(data, "service.json"), "utf8")
    const { answer, exitCode } = await RunCli.json(move, { env })
    expect([exitCode, answer.error]).toEqual([0, undefined])
    const rows = (table: string) => answer.tables.find((one: { readonly table: string }) => one.table === table)?.rows
    expect([rows("projects"), rows("keys"), rows("usage_days") > 0]).toEqual([1, 1, true])
    expect(await readFile(path.join(data, "service.json"), "utf8")).toBe(before)

    const file = path.join(folder.path, "postgres.url")
    await writeFile(file, `${databases.postgres}\n`)
    const again = await RunCli.json([...move, "--to-file", file])
    expect([again.exitCode, again.answer.error.tag, again.answer.error.problem]).toEqual([1, "MoveError", "NotEmpty"])

    const config = path.join(folder.path, "plumbline.yaml")
    await writeFile(
      config,
      `
networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "\${POSTGRES}" }
admin: { token: ${TOKEN} }
`
    )
    const shared = { POSTGRES: databases.postgres, PLUMBLINE_CONFIG: config, HOME: folder.path }
    const second = await Upped.start(undefined, [], shared)
    expect(await call(second.announcement.url, apiKey)).toBe(200)
    await second.stop()
  })
})

describe("a move", () => {
  it("without a target, a state or a good URL is a mistake, and no URL is repeated", async () => {
    await using folder = await Children.folder()
    const move = ["accounts", "move", "--from", folder.path]
    const failure = async (args: ReadonlyArray<string>, env = {}) => {
      const { answer, exitCode } = await RunCli.json(args, { env })
      expect(exitCode).toBe(1)
      expect(JSON.stringify(answer)).not.toContain("hunter2")
      return answer.error
    }
    expect(await failure(move)).toMatchObject({ tag: "UsageError" })
    const bad = { PLUMBLINE_STATE__POSTGRES: "mysql://user:hunter2@db" }
    expect(await failure(move, bad)).toMatchObject({ tag: "UsageError" })
    const good = { PLUMBLINE_STATE__POSTGRES: "postgres://user:hunter2@127.0.0.1:1/db" }
    expect(await failure(move, good)).toMatchObject({ tag: "DataError", problem: "Unreadable", detail: "ENOENT" })
    await writeFile(path.join(folder.path, "url"), "hunter2")
    const file = [...move, "--to-file", path.join(folder.path, "url")]
    expect(await failure(file, good)).toMatchObject({ tag: "DataError", problem: "Damaged" })
    await writeFile(path.join(folder.path, "state.sqlite"), "")
    expect(await failure(move, good)).toMatchObject({ tag: "StateError", problem: "Unavailable" })
  })
})
