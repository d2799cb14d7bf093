/** Builds the image of `deploy/`, and runs it: as another user than root, on a file system that cannot be written. */
import { execFile, spawnSync } from "node:child_process"
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

import { describe, expect, it } from "@effect/vitest"
import { freePort } from "@plumbline/gateway/support/ports"

import * as Children from "./support/Children.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const PROGRAMS = ["buildah", "mmdebstrap", "runc"]
const USER = 65532

const missing = PROGRAMS.filter((name) => spawnSync(name, ["--version"]).error !== undefined)
const isRoot = process.getuid?.() === 0
/** The reason why no image is built here; undefined if it is. With `CI=true`, root must have the programs. */
const skipped =
  isRoot && (missing.length === 0 || process.env["CI"] === "true")
    ? undefined
    : ` (skipped: needs root, and Debian's ${PROGRAMS.join(", ")})`

const run = async (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    maxBuffer: 1 << 26
  })
  return stdout.trim()
}

/** Returns the variables that give a build images of its own, and need no rights beyond those of root in a container. */
const storage = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  await mkdir(folder)
  const file = path.join(folder, "storage.conf")
  const [graph, running] = ["graph", "running"].map((name) => path.join(folder, name))
  await writeFile(file, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${running}"\n`)
  return { CONTAINERS_STORAGE_CONF: file, BUILDAH_ISOLATION: "chroot" }
}

describe.skipIf(skipped !== undefined)(`the image${skipped ?? ""}`, () => {
  it("serves without rights, and says that it is healthy", async () => {
    await using folder = await Children.folder()
    const at = (name: string) => path.join(folder.path, name)
    await mkdir(at("packed"))
    // the bundle is made: `pnpm pack` would make it again
    await run("npx", [
      "--yes",
      "pnpm",
      "--dir",
      "apps/plumbline",
      "--config.ignore-scripts=true",
      "pack",
      "--pack-destination",
      at("packed")
    ])
    const [tarball] = await readdir(at("packed"))
    const env = await storage(at("images"))
    await run("sh", ["deploy/image.sh", "plumbline", path.join(at("packed"), tarball!)], env)
    const { Docker } = JSON.parse(await run("buildah", ["inspect", "--type", "image", "plumbline"], env))
    // one layer, with the time of no build
    expect([Docker.rootfs.diff_ids.length, Docker.created]).toEqual([1, "1970-01-01T00:00:00Z"])

    const { version } = JSON.parse(await readFile(path.join(root, "apps/plumbline/package.json"), "utf8"))
    const { Cmd, Entrypoint, Env, Healthcheck, Labels, User, WorkingDir } = Docker.config
    expect([User, Labels["org.opencontainers.image.version"]]).toEqual([`${USER}:${USER}`, version])

    const mounted = await run("buildah", ["mount", await run("buildah", ["from", "plumbline"], env)], env)
    const port = await freePort()
    const bundle = at("bundle")
    const data = at("data")
    for (const made of [bundle, data]) await mkdir(made)
    await chown(data, USER, USER)
    await run("runc", ["spec", "--bundle", bundle])
    const spec = JSON.parse(await readFile(path.join(bundle, "config.json"), "utf8"))
    const args = [...Entrypoint, ...Cmd]
    Object.assign(spec.process, {
      terminal: false,
      args,
      cwd: WorkingDir,
      user: { uid: USER, gid: USER },
      env: [...Env.filter((one: string) => !one.includes("_PORT=")), `PLUMBLINE_SERVER__PORT=${port}`],
      capabilities: {},
      noNewPrivileges: true,
      rlimits: []
    })
    spec.root = { path: mounted, readonly: true }
    spec.mounts.push(
      { destination: "/data", type: "bind", source: data, options: ["bind", "rw"] },
      { destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", "mode=1777"] }
    )
    // the network of this machine, so that the test reaches the port
    spec.linux.namespaces = spec.linux.namespaces.filter(({ type }: { readonly type: string }) => type !== "network")
    await writeFile(path.join(bundle, "config.json"), JSON.stringify(spec))

    const id = `plumbline-${process.pid}`
    const runc = ["--root", at("runc")]
    const container = Children.launch("runc", [...runc, "run", "--bundle", bundle, id], { env: {} })
    try {
      const over = new AbortController()
      void container.ended.then(() => over.abort())
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status
      while (!over.signal.aborted && (await answers()) !== 200) await setTimeout(100)
      expect(over.signal.aborted ? (await container.ended).stderr : "").toBe("")
      const inside = (...command: ReadonlyArray<string>) =>
        spawnSync("runc", [...runc, "exec", id, ...command], { encoding: "utf8" })
      // the health check of the image, on the port of the test
      const [kind, ...check] = Healthcheck.Test as ReadonlyArray<string>
      expect(kind).toBe("CMD")
      expect(inside(...check.map((word) => word.replace("8645", String(port)))).status).toBe(0)
      expect(inside(...check.map((word) => word.replace("8645", "1"))).status).toBe(1)
      const write = (file: string) =>
        inside(
          "/usr/bin/node",
          "-p",
          `process.getuid() + " " + (() => { try { fs.writeFileSync("${file}", ""); return "written" } catch (error) { return error.code } })()`
        ).stdout.trim()
      expect([write("/plumbline/x"), write("/etc/x"), write("/data/x"), write("/tmp/x")]).toEqual([
        `${USER} EROFS`,
        `${USER} EROFS`,
        `${USER} written`,
        `${USER} written`
      ])
      expect(await readdir(data)).toContain("state.sqlite")
    } finally {
      spawnSync("runc", [...runc, "kill", id, "TERM"])
    }
    expect((await container.ended).code).toBe(0)
    await run("buildah", ["umount", "--all"], env)
  }, 300_000)
})
