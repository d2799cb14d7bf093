/**
 * Tests the files that `plumbline up` keeps in its folder: the key, its project, the admin token. Also tests a folder
 * that a version without accounts wrote, and the operator's changes to accounts.
 */
import { createHash, randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"

import { describe, expect, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"

import * as Children from "../../support/Children.ts"
import * as RunCli from "../../support/RunCli.ts"
import * as Upped from "../../support/Upped.ts"

/** Makes an empty ledger in the form of the previous version. */
const oldLedger = (file: string): DatabaseSync => {
  const ledger = new DatabaseSync(file)
  ledger.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE pins (
      project TEXT NOT NULL, cid BLOB NOT NULL, recursive INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
      PRIMARY KEY (project, cid)
    ) WITHOUT ROWID;
    CREATE TABLE held (cid BLOB PRIMARY KEY, strength INTEGER NOT NULL, elsewhere INTEGER NOT NULL) WITHOUT ROWID;
  `)
  return ledger
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("the folder of a service", { concurrent: false }, () => {
  it("of the version before keeps its key, its project and its data", async () => {
    await using folder = await Children.folder()
    // The service record of the previous version, written by hand.
    const [apiKey, apiKeySecret, id] = ["0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2), randomUUID()]
    const record = { version: 1, url: null, wsUrl: null, ipfsUrl: null, pid: null, apiKey, apiKeySecret, networks: [] }
    const project = {
      id,
      name: "local",
      keyHash: sha256(apiKey),
      keyStart: apiKey.slice(0, 4),
      secretHash: sha256(apiKeySecret),
      secretRequired: false,
      card: true
    }
    await writeFile(`${folder.path}/service.json`, JSON.stringify(record))
    const projects = JSON.stringify({ version: 1, projects: [project] })
    await writeFile(`${folder.path}/projects.json`, projects)

    const first = await Upped.start(folder.path)
    expect(first.announcement).toMatchObject({ apiKey, apiKeySecret })
    expect(await first.call("eth_chainId", [])).toEqual({
      status: 200,
      body: { jsonrpc: "2.0", id: 1, result: "0x7a69" }
    })
    const { projects: adopted } = await first.admin("GET", "/projects")
    expect(adopted).toMatchObject([{ id, name: "local", limits: {}, suspended: false }])
    const { accounts } = await first.admin("GET", "/accounts")
    expect(accounts).toMatchObject([{ name: "local", card: true }])
    await first.stop()

    const second = await Upped.start(folder.path)
    expect(second.announcement).toMatchObject({ apiKey, adminToken: first.announcement.adminToken })
    expect((await second.admin("GET", "/projects")).projects).toEqual(adopted)
    // The usage from before the restart is still recorded.
    const { totals } = await second.admin("GET", `/usage/totals?project=${id}&window=1h`)
    expect(Number(totals.calls)).toBe(1)
    await second.stop()
    expect(await readFile(`${folder.path}/projects.json`, "utf8")).toBe(projects)
  })

  it("says at its start that the database was emptied, or that its log was cut", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(file, "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\n")
    const args = ["--config", file]
    const state = `${folder.path}/state.sqlite`
    const remembered = async (projects: number) => {
      for (;;) {
        const { accounts } = JSON.parse(await readFile(`${folder.path}/service.json`, "utf8"))
        if (accounts?.projects === projects) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const first = await Upped.start(folder.path, args)
    for (const name of ["one", "two", "three"]) await first.admin("POST", "/projects", { name, card: true })
    await remembered(4)
    expect((await first.stop("SIGKILL")).stderr).not.toContain("warning")

    // nothing was lost by the kill
    const second = await Upped.start(folder.path, args)
    expect((await second.admin("GET", "/projects")).projects).toHaveLength(4)
    expect((await second.stop()).stderr).not.toContain("warning")

    for (const suffix of ["", "-wal", "-shm"]) await rm(`${state}${suffix}`, { force: true })
    const emptied = await Upped.start(folder.path, args)
    const { projects } = await emptied.admin("GET", "/projects")
    expect(projects).toHaveLength(1)
    await emptied.admin("POST", "/projects", { name: "four", card: true })
    await remembered(2)
    const { stderr } = await emptied.stop("SIGKILL")
    expect(stderr).toContain(
      "warning: state.sqlite has lost changes: it holds 0 projects and 0 changes, and held 4 projects"
    )

    // the log holds the newest changes until they are copied into the database
    expect((await stat(`${state}-wal`)).size).toBeGreaterThan(0)
    await truncate(`${state}-wal`, 0)
    const cut = await Upped.start(folder.path, args)
    expect((await cut.stop()).stderr).toContain("warning: state.sqlite has lost changes")

    const last = await Upped.start(folder.path, args)
    expect((await last.stop()).stderr).not.toContain("warning")
  })

  it("of the version before keeps the pins of its projects, and lets them go when they do", async () => {
    await using folder = await Children.folder()
    const first = await Upped.start(folder.path)
    const add = async (text: string) => {
      await writeFile(`${folder.path}/file`, text)
      const { stdout } = await RunCli.run(["ipfs", "add", `${folder.path}/file`, "--json", "--data", folder.path])
      return String(JSON.parse(stdout).anchor.hash)
    }
    const pins = async (...args: ReadonlyArray<string>) => {
      const { stdout } = await RunCli.run(["ipfs", "pin", ...args, "--json", "--data", folder.path])
      return JSON.parse(stdout).value
    }
    const cids = [await add("one"), await add("two")]
    const [{ id }] = (await first.admin("GET", "/projects")).projects
    await first.stop()
    // brings the folder into its old form: without the state, and with the pins in a ledger beside the node
    await Promise.all(
      ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"].map((name) =>
        rm(`${folder.path}/${name}`, { force: true })
      )
    )
    const { apiKey, apiKeySecret } = first.announcement
    const project = {
      id,
      name: "local",
      keyHash: sha256(apiKey),
      secretHash: sha256(apiKeySecret),
      secretRequired: false
    }
    await writeFile(`${folder.path}/projects.json`, JSON.stringify({ version: 1, projects: [project] }))
    const ledger = oldLedger(`${folder.path}/ipfs/projects.sqlite`)
    for (const cid of cids) {
      const { bytes } = Cid.fromTextUnsafe(cid)
      for (const owner of [id, "another"]) ledger.prepare("INSERT INTO pins VALUES (?, ?, 1, '', 11)").run(owner, bytes)
      ledger.prepare("INSERT INTO held VALUES (?, 3, 0)").run(bytes)
    }
    ledger.close()

    const second = await Upped.start(folder.path)
    const listed = cids.map((cid) => ({ Cid: cid, Type: "recursive" }))
    const byCid = (a: { Cid: string }, b: { Cid: string }) => (a.Cid < b.Cid ? -1 : 1)
    expect((await pins("ls")).toSorted(byCid)).toEqual(listed.toSorted(byCid))
    await pins("rm", cids[0]!)
    expect(await pins("ls")).toEqual([listed[1]])
    await second.stop()
    expect(await readdir(`${folder.path}/ipfs`)).toContain("projects.sqlite.old")
    // Another project still pins both CIDs, so the node still has them. No pin changed its owner.
    const node = new DatabaseSync(`${folder.path}/state.sqlite`, { readOnly: true })
    const held = node.prepare("SELECT count(*) AS count, sum(elsewhere) AS elsewhere FROM ipfs_held").get()
    node.close()
    expect({ ...held }).toEqual({ count: 2, elsewhere: 0 })
    const third = await Upped.start(folder.path)
    expect(await pins("ls")).toEqual([listed[1]])
    await third.stop()
  })

  it("of the version before keeps pins at a node elsewhere too, and lets go of no one else's", async () => {
    await using folder = await Children.folder()
    await using elsewhere = await Children.folder()
    const node = await Upped.start(elsewhere.path)
    const { apiKey, apiKeySecret, url } = node.announcement
    const add = async (text: string, data: string) => {
      await writeFile(`${folder.path}/file`, text)
      const { stdout } = await RunCli.run(["ipfs", "add", `${folder.path}/file`, "--json", "--data", data])
      return String(JSON.parse(stdout).anchor.hash)
    }
    const pin = async (data: string, ...args: ReadonlyArray<string>) => {
      const { stdout } = await RunCli.run(["ipfs", "pin", ...args, "--json", "--data", data])
      return JSON.parse(stdout).value
    }
    const pins = async (data: string): Promise<ReadonlyArray<string>> =>
      (await pin(data, "ls")).map(({ Cid }: { readonly Cid: string }) => Cid).toSorted()
    // The node's owner made the first pin, and the service made the second one.
    const [theirs, ours] = [await add("theirs", elsewhere.path), await add("ours", elsewhere.path)]
    const project = { id: randomUUID(), name: "local", secretRequired: false }
    const [key, secret] = ["0123456789abcdef".repeat(2), "fedcba9876543210".repeat(2)]
    const record = { version: 1, url: null, wsUrl: null, pid: null, apiKey: key, apiKeySecret: secret, networks: [] }
    await mkdir(`${folder.path}/data/ipfs`, { recursive: true })
    await writeFile(`${folder.path}/data/service.json`, JSON.stringify(record))
    const projects = [{ ...project, keyHash: sha256(key), secretHash: sha256(secret) }]
    await writeFile(`${folder.path}/data/projects.json`, JSON.stringify({ version: 1, projects }))
    const name = `projects-${sha256(`${url}/`).slice(0, 16)}.sqlite`
    const ledger = oldLedger(`${folder.path}/data/ipfs/${name}`)
    for (const [cid, foreign] of [
      [theirs, 1],
      [ours, 0]
    ] as const) {
      const { bytes } = Cid.fromTextUnsafe(cid)
      ledger.prepare("INSERT INTO pins VALUES (?, ?, 1, '', 11)").run(project.id, bytes)
      ledger.prepare("INSERT INTO held VALUES (?, 3, ?)").run(bytes, foreign)
    }
    ledger.close()

    const upstream = url.replace("//", `//${apiKey}:${apiKeySecret}@`)
    const service = await Upped.start(`${folder.path}/data`, ["--ipfs", upstream])
    expect(await pins(`${folder.path}/data`)).toEqual([theirs, ours].toSorted())
    await pin(`${folder.path}/data`, "rm", theirs, ours)
    expect(await pins(`${folder.path}/data`)).toEqual([])
    expect(await pins(elsewhere.path)).toEqual([theirs])
    expect((await readdir(`${folder.path}/data/ipfs`)).filter((file) => !/-(?:wal|shm)$/u.test(file))).toEqual([
      "cache",
      `${name}.old`
    ])
    const ended = await service.stop()
    expect(ended.stderr).not.toContain(apiKeySecret)
    await node.stop()
  })

  it("is of one service, however many start on it at once", async () => {
    await using folder = await Children.folder()
    // Without an IPFS node, the service's lock is the only lock in the folder.
    await writeFile(
      `${folder.path}/plumbline.yaml`,
      "ipfs: { node: none }\nnetworks: { history: { upstreams: [{ embedded: history }] } }"
    )
    const args = ["--config", `${folder.path}/plumbline.yaml`]
    const started = await Promise.all([1, 2, 3].map(() => Upped.start(`${folder.path}/data`, args)))
    const running = started.filter(({ announcement }) => "url" in announcement)
    const statuses = await Promise.all(running.map((service) => service.call("eth_chainId", [])))
    const ended = await Promise.all(running.map((service) => service.stop()))
    expect(statuses.map(({ status }) => status)).toEqual([200])
    expect(ended.map(({ code }) => code)).toEqual([0])
    for (const refused of started.filter((service) => !running.includes(service))) {
      expect((await refused.ended).stdout).toMatch(/"tag":"(?:AlreadyRunningError|DataError)"/)
    }
    // A killed process leaves no lock behind.
    const killed = await Upped.start(`${folder.path}/data`, args)
    await killed.stop("SIGKILL")
    const next = await Upped.start(`${folder.path}/data`, args)
    expect(next.announcement.apiKey).toBe(running[0]!.announcement.apiKey)
    await next.stop()
  })

  it("does not give back a key that was revoked", async () => {
    await using folder = await Children.folder()
    const first = await Upped.start(folder.path)
    const [project] = (await first.admin("GET", "/projects")).projects
    const [key] = (await first.admin("GET", `/projects/${project.id}/keys`)).keys
    await first.admin("DELETE", `/keys/${key.id}`)
    await first.stop("SIGKILL")
    const second = await Upped.start(folder.path)
    expect((await second.call("eth_chainId", [])).status).toBe(401)
    await second.stop()
  })

  it("has a key that works where its record was lost, beside the accounts that there are", async () => {
    await using folder = await Children.folder()
    const first = await Upped.start(folder.path)
    await first.stop()
    await rm(`${folder.path}/service.json`)
    const second = await Upped.start(folder.path)
    expect(second.announcement.apiKey).not.toBe(first.announcement.apiKey)
    expect((await second.call("eth_chainId", [])).status).toBe(200)
    expect((await second.admin("GET", "/projects")).projects).toHaveLength(2)
    await second.stop()
    const third = await Upped.start(folder.path)
    expect(third.announcement.apiKey).toBe(second.announcement.apiKey)
    expect((await third.admin("GET", "/projects")).projects).toHaveLength(2)
    await third.stop()
  })

  it("has no limits for the project that up made, and those of the configuration for others", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/plumbline.yaml`, "limits: { project: { creditsPerDay: 7, burst: null } }")
    const service = await Upped.start(folder.path, ["--config", `${folder.path}/plumbline.yaml`])
    const { project } = await service.admin("POST", "/projects", { name: "wallet" })
    expect(project.limits).toEqual({
      creditsPerSecond: 500,
      creditsPerDay: 7,
      concurrency: 100,
      ipfsDownloadedPerDay: 100 * 2 ** 30,
      ipfsReadsPerSecond: 1500,
      ipfsStored: 10 * 2 ** 30,
      ipfsUploadedPerDay: 10 * 2 ** 30,
      ipfsWritesPerSecond: 150
    })
    const { projects } = await service.admin("GET", "/projects")
    expect(projects.find(({ name }: { name: string }) => name === "local").limits).toEqual({})
    await service.stop()
  })

  it("has no admin token where the configuration has one, and shows that one nowhere", async () => {
    await using folder = await Children.folder()
    const adminToken = "c0ffee".repeat(8)
    await writeFile(`${folder.path}/plumbline.yaml`, 'admin: { token: "${TOKEN}" }\nserver: { accessLog: true }')
    const env = { TOKEN: adminToken, PLUMBLINE_CONFIG: `${folder.path}/plumbline.yaml` }
    const service = await Upped.start(folder.path, [], env)
    expect(service.announcement.adminToken).toBeNull()
    const asked = await fetch(`${service.announcement.url}/admin/v1/status`, {
      headers: { authorization: `Bearer ${adminToken}` }
    })
    expect(asked.status).toBe(200)
    expect(await readFile(`${folder.path}/service.json`, "utf8")).not.toMatch(/adminToken|c0ffee/)
    const { stderr, stdout } = await service.stop()
    expect(stdout + stderr).not.toContain("c0ffee")
  })
})
