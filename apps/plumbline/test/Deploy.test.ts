/**
 * Tests the container file, the compose file, nginx's configuration and systemd's unit in `deploy/`: every path that they copy or mount
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

/** The instructions of the container file, with continued lines joined. */
const instructions: ReadonlyArray<{ readonly name: string; readonly text: string }> = read("deploy/Containerfile")
  .replaceAll(/^#.*\n/gmu, "")
  .replaceAll(/\\\n\s*/gu, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [, name = "", text = ""] = /^(\S+) (.*)$/u.exec(line) ?? []
    return { name, text }
  })

const of = (name: string): ReadonlyArray<string> =>
  instructions.filter((one) => one.name === name).map(({ text }) => text)

describe("the container file", () => {
  it("copies what the script makes, onto nothing, and starts the package of the command", () => {
    expect(of("FROM")).toEqual(["scratch"])
    const script = read("deploy/image.sh")
    for (const text of of("COPY")) {
      const source = text.split(" ").at(-2)!
      expect(script).toContain(`"$context/${source.replace("/", "")}`)
    }
    const { engines } = JSON.parse(read("package.json"))
    const [, major] = /^NODE=(\d+)\./mu.exec(script)!
    expect(engines.node).toBe(`>=${major}`)
    const { name, publishConfig } = JSON.parse(read("apps/plumbline/package.json"))
    const main = path.posix.join("/plumbline/node_modules", name, Object.values<string>(publishConfig.bin)[0]!)
    expect(JSON.parse(of("ENTRYPOINT")[0]!)).toEqual(["/usr/bin/node", main])
  })

  it("runs as another user than root, which owns the program", () => {
    expect(of("USER")).toEqual(["65532:65532"])
    const user = instructions.findIndex(({ name }) => name === "USER")
    expect(instructions.slice(user).some(({ name }) => name === "COPY" || name === "RUN")).toBe(false)
    const owned = of("COPY").filter((text) => text.includes("--chown"))
    expect(owned).toEqual(["--chown=65532:65532 data/ /data/"])
    expect(of("ADD")).toEqual([])
  })

  it("starts the service, and ends it with SIGTERM", () => {
    expect(JSON.parse(of("CMD").at(-1)!)).toEqual(["up"])
    expect(of("STOPSIGNAL")).toEqual(["SIGTERM"])
    expect(of("HEALTHCHECK")[0]).toContain(`http://127.0.0.1:${of("EXPOSE")[0]}/livez`)
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
      expect(service.image).toBe("plumbline")
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

describe("systemd's unit", () => {
  const unit = read("deploy/systemd/plumbline.service")
  const of = (name: string): ReadonlyArray<string> =>
    [...unit.matchAll(/^(\w+)=(.*)$/gmu)].flatMap(([, key, value]) => (key === name ? [value!] : []))

  it("starts the command as another user than root, and lets it end", () => {
    const [command] = of("ExecStart")
    const { publishConfig } = JSON.parse(read("apps/plumbline/package.json"))
    expect(command).toBe(
      `/opt/plumbline/node_modules/.bin/${Object.keys(publishConfig.bin)[0]} up --config /etc/plumbline/plumbline.yaml`
    )
    expect(of("DynamicUser")).toEqual(["yes"])
    expect(of("CapabilityBoundingSet")).toEqual([""])
    // the time that docs/decisions/http.md gives for the end with the defaults
    expect(Number.parseInt(of("TimeoutStopSec")[0]!, 10)).toBeGreaterThanOrEqual(29.5)
    // a second signal would end the process at once
    expect(of("KillMode")).toEqual(["mixed"])
  })

  it("gives the service its folder, and a token that the service can read", () => {
    const [, folder] = /PLUMBLINE_DATA=(\S+)/u.exec(of("Environment")[0]!)!
    expect(folder).toBe(`%S/${of("StateDirectory")[0]}`)
    const [, name] = /^(\S+?):/u.exec(of("LoadCredential")[0]!)!
    const configuration = readConfiguration({
      text: `admin: { tokenFile: "\${CREDENTIALS_DIRECTORY}/${name}" }`,
      file: undefined,
      variables: { CREDENTIALS_DIRECTORY: "/run/credentials/plumbline.service" }
    })
    if (configuration._tag === "Failure") throw configuration.failure
    expect(unit).toContain(`admin.tokenFile: \${CREDENTIALS_DIRECTORY}/${name}`)
  })

  const analyze = (...args: ReadonlyArray<string>) => {
    const folder = mkdtempSync(path.join(tmpdir(), "plumbline-systemd-"))
    try {
      const file = path.join(folder, "plumbline.service")
      // systemd looks for the program
      writeFileSync(file, unit.replace(/^ExecStart=\S+/mu, `ExecStart=${process.execPath}`))
      const { status, stderr, stdout } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" })
      return { status, text: `${stdout}${stderr}` }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const isMissing = spawnSync("systemd-analyze", ["--version"]).error !== undefined

  it.skipIf(isMissing && process.env["CI"] !== "true")("is valid, and leaves the process few rights", () => {
    expect(analyze("verify", "--man=no")).toEqual({ status: 0, text: "" })
    // tenths of the exposure, from 0 to 100
    const { status, text } = analyze("security", "--offline=true", "--no-pager", "--threshold=15")
    expect(status, text).toBe(0)
  })
})
