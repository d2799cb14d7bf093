/**
 * Tests the container file, the compose file and nginx's configuration in `deploy/`: every path that they copy or mount
 * exists, their commands are valid, and no process has more rights than it needs.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"
import { parse } from "yaml"

import { read as readConfiguration } from "../src/config/Configuration.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

interface Instruction {
  readonly name: string
  readonly text: string
  readonly stage: number
}

/** The instructions of the container file, with continued lines joined. */
const instructions: ReadonlyArray<Instruction> = (() => {
  let stage = 0
  return read("deploy/Containerfile")
    .replaceAll(/^#.*\n/gmu, "")
    .replaceAll(/\\\n\s*/gu, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", text = ""] = /^(\S+) (.*)$/u.exec(line) ?? []
      if (name === "FROM") stage++
      return { name, text, stage }
    })
})()

const of = (name: string, stage?: number): ReadonlyArray<string> =>
  instructions
    .filter((one) => one.name === name && (stage === undefined || one.stage === stage))
    .map(({ text }) => text)

/** The paths in the repository that a stage copies. */
const copied = (stage: number): ReadonlyArray<string> =>
  of("COPY", stage)
    .filter((text) => !text.startsWith("--from"))
    .flatMap((text) => text.split(" ").slice(0, -1))

describe("the container file", () => {
  it("copies files that exist, and that the ignore file does not leave out", () => {
    const all = [...copied(1), ...copied(2)]
    expect(all).toContain("pnpm-lock.yaml")
    for (const file of all) expect(existsSync(path.join(root, file)), file).toBe(true)
    const ignored = read("deploy/Containerfile.dockerignore").trim().split("\n")
    expect(ignored).toContain("**/node_modules")
    expect(ignored.filter((line) => all.includes(line))).toEqual([])
  })

  it("has two stages on the Node that the workspace wants, and installs the package of the command", () => {
    expect(of("FROM")).toEqual(["node:24-slim AS build", "node:24-slim"])
    const { engines, packageManager } = JSON.parse(read("package.json"))
    expect(engines.node).toBe(">=24")
    const { name, publishConfig } = JSON.parse(read("apps/plumbline/package.json"))
    const steps = of("RUN", 1).join("\n")
    expect(steps).toContain(`npx --yes ${packageManager} install --frozen-lockfile`)
    expect(steps).toContain(`--filter "${name}..."`)
    expect(steps).toContain(`cd apps/plumbline && npx --yes ${packageManager} pack`)
    expect(steps).toContain(`/packed/${name.replace("@", "").replace("/", "-")}-*.tgz`)
    expect(of("ENTRYPOINT")).toEqual([`["/plumbline/node_modules/.bin/${Object.keys(publishConfig.bin)[0]}"]`])
  })

  it("runs as another user than root, which owns the program", () => {
    const final = instructions.filter(({ stage }) => stage === 2)
    expect(of("USER", 2)).toEqual(["node"])
    const user = final.findIndex(({ name }) => name === "USER")
    expect(final.slice(user).some(({ name }) => name === "COPY" || name === "RUN")).toBe(false)
    expect(of("COPY", 2).some((text) => text.includes("--chown"))).toBe(false)
    expect(of("ADD")).toEqual([])
  })

  it("starts the program, ends it with SIGTERM, and asks whether it lives", () => {
    expect(JSON.parse(of("CMD").at(-1)!)).toEqual(["up"])
    expect(of("STOPSIGNAL")).toEqual(["SIGTERM"])
    const [, probe] = /CMD (\[.*\])$/u.exec(of("HEALTHCHECK")[0]!) ?? []
    const [program, flag, script] = JSON.parse(probe!) as [string, string, string]
    expect([program, flag]).toEqual(["node", "-e"])
    expect(script).toContain(`http://127.0.0.1:${of("EXPOSE")[0]}/livez`)
    // nothing listens on port 1, so the probe fails
    const failed = spawnSync(process.execPath, ["-e", script.replace(/127\.0\.0\.1:\d+/u, "127.0.0.1:1")])
    expect(failed.status).toBe(1)
  })

  it("sets only settings that exist", () => {
    const variables = Object.fromEntries(
      [
        ...of("ENV")
          .join(" ")
          .matchAll(/(PLUMBLINE_SERVER\w+)=(\S+)/gu)
      ].map(([, name, value]) => [name!, value!])
    )
    const configuration = readConfiguration({ text: "", file: undefined, variables })
    expect(configuration._tag).toBe("Success")
    expect(Object.keys(variables)).toHaveLength(2)
  })
})

