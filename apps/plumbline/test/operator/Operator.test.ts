/**
 * Tests the operator's commands against a service with its admin API.
 */
import { writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Children from "../support/Children.ts"
import * as Operated from "../support/Operated.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const service = Operated.operated()

const where = () => ["--url", service().url, "--admin-token", service().token]

/** Returns the answer of a command that succeeds. */
const json = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await RunCli.json([...args, ...where()])
  expect({ exitCode, error: answer.error }).toEqual({ exitCode: 0, error: undefined })
  return answer
}

/** Returns the error of a command that fails. */
const failure = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await RunCli.json([...args, ...where()])
  expect({ exitCode, members: Object.keys(answer) }).toEqual({ exitCode: 1, members: ["error"] })
  return answer.error
}

const text = async (...args: ReadonlyArray<string>) => {
  const { exitCode, stderr, stdout } = await RunCli.run([...args, ...where()])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  return stdout
}

/** Returns the HTTP status of a call with a key. */
const call = async (key: string) => {
  const response = await fetch(`${service().url}/v3/${key}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
  })
  await response.text()
  return response.status
}

describe("projects", () => {
  it("are made with a key that works, in the shape that the design says", async () => {
    const made = await json("projects", "create", "wallet", "--card", "on")
    expect(Object.keys(made)).toEqual(["project", "apiKey", "apiKeySecret"])
    expect(made).toMatchObject({
      project: { id: expect.any(String), name: "wallet", account: expect.any(String), suspended: false },
      apiKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      apiKeySecret: expect.stringMatching(/^[0-9a-f]{32}$/)
    })
    expect(await call(made.apiKey)).toBe(200)
    expect(await json("accounts", "show", made.project.account)).toEqual({
      account: { id: made.project.account, name: "wallet", card: true },
      card: { card: true, source: "manual", provider: null, brand: null, last4: null, expiry: null, customer: null }
    })
    const second = await json("projects", "create", "second", "--account", made.project.account)
    expect(second.project.account).toBe(made.project.account)
    const { projects } = await json("projects", "list", "--account", made.project.account)
    expect(new Set(projects)).toEqual(new Set([made.project, second.project]))
    // by name too, as long as one project has the name
    const { id } = second.project
    expect(await json("projects", "show", "second")).toEqual(await json("projects", "show", id))
    expect(await json("keys", "list", "second")).toEqual(await json("keys", "list", id))
    expect((await json("usage", "--project", "second")).rows).toEqual([])
    for (const args of [
      ["projects", "show"],
      ["keys", "list"],
      ["usage", "--project"]
    ]) {
      const none = await failure(...args, "nonsense")
      expect([none.tag, none.message]).toEqual(["NotFound", "there is no project nonsense"])
    }
    expect((await failure("usage", "--project", crypto.randomUUID())).tag).toBe("NotFound")
    const shown = await text("projects", "create", "second")
    const twice = await failure("projects", "show", "second")
    expect(twice.message).toMatch(/^2 projects are named "second"/u)
    const [, other] = /^ {2}id +(\S+)$/mu.exec(shown)!
    const { keys } = await json("keys", "list", other!)
    expect(/^ {2}key id +(\S+)$/mu.exec(shown)?.[1]).toBe(keys[0].id)
    const rotated = await text("keys", "rotate", keys[0].id, "--overlap", "1h")
    expect(rotated).toMatch(/^ {2}old key ends +20\d\d-\d\d-\d\d/mu)
    const plain = await json("projects", "create", "plain", "--card=off")
    expect((await json("accounts", "show", plain.project.account)).card.source).toBe("none")
  })

  it("are made and changed with allowlists and limits; what is not named stays", async () => {
    const kinds = `--allow-network live --allow-agent curl/ --allow-address 0x${"ab".repeat(20)} --allow-method eth_call`
    const origins = "--allow-origin https://*.example.com --allow-origin app.example"
    const limited = "--credits-per-day 1000 --burst none"
    const args = `projects create page --secret-required on ${kinds} ${origins} ${limited}`
    const { project } = await json(...args.split(" "))
    const allowlist = {
      networks: ["live"],
      methods: ["eth_call"],
      addresses: [`0x${"ab".repeat(20)}`],
      origins: ["https://*.example.com", "app.example"],
      userAgents: ["curl/"]
    }
    const limits = { creditsPerSecond: 500, creditsPerDay: 1000, concurrency: 100 }
    expect(project).toMatchObject({ secretRequired: true, allowlist, limits })
    expect(await json("projects", "show", project.id)).toEqual({ project })

    const update = async (...flags: ReadonlyArray<string>) =>
      (await json("projects", "update", project.id, ...flags)).project
    expect(
      await update(
        "--ipfs-writes-per-second",
        "none",
        "--ipfs-stored",
        "0",
        "--concurrency",
        "7",
        "--credits-per-day",
        "none"
      )
    ).toEqual({
      ...project,
      limits: { creditsPerSecond: 500, concurrency: 7, ipfsReadsPerSecond: 1500, ipfsStored: 0 }
    })
    expect(await update("--allow-method", "eth_getCode", "--name", "other")).toMatchObject({
      name: "other",
      allowlist: { ...allowlist, methods: ["eth_getCode"] },
      limits: { creditsPerSecond: 500, concurrency: 7 }
    })
    expect(await update("--clear-allowlist", "--allow-network", "history", "--secret-required", "off")).toMatchObject({
      name: "other",
      secretRequired: false,
      allowlist: { networks: ["history"], methods: [], addresses: [], origins: [], userAgents: [] }
    })
    expect((await update("--clear-allowlist")).allowlist.networks).toEqual([])
  })

  it("are suspended, resumed and removed", async () => {
    const { apiKey, project } = await json("projects", "create", "short")
    expect(await json("projects", "suspend", project.id)).toEqual({ project: { ...project, suspended: true } })
    expect(await call(apiKey)).toBe(403)
    expect(await json("projects", "resume", project.id)).toEqual({ project })
    expect(await call(apiKey)).toBe(200)
    expect(await json("projects", "remove", project.id)).toEqual({ removed: project.id })
    expect(await call(apiKey)).toBe(401)
    expect(await failure("projects", "show", project.id)).toEqual({
      tag: "NotFound",
      message: `there is no project ${project.id}`,
      kind: "project",
      id: project.id
    })
    expect(await failure("projects", "remove", project.id)).toMatchObject({ tag: "NotFound" })
  })

  it("show their key to people once, and say so", async () => {
    const shown = await text("projects", "create", "for\u001b[31m people", "--allow-method", "eth_chainId")
    const [, id] = /^ {2}id +(\S+)$/mu.exec(shown)!
    const [, key] = /^ {2}API key +([0-9a-f]{32})$/mu.exec(shown)!
    const [, secret] = /^ {2}API key secret +([0-9a-f]{32})$/mu.exec(shown)!
    expect(shown).toContain("Made the project for\\u001b[31m people")
    expect(shown).toContain("they are not shown again")
    expect(shown).toMatch(/^ {2}methods +only eth_chainId$/mu)
    expect(shown).toMatch(/^ {2}credits a day +3,000,000$/mu)
    expect(await call(key!)).toBe(200)
    for (const args of [
      ["projects", "show", id!],
      ["projects", "list"],
      ["keys", "list", id!],
      ["projects", "update", id!, "--burst", "none"]
    ]) {
      const later = `${await text(...args)}${JSON.stringify(await json(...args))}`
      expect(later).toContain(id)
      for (const hidden of [key!, secret!, service().token]) expect(later).not.toContain(hidden)
    }
  })

  it("may share a name, and say so", async () => {
    expect(await text("projects", "create", "twin")).not.toContain("with this name")
    expect(await text("projects", "create", "twin")).toContain("1 more with this name: commands take the id")
  })

  it("are not left behind when their limits are refused, nor is their account", async () => {
    await using proxy = await refusingUpdates(service().url)
    const args = ["projects", "create", "never", "--burst", "5", "--url", proxy.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(args)
    expect({ exitCode, tag: answer.error.tag }).toEqual({ exitCode: 1, tag: "Unavailable" })
    for (const list of ["projects", "accounts"]) {
      expect(JSON.stringify(await json(list, "list"))).not.toContain(`"never"`)
    }
  })
})

/** Starts a proxy to the service that refuses every update. */
const refusingUpdates = (url: string) =>
  Servers.serve(async (request, response) => {
    if (request.method === "PATCH") {
      response.writeHead(503, { "content-type": "application/json" })
      response.end(JSON.stringify({ _tag: "Unavailable", message: "not now" }))
      return
    }
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = await fetch(`${url}${request.url}`, {
      method: request.method!,
      headers: {
        authorization: request.headers.authorization!,
        ...(chunks.length === 0 ? {} : { "content-type": "application/json" })
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
    })
    const type = answer.headers.get("content-type")
    response.writeHead(answer.status, type === null ? {} : { "content-type": type })
    response.end(await answer.text())
  })

describe("keys", () => {
  it("have a label, an end and limits of their own, which change one by one", async () => {
    const { project } = await json("projects", "create", "shared")
    const settings = ["--label", "contractor", "--expires", "30d", "--requests-per-second", "100"]
    const { apiKey, key } = await json("keys", "issue", project.id, ...settings, "--credits-per-day", "600")
    expect(key).toMatchObject({ label: "contractor", limits: { requestsPerSecond: 100, creditsPerDay: 600 } })
    expect(Math.abs(key.expiresAt - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
    expect(await call(apiKey)).toBe(200)
    const changed = await json("keys", "update", key.id, "--requests-per-second", "none", "--burst", "7")
    expect(changed.key).toEqual({ ...key, limits: { burst: 7, creditsPerDay: 600 } })
    expect((await json("keys", "update", key.id, "--expires", "never", "--label", "none")).key).toEqual({
      ...key,
      label: null,
      expiresAt: null,
      limits: { burst: 7, creditsPerDay: 600 }
    })
    const limited = await json("keys", "update", key.id, "--credits-per-day", "0")
    expect(limited.key.limits).toEqual({ burst: 7, creditsPerDay: 0 })
    expect(await call(apiKey)).toBe(429)
    expect(await failure("keys", "update", key.id)).toMatchObject({ tag: "UsageError" })
    expect(await failure("keys", "update", key.id, "--expires", "2001-01-01")).toMatchObject({ tag: "UsageError" })
    expect(await failure("keys", "update", key.id, "--burst", "0")).toMatchObject({ tag: "UsageError" })
    expect(await failure("keys", "update", "nobody", "--burst", "1")).toMatchObject({ tag: "NotFound" })
    const mistaken = await failure("keys", "update", apiKey, "--label", "x")
    expect(JSON.stringify(mistaken)).not.toContain(apiKey)
  })

  it("are issued, rotated with an overlap or none, listed and revoked", async () => {
    const { apiKey, project } = await json("projects", "create", "keys")
    const [first] = (await json("keys", "list", project.id)).keys
    expect(first).toMatchObject({ project: project.id, start: apiKey.slice(0, 4), endsAt: null })
    const second = await json("keys", "issue", project.id)
    expect(Object.keys(second)).toEqual(["key", "apiKey", "apiKeySecret"])
    const third = await json("keys", "rotate", first.id, "--overlap", "24h")
    const { keys } = await json("keys", "list", project.id)
    const ending = keys.find(({ id }: { readonly id: string }) => id === first.id)
    expect(Math.abs(ending.endsAt - Date.now() - 86_400_000)).toBeLessThan(60_000)
    expect(await Promise.all([apiKey, second.apiKey, third.apiKey].map(call))).toEqual([200, 200, 200])
    const fourth = await json("keys", "rotate", second.key.id)
    expect(await call(second.apiKey)).toBe(401)
    expect(await json("keys", "revoke", fourth.key.id)).toEqual({ revoked: fourth.key.id })
    expect(await call(fourth.apiKey)).toBe(401)
    expect(await failure("keys", "rotate", first.id)).toMatchObject({ tag: "Conflict", reason: "Ending" })
    expect(await failure("keys", "revoke", "nobody")).toMatchObject({ tag: "NotFound", kind: "key" })
    expect(await failure("keys", "rotate", first.id, "--overlap", "soon")).toMatchObject({ tag: "UsageError" })
    // A key in place of an id is not repeated in the error, and is not sent.
    for (const command of ["rotate", "revoke"]) {
      const mistaken = await failure("keys", command, third.apiKey)
      expect(mistaken).toMatchObject({ tag: "UsageError" })
      expect(JSON.stringify(mistaken)).not.toContain(third.apiKey)
    }

    const shown = await text("keys", "issue", project.id)
    expect(shown).toContain("they are not shown again")
    const [, key] = /^ {2}API key +([0-9a-f]{32})$/mu.exec(shown)!
    expect(await call(key!)).toBe(200)
    const list = await text("keys", "list", project.id)
    expect(list).toMatch(/^3 keys\n\n {2}id +label +begins with +made +ends +limits\n/u)
    expect(list).not.toContain(key)
  })
})

describe("accounts", () => {
  it("are made, changed, linked to a customer and removed", async () => {
    const { account, card } = await json("accounts", "create", "Ada")
    expect([account.name, card.source]).toEqual(["Ada", "none"])
    const changed = await json("accounts", "update", account.id, "--name", "Ada L.", "--card", "on")
    expect(changed.account).toEqual({ id: account.id, name: "Ada L.", card: true })
    const limited = await json("accounts", "update", account.id, "--credits-per-day", "7", "--requests-per-second", "5")
    const limits = { requestsPerSecond: 5, creditsPerDay: 7 }
    expect(limited).toMatchObject({ account: { name: "Ada L.", limits }, used: { day: { used: 0, allowed: 7 } } })
    const less = await json("accounts", "update", account.id, "--requests-per-second", "none")
    expect(less.account.limits).toEqual({ creditsPerDay: 7 })
    expect(await text("accounts", "show", account.id)).toMatch(/limits +7 credits a day\n {2}credits today +0/u)
    await json("accounts", "update", account.id, "--credits-per-day", "none")
    await json("accounts", "update", account.id, "--customer", "cus_ada", "--card", "off")
    const other = await json("accounts", "create", "Bob", "--card", "on")
    const taken = await failure("accounts", "update", other.account.id, "--customer", "cus_ada", "--card", "off")
    expect(taken).toMatchObject({ tag: "Conflict", message: "customer cus_ada belongs to another account" })
    expect((await json("accounts", "show", other.account.id)).account.card).toBe(true)
    await json("accounts", "update", account.id, "--customer", "none")
    await json("accounts", "update", other.account.id, "--customer", "cus_ada")
    expect(await text("accounts", "show", other.account.id)).toMatch(/^Bob\n\n {2}id .+\n {2}card +yes: an operator/u)
    expect(await json("accounts", "remove", account.id)).toEqual({ removed: account.id })
    const { project } = await json("projects", "create", "kept", "--account", other.account.id)
    expect(await failure("accounts", "remove", other.account.id)).toMatchObject({ tag: "Conflict", reason: "NotEmpty" })
    await json("projects", "remove", project.id)
    await json("accounts", "remove", other.account.id)
  })

  it("are listed to the end, however many pages there are", async () => {
    const made = await Effect.runPromise(
      Effect.forEach(
        Array.from({ length: 2003 }, (_, n) => n),
        (n) => Effect.map(service().accounts.createAccount({ name: `many ${n}` }), ({ id }) => id)
      )
    )
    const { accounts } = await json("accounts", "list")
    const listed = accounts.map(({ id }: { readonly id: string }) => id)
    expect(new Set(listed).size).toBe(listed.length)
    const found = new Set(listed)
    expect(made.filter((id) => !found.has(id))).toEqual([])
  })
})

describe("usage", () => {
  it("is shown as it was metered, with every digit, by project and by time", async () => {
    const usage = {
      project: "huge",
      product: "rpc" as const,
      network: "live",
      method: "eth_call",
      status: 200,
      key: "k",
      calls: 1,
      bytesIn: 10,
      bytesOut: 20
    }
    const usages = [
      ...Array.from({ length: 600 }, () => ({ ...usage, credits: 2 ** 44 })),
      { ...usage, credits: 1 },
      { ...usage, status: 429, credits: 5 },
      { ...usage, project: "removed", credits: 7 }
    ]
    await Effect.runPromise(service().metering.recordAll(usages))
    const { exitCode, stdout } = await RunCli.run(["usage", "--project", "huge", "--json", ...where()])
    expect(exitCode).toBe(0)
    // JSON.parse would round this number without an error.
    const sum = 600n * 2n ** 44n + 1n
    const counts = (credits: bigint, calls: number) =>
      `"calls":${calls},"credits":${credits},"bytesIn":${calls * 10},"bytesOut":${calls * 20}`
    const row = (status: number) =>
      `"project":"huge","product":"rpc","network":"live","method":"eth_call","status":${status}`
    expect(stdout).toContain(
      `"rows":[{${row(200)},${counts(sum, 601)}},{${row(429)},${counts(5n, 1)}}],"totals":{${counts(sum + 5n, 602)}}}`
    )
    const report = JSON.parse(stdout)
    expect(Object.keys(report)).toEqual(["from", "to", "rows", "totals"])
    expect(Date.parse(report.to) - Date.parse(report.from)).toBe(86_400_000)

    const all = await json("usage")
    expect(all.rows).toContainEqual(expect.objectContaining({ project: "removed", credits: 7 }))
    const hour = await json("usage", "--project", "removed", "--from", "1h")
    expect(hour.totals.credits).toBe(7)
    // of a removed project nothing but its usage is known
    expect((await failure("usage", "--project", "removed", "--from", "2h", "--to", "1h")).tag).toBe("NotFound")
    expect((await json("usage", "--from", "2h", "--to", "1h")).rows).toEqual([])
    const named = await json("usage", "--project", "removed", "--from", new Date(Date.now() - 3_600_000).toISOString())
    expect(named.totals.credits).toBe(7)
    const csv = await text("usage", "--project", "huge", "--csv")
    expect(csv).toMatch(
      /^from,to,project,projectName,product,network,method,status,calls,credits,bytesIn,bytesOut\r\n/u
    )
    expect(csv.split("\r\n")).toHaveLength(4)
    expect(csv).toContain(",huge,,rpc,")
    expect(await failure("usage", "--csv")).toMatchObject({ tag: "UsageError" })
    const { project } = await json("projects", "create", "wallet of bo")
    await Effect.runPromise(service().metering.recordAll([{ ...usage, project: project.id, credits: 1 }]))
    expect(await text("usage", "--csv")).toContain(`,${project.id},"wallet of bo",rpc,`)
    expect(await text("usage", "--project", project.id, "--csv")).toContain(`,${project.id},"wallet of bo",rpc,`)
    expect(await text("usage")).toMatch(new RegExp(`^ +${project.id} +wallet of bo +rpc +live`, "mu"))
    const hours = await RunCli.run(["usage", "--project", "huge", "--every", "1h", "--json", ...where()])
    expect(hours.exitCode).toBe(0)
    expect(hours.stdout).toContain(`"project":"huge",${counts(sum + 5n, 602)}}]}`)
    const series = JSON.parse(hours.stdout)
    expect(Object.keys(series)).toEqual(["from", "to", "everySeconds", "rows"])
    expect([series.everySeconds, series.rows.length]).toEqual([3600, 1])
    const { time } = series.rows[0]
    // the hour in which the usage was recorded, which is the last one, or the one before if it has just ended
    expect(Date.parse(time) % 3_600_000).toBe(0)
    expect(Date.parse(series.to) - Date.parse(time)).toBeLessThanOrEqual(2 * 3_600_000)
    expect((await json("usage", "--every", "1d")).rows.map(({ project }: any) => project)).toContain("removed")
    expect(await text("usage", "--every", "1h")).toMatch(
      new RegExp(`^ +${time} +${project.id} +wallet of bo +1 `, "mu")
    )
    expect((await failure("usage", "--project", "nobody", "--every", "1h")).tag).toBe("NotFound")
    // events of subscriptions are no calls; and more projects than an answer of the service has lines
    await Effect.runPromise(
      service().metering.recordAll(
        Array.from({ length: 120 }, (_, at) => ({ ...usage, project: `many${at}`, calls: 0, credits: 3 }))
      )
    )
    const many = (await json("usage", "--every", "1h")).rows.filter(({ project }: any) => project.startsWith("many"))
    expect(many).toHaveLength(120)
    expect(many[0]).toMatchObject({ calls: 0, credits: 3, bytesOut: 20 })
    const both = await RunCli.run(["usage", "--every", "1h", "--csv", ...where()])
    expect([both.exitCode, both.stderr]).toEqual([1, expect.stringContaining("--csv and --every exclude each other")])
    const shown = await text("usage", "--project", "huge")
    expect(shown).toContain("10,555,311,626,649,601")
    expect(shown).toMatch(/^ {2}in all +602 +10,555,311,626,649,606 +6,020 +12,040$/mu)
  })
})

describe("what goes wrong", () => {
  it.each([
    [["projects", "create", "x", "--burst", "0"], "--burst: must be a whole number from 1 to 1000000000000, or none"],
    [["projects", "create", "x", "--credits-per-day", "1e3"], "--credits-per-day: must be a whole number, or none"],
    [
      ["projects", "update", "x", "--allow-origin", "not one"],
      "--allow-origin: must be an origin, such as https://app.example, *.example.com or https://"
    ],
    [["projects", "update", "x"], "no change was given: pass at least one flag"],
    [["accounts", "update", "x"], "no change was given: pass at least one flag"],
    [["usage", "--to", "1h"], "--to needs --from"],
    [["usage", "--from", "1h", "--to", "1h"], "--from must be before --to"],
    [["usage", "--every", "90s"], "--every must be a time of whole minutes, up to 366d, such as 15m, 1h or 1d"],
    [["usage", "--every", "60w"], "--every must be a time of whole minutes, up to 366d, such as 15m, 1h or 1d"],
    [["usage", "--every", "month"], "--every must be a time of whole minutes, up to 366d, such as 15m, 1h or 1d"],
    [
      ["usage", "--from", "yesterday"],
      "--from must be a time such as 2026-11-21T20:45:00Z, a day, or 24h for 24 hours ago"
    ]
  ])("%j is said to be a mistake before anybody is asked", async (args, problem) => {
    const nowhere = ["--url", await Servers.nobody(), "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json([...args, ...nowhere])
    expect([exitCode, answer.error]).toEqual([1, { tag: "UsageError", message: problem, problem }])
  })

  it("is told with a tag and plainly, and without the token", async () => {
    const token = "00112233445566778899aabbccddeeff"
    const run = (args: ReadonlyArray<string>) =>
      Promise.all([RunCli.json(args).then(({ answer }) => answer.error), RunCli.run(args)])
    await using other = await Servers.serve((_, response) => response.end("<html>hello</html>"))
    await using elsewhere = await Servers.serve((request, response) => {
      response.writeHead(302, { location: `${other.url}${request.url}` }).end()
    })
    for (const [url, tag, message] of [
      [service().url, "Unauthorized", "this is not an admin token"],
      [`${service().url}/v3/0123`, "Unauthorized", "this is not an admin token"],
      [
        await Servers.nobody(),
        "NoAnswer",
        'the service cannot be reached. Start it with "plumbline up", or name another with --url'
      ],
      [other.url, "NoAnswer", "this is not an answer of an admin API (status 200)"],
      [elsewhere.url, "NoAnswer", "this is not an answer of an admin API (status 302)"],
      ["ftp://example.com", "UsageError", "--url must be an http:// or https:// URL of a service"]
    ] as const) {
      const [error, people] = await run(["projects", "list", "--url", url, "--admin-token", token])
      expect([error.tag, error.message]).toEqual([tag, message])
      expect(people.exitCode).toBe(1)
      expect(people.stdout).toBe("")
      expect(people.stderr).toContain(`error: ${message}\n`)
      expect(JSON.stringify([error, people])).not.toContain(token)
    }
    const long = "x".repeat(257)
    const { stderr } = await RunCli.run(["projects", "create", long, ...where()])
    expect(stderr).toMatch(/^error: .+\n {2}in .+\n$/u)
    expect(stderr).not.toContain(service().token)
  })

  it("says where a token is wanted, and takes it from the environment", async () => {
    const args = ["accounts", "list", "--url", service().url]
    const { answer } = await RunCli.json(args)
    expect(answer.error).toMatchObject({
      tag: "UsageError",
      message: "the admin token is missing: pass --admin-token, or set $PLUMBLINE_ADMIN_TOKEN"
    })
    expect((await RunCli.json(args, { env: { PLUMBLINE_ADMIN_TOKEN: service().token } })).exitCode).toBe(0)
    const wrong = { env: { PLUMBLINE_ADMIN_TOKEN: "00112233445566778899aabbccddeeff" } }
    expect((await RunCli.json([...args, "--admin-token", service().token], wrong)).exitCode).toBe(0)
    // These tokens are invalid in a header. If they were not refused first, the service would seem to be down.
    for (const odd of ["", " ", `${service().token}\n`, `${service().token}\r\nx: y`, `é${service().token}`]) {
      const { error } = (await RunCli.json(args, { env: { PLUMBLINE_ADMIN_TOKEN: odd } })).answer
      expect(error.tag).toBe("UsageError")
      expect(JSON.stringify(error)).not.toContain(service().token)
    }
  })
})

describe("the service of a data folder", () => {
  const record = (token: string | undefined) => ({
    version: 1,
    url: service().url,
    wsUrl: null,
    ipfsUrl: null,
    pid: process.pid,
    apiKey: "k",
    apiKeySecret: "s",
    ...(token === undefined ? {} : { adminToken: token }),
    networks: []
  })

  it("is asked with its own token, also if the environment has another one", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "service.json")
    await writeFile(file, JSON.stringify(record(service().token)))
    const args = ["accounts", "list", "--data", folder.path]
    const wrong = { env: { PLUMBLINE_ADMIN_TOKEN: "00112233445566778899aabbccddeeff" } }
    expect((await RunCli.json(args)).exitCode).toBe(0)
    expect((await RunCli.json(args, wrong)).exitCode).toBe(0)
    // The record has no token, as when the token is in the configuration.
    await writeFile(file, JSON.stringify(record(undefined)))
    expect((await RunCli.json(args)).answer.error.tag).toBe("UsageError")
    expect((await RunCli.json(args, { env: { PLUMBLINE_ADMIN_TOKEN: service().token } })).exitCode).toBe(0)
    expect((await RunCli.json(["accounts", "list", "--data", path.join(folder.path, "x")])).answer.error.tag).toBe(
      "NoServiceError"
    )
  })

  it("is found by the program itself, which ends with 0 or 1", async () => {
    await using folder = await Children.folder()
    await writeFile(path.join(folder.path, "service.json"), JSON.stringify(record(service().token)))
    const [made, wrong] = await Promise.all([
      Children.run(["projects", "create", "by hand", "--json"], { PLUMBLINE_DATA: folder.path }),
      Children.run(["projects", "show", "nope"], { PLUMBLINE_DATA: folder.path })
    ])
    expect([made.code, made.stderr]).toEqual([0, ""])
    expect(made.stdout.split("\n")).toHaveLength(2)
    const { apiKey, project } = JSON.parse(made.stdout)
    expect(project.name).toBe("by hand")
    expect(await call(apiKey)).toBe(200)
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([1, "", "error: there is no project nope\n"])
  })
})
