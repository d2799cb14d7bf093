/**
 * Backs up, tests and restores a service with the commands of `docs/operate.md`, read from the page. Only the port, the
 * folders of the backup and of Postgres's socket, and the way to the command differ.
 */
import { execFile } from "node:child_process"
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"

import { describe, expect, it } from "@effect/vitest"
import { freePort } from "@plumbline/gateway/support/ports"

import * as Children from "../support/Children.ts"
import * as Databases from "../support/Databases.ts"
import * as Upped from "../support/Upped.ts"

const TOKEN = "5ec4e7".repeat(8)

const root = path.resolve(import.meta.dirname, "../../../..")

/** The folder of Postgres's socket in the page. */
const SOCKET = "/var/run/postgresql"

/** The folder of the backup in the page. */
const BACKUP = "/mnt/backup"

/** Returns the shell fences of the page's section about backups that contain a text. */
const fences = async (text: string): Promise<ReadonlyArray<string>> => {
  const page = await readFile(path.join(root, "docs/operate.md"), "utf8")
  const section = page.slice(page.indexOf("\n## Back up\n"), page.indexOf("\n## Upgrade\n"))
  const found = [...section.matchAll(/^```sh\n(?<code>[\s\S]*?)^```$/gmu)].map(({ groups }) => groups!["code"]!)
  return found.filter((code) => code.includes(text))
}

/** Returns a function that runs the only fence with a text in a folder, and returns its standard output. */
const terminal = async (folder: string, env: Readonly<Record<string, string>>, socket = SOCKET) => {
  const programs = path.join(folder, "programs")
  await mkdir(programs)
  const command = path.join(programs, "plumbline")
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${Children.MAIN}" "$@"\n`)
  await chmod(command, 0o755)
  return async (text: string, cwd = folder, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const [code, ...others] = await fences(text)
    expect([text, code === undefined, others]).toEqual([text, false, []])
    const port = String(await freePort())
    const given = (code: string) => code.replaceAll(SOCKET, socket).replaceAll(BACKUP, path.join(folder, "backup"))
    // -m: background jobs have numbers, as in the terminal of a reader
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-m", "-e", "-o", "pipefail", "-c", given(code!).replaceAll("8650", port)],
      { cwd, env: { PATH: `${programs}:${process.env["PATH"]}`, HOME: folder, ...env, ...more }, timeout: 90_000 }
    )
    return stdout
  }
}

/** Makes calls to a service, and returns their statuses. */
const calls = (url: string, key: string, count: number): Promise<ReadonlyArray<number>> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${url}/v3/${key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
      })
      await response.text()
      return response.status
    })
  )

const admin = async (url: string, token: string, method: string, of: string, body?: object) => {
  const response = await fetch(`${url}/admin/v1${of}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  expect([of, response.ok, text.slice(0, response.ok ? 0 : 500)]).toEqual([of, true, ""])
  return text === "" ? undefined : JSON.parse(text)
}

/** Returns the IPFS commands of a project. */
const ipfs = (url: string, key: string, secret: string) => {
  const headers = { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}` }
  const text = async (command: string, body?: FormData): Promise<string> => {
    const response = await fetch(`${url}/api/v0/${command}`, { method: "POST", headers, ...(body && { body }) })
    const answer = await response.text()
    expect([command, response.status, response.ok ? "" : answer]).toEqual([command, 200, ""])
    return answer
  }
  return {
    text,
    add: async (content: string) => {
      const form = new FormData()
      form.append("file", new Blob([content]))
      return JSON.parse(await text("add", form))
    }
  }
}

/** Returns everything that a backup must keep: projects with their keys, usage, the audit log and the alerts, and the receivers. */
const stateOf = async (url: string, token: string) => {
  const get = (of: string) => admin(url, token, "GET", of)
  const { projects } = await get("/projects")
  const ofProject = ({ id }: { readonly id: string }) => get(`/projects/${id}/keys`)
  const by = "by=project&by=method&by=status&by=key&by=outcome"
  const { rows, totals } = await get(`/usage/by?window=24h&${by}`)
  return {
    projects,
    keys: await Promise.all(projects.map(ofProject)),
    alerts: (await get("/alerts")).alerts.map(({ project, rules }: any) => ({ project, rules })),
    usage: { rows, totals },
    audit: (await get("/audit")).entries,
    webhooks: (await get("/webhooks")).webhooks.map(({ delivered, host, name }: any) => ({ delivered, host, name }))
  }
}

/** Returns the number of acknowledged calls, and the credits that they cost. A call of `eth_chainId` costs 5 credits. */
const charged = ({ usage }: Awaited<ReturnType<typeof stateOf>>): ReadonlyArray<number> => {
  const rows = usage.rows.filter(({ status }: { readonly status: number }) => status === 200)
  const sum = (name: string) => rows.reduce((sum: number, row: any) => sum + Number(row[name]), 0)
  return [sum("calls"), sum("credits")]
}