const compose = parse(read("deploy/compose/compose.yaml"), { merge: true })

describe("the compose file", () => {
  it("mounts files that exist", () => {
    const mounted = Object.values<any>(compose.services)
      .flatMap(({ volumes = [] }) => volumes as ReadonlyArray<string>)
      .map((volume) => volume.split(":")[0]!)
    const known = (source: string): boolean =>
      source.startsWith(".")
        ? existsSync(path.join(root, "deploy/compose", source))
        : Object.hasOwn(compose.volumes, source)
    expect(mounted.filter((source) => !known(source))).toEqual([])
    expect(mounted.filter((source) => source.startsWith(".")).length).toBeGreaterThan(5)
  })

  it("runs the service without rights, and lets it end", () => {
    for (const name of ["plumbline-1", "plumbline-2"]) {
      const service = compose.services[name]
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], init: true, tmpfs: ["/tmp"] })
      // at least the times for the grace, the drain, and the writing of the last records
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThanOrEqual(5 + 10 + 10)
      expect(path.resolve(root, "deploy/compose", service.build.context)).toBe(root)
      expect(existsSync(path.join(root, service.build.dockerfile))).toBe(true)
    }
  })

  it("opens ports on this machine alone", () => {
    const ports = Object.values<any>(compose.services).flatMap(({ ports = [] }) => ports as ReadonlyArray<string>)
    expect(ports.length).toBeGreaterThan(0)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/u)
  })

  it("gives the service a configuration that it takes", () => {
    const given = compose.services["plumbline-1"].environment
    const example = Object.fromEntries(
      read("deploy/compose/example.env")
        .split("\n")
        .filter((line) => /^\w+=/u.test(line))
        .map((line) => line.split(/=(.*)/u).slice(0, 2))
    )
    const variables = Object.fromEntries(
      Object.entries<string>(given).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{(\w+)[^}]*\}/gu, (_, variable: string) => example[variable] ?? "")
      ])
    )
    const configuration = readConfiguration({
      text: read("deploy/compose/plumbline.yaml"),
      file: "plumbline.yaml",
      variables: {
        PLUMBLINE_NODE: variables["PLUMBLINE_NODE"],
        PLUMBLINE_CHAIN_ID: variables["PLUMBLINE_CHAIN_ID"],
        PLUMBLINE_POSTGRES: variables["PLUMBLINE_POSTGRES"],
        PLUMBLINE_REDIS: variables["PLUMBLINE_REDIS"]
      }
    })
    if (configuration._tag === "Failure") throw configuration.failure
    expect(configuration.success.warnings).toEqual([])
    const { metrics } = configuration.success.settings().observability
    const [
      {
        static_configs: [{ targets }]
      }
    ] = parse(read("deploy/prometheus/prometheus.yml")).scrape_configs
    expect(targets).toEqual(["plumbline-1", "plumbline-2"].map((name) => `${name}:${metrics.port}`))
  })
})

describe("nginx's configuration", () => {
  const locationOf = (file: string): string => /^ {2}location \/ \{[\s\S]*?^ {2}\}/mu.exec(read(file))![0]

  it("is the same with containers and without", () => {
    expect(locationOf("deploy/nginx/compose.conf")).toBe(locationOf("deploy/nginx/plumbline.conf"))
    const servers = [...read("deploy/nginx/compose.conf").matchAll(/server (plumbline-\d:\d+)/gu)].map(([, at]) => at)
    expect(servers).toEqual(["plumbline-1:8645", "plumbline-2:8645"])
  })

  const nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].find(existsSync)

  it.skipIf(nginx === undefined && process.env["CI"] !== "true")("is valid", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "plumbline-nginx-"))
    try {
      const site = read("deploy/nginx/compose.conf")
        .replaceAll(/plumbline-\d:8645/gu, "127.0.0.1:1")
        .replaceAll(" resolve ", " ")
        .replace("listen 80", "listen 127.0.0.1:18080")
      const file = path.join(folder, "nginx.conf")
      writeFileSync(file, `pid ${folder}/pid; error_log stderr emerg; events {} http { ${site} }`)
      const { status, stderr } = spawnSync(nginx!, ["-t", "-c", file, "-p", folder, "-e", "stderr"], {
        encoding: "utf8"
      })
      expect(status, stderr).toBe(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