describe.skipIf(Databases.skipped)("the documented backup of Postgres", () => {
  it("is tested beside the original, and restored in its place: same keys, same usage, nothing counted twice", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const socket = new URL(databases.postgres).searchParams.get("host")!
    const env = { PGHOST: socket, PGUSER: "plumbline" }
    const run = await terminal(folder.path, env, socket)
    await promisify(execFile)("createdb", ["plumbline"], { env: { PATH: process.env["PATH"], ...env } })
    const config = path.join(folder.path, "plumbline.yaml")
    await writeFile(
      config,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "postgres:///plumbline?host=${socket}" }
admin: { token: ${TOKEN} }
`
    )
    const start = () => Upped.start(undefined, ["--config", config], { PGUSER: "plumbline", HOME: folder.path })
    const first = await start()
    const { url } = first.announcement
    const { apiKey, project } = await admin(url, TOKEN, "POST", "/projects", { name: "wallet" })
    const other = await admin(url, TOKEN, "POST", "/projects", { name: "closed" })
    await admin(url, TOKEN, "PATCH", `/projects/${other.project.id}`, { suspended: true })
    const rules = { creditsOfDay: [10], percentOfDay: [80] }
    await admin(url, TOKEN, "PUT", `/projects/${project.id}/alerts`, rules)
    expect(await calls(url, apiKey, 7)).toEqual(Array(7).fill(200))
    expect(await calls(url, other.apiKey, 1)).toEqual([403])

    const before = await stateOf(url, TOKEN)
    await run("plumbline backup", folder.path, { PLUMBLINE_CONFIG: config })
    // these calls and this project are lost with the database
    expect(await calls(url, apiKey, 5)).toEqual(Array(5).fill(200))
    await admin(url, TOKEN, "POST", "/projects", { name: "lost" })
    const later = await stateOf(url, TOKEN)
    expect([charged(before), charged(later)]).toEqual([
      [7, 35],
      [12, 60]
    ])

    // the copy has what the backup has, and the original goes on without a change
    const listed = await run("createdb plumbline_copy")
    expect(listed).toContain("wallet")
    expect(listed).toContain("closed")
    expect(listed).not.toContain("lost")
    expect(await stateOf(url, TOKEN)).toEqual(later)

    // the page says to stop all processes first; Postgres refuses the first command otherwise
    await expect(run("RENAME TO")).rejects.toThrow(/being accessed by other users/u)
    expect((await first.stop()).code).toBe(0)
    await run("RENAME TO")
    const second = await start()
    const restored = second.announcement.url
    expect(await stateOf(restored, TOKEN)).toEqual(before)
    expect(await calls(restored, other.apiKey, 1)).toEqual([403])
    expect(await calls(restored, apiKey, 3)).toEqual([200, 200, 200])
    const after = await stateOf(restored, TOKEN)
    expect(charged(after)).toEqual([10, 50])
    // new rows continue the numbers of the backup
    await admin(restored, TOKEN, "POST", "/projects", { name: "new" })
    const { audit, projects } = await stateOf(restored, TOKEN)
    expect(projects.map(({ name }: { readonly name: string }) => name).sort()).toEqual(["closed", "new", "wallet"])
    expect(audit.length).toBeGreaterThan(before.audit.length)
    const ids = audit.map(({ id }: { readonly id: string }) => Number(id))
    expect(new Set(ids).size).toBe(ids.length)
    const added = ids.slice(0, audit.length - before.audit.length)
    expect(Math.min(...added)).toBeGreaterThan(Math.max(...before.audit.map(({ id }: any) => Number(id))))
    expect((await second.stop()).code).toBe(0)
  })
})

describe("the documented backup of a data folder", () => {
  it("is made while the service runs, tested beside the original, and restored in its place", async () => {
    await using folder = await Children.folder()
    const data = path.join(folder.path, "data")
    const run = await terminal(folder.path, { PLUMBLINE_DATA: data })
    const first = await Upped.start(data)
    const { adminToken, apiKey, apiKeySecret, url } = first.announcement
    const kept = ipfs(url, apiKey, apiKeySecret)
    const { Hash: cid } = await kept.add("kept")
    await admin(url, adminToken!, "POST", "/webhooks", { name: "billing", url: "http://127.0.0.1:1/" })
    expect(await calls(url, apiKey, 7)).toEqual(Array(7).fill(200))
    const before = await stateOf(url, adminToken!)
    await run("plumbline backup")
    expect(await calls(url, apiKey, 5)).toEqual(Array(5).fill(200))
    expect(await run("--data copy")).toContain(before.projects[0].name)
    expect(charged(await stateOf(url, adminToken!))).toEqual([13, 60])
    // A killed process leaves SQLite's log beside the file.
    await first.stop("SIGKILL")
    expect(await readdir(data)).toContain("state.sqlite-wal")
    await run("--replace")
    const second = await Upped.start(data)
    expect(second.announcement.apiKey).toBe(apiKey)
    const restored = second.announcement.url
    expect(await stateOf(restored, adminToken!)).toEqual(before)
    expect(await calls(restored, apiKey, 3)).toEqual([200, 200, 200])
    expect(charged(await stateOf(restored, adminToken!))).toEqual([11, 50])
    const content = ipfs(restored, apiKey, apiKeySecret)
    expect(await content.text(`cat?arg=${cid}`)).toBe("kept")
    expect(JSON.parse(await content.text(`pin/ls?arg=${cid}`)).Keys).toEqual({ [cid]: expect.anything() })
    expect((await second.stop()).code).toBe(0)
  })
})
