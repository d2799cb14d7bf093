/**
 * Tests the Helm chart of `deploy/helm` with the real Helm: it lints, its objects match the schemas of Kubernetes, its
 * configuration is one that the service takes, and each mistake in the values is refused with a sentence.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as GatewayOptions from "@plumbline/gateway/settings/GatewayOptions"
import * as Helm from "@plumbline/gateway/support/helm"
import * as Result from "effect/Result"
import { describe, expect, it, type TestContext } from "vitest"
import { parse, parseAllDocuments } from "yaml"

import { read as readConfiguration } from "../src/config/Configuration.ts"
import { USUAL_GRACE } from "../src/config/ServerSection.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (file: string): string => readFileSync(path.join(Helm.chart, file), "utf8")

/** These programs come from other registries than Debian's, which a machine may not reach. So their tests are skipped there. */
const isMissing = (program: string): boolean => {
  const missing = Helm.isMissing(program)
  if (missing) console.warn(`Tests of the chart are skipped: ${program} is missing. scripts/servers.sh installs it.`)
  return missing
}
const withoutHelm = isMissing("helm")

type Values = Readonly<Record<string, unknown>>

const folderOf = ({ onTestFinished }: TestContext): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-chart-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const rendered = (...values: ReadonlyArray<Values>): Promise<string> => Helm.rendered("edge", values)

/** Renders the chart, and returns its objects by kind and name. */
const objects = async (...values: ReadonlyArray<Values>): Promise<Readonly<Record<string, any>>> =>
  Object.fromEntries(
    parseAllDocuments(await rendered(...values))
      .map((document) => document.toJS())
      .map((object) => [`${object.kind}/${object.metadata.name}`, object])
  )

const NAME = "edge-plumbline"

const minimum = {
  image: { repository: "registry.example/plumbline" },
  adminToken: { secret: "plumbline" },
  config: { networks: { main: { chainId: 11_155_111, upstreams: [{ url: "http://node.example:8545" }] } } }
}

const production = {
  ...minimum,
  image: { repository: "registry.example:5000/team/plumbline", digest: `sha256:${"0a".repeat(32)}` },
  replicas: 3,
  config: {
    server: { trustedProxies: ["10.0.0.0/8"], timeouts: { grace: "10s", drain: "1.5m" } },
    networks: {
      main: {
        chainId: 1,
        integrity: "prove",
        trust: { checkpoint: `0x${"12".repeat(32)}`, beacon: ["http://beacon.example"] },
        upstreams: [{ url: "${MAIN_URL}" }]
      }
    },
    ipfs: { node: "http://ipfs.example:5001", quotas: { stored: null } },
    limits: { project: { creditsPerSecond: null, burst: null } },
    state: { postgres: "postgres://plumbline:${POSTGRES_PASSWORD}@db.example/plumbline", redis: "${REDIS_URL}" }
  },
  secrets: {
    MAIN_URL: { secret: "nodes", key: "main-url" },
    POSTGRES_PASSWORD: { secret: "db", key: "password" },
    REDIS_URL: { secret: "cache", key: "url" }
  },
  tls: { secret: "certificate" },
  service: { type: "LoadBalancer", port: 443, annotations: { "example.com/internal": "true" } },
  autoscaling: { enabled: true, loopLag: { enabled: true } },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  prometheusRule: { enabled: true },
  networkPolicy: {
    enabled: true,
    callers: [{ ipBlock: { cidr: "10.0.0.0/8" } }],
    metrics: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
    operators: [{ podSelector: { matchLabels: { app: "bastion" } } }],
    egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }], ports: [{ port: 5432 }, { port: 6379 }, { port: 8545 }] }]
  },
  podAnnotations: { "example.com/team": "nodes" },
  pod: { nodeSelector: { disk: "fast" }, imagePullSecrets: [{ name: "registry" }], priorityClassName: "high" }
}

/** The texts in the Secrets. */
const held: Readonly<Record<string, string>> = {
  NODE_URL: "http://node.example:8545",
  POSTGRES_URL: "postgres://db.example/plumbline",
  MAIN_URL: "http://node.example:8545/key",
  POSTGRES_PASSWORD: "pass",
  REDIS_URL: "redis://cache.example:6379"
}

/** Reads the rendered configuration as `config check` does, with the variables that the Pod has. */
const configurationOf = (all: Readonly<Record<string, any>>) => {
  const container = all[`Deployment/${NAME}`].spec.template.spec.containers[0]
  const variables = Object.fromEntries(container.env.map(({ name, value }: any) => [name, value ?? held[name]]))
  const text: string = all[`ConfigMap/${NAME}`].data["plumbline.json"]
  const configuration = readConfiguration({ text, file: "plumbline.json", variables })
  if (configuration._tag === "Failure") throw new Error(JSON.stringify(configuration.failure.mistakes))
  return { container, text, warnings: configuration.success.warnings, settings: configuration.success.settings() }
}

describe("the chart's own files", () => {
  const values = parse(read("values.yaml"))
  const schema = JSON.parse(read("values.schema.json"))

  it("has a schema for exactly the values that it documents", () => {
    const same = (given: Values, group: any, at: string): void => {
      expect(
        Object.keys(group.properties)
          .filter((name) => name !== "global")
          .sort(),
        at
      ).toEqual(Object.keys(given).sort())
      expect(group.additionalProperties, at).toBe(false)
      for (const [name, member] of Object.entries<any>(group.properties)) {
        if (name !== "config" && name !== "pod" && member.properties !== undefined)
          same(given[name] as Values, member, `${at}.${name}`)
      }
    }
    same(values, schema, "")
    for (const name of Object.keys(schema.properties.pod.properties)) expect(read("values.yaml")).toContain(name)
  })

  it("has the version of the packages", () => {
    const { version } = JSON.parse(readFileSync(path.join(root, "apps/plumbline/package.json"), "utf8"))
    const { appVersion, version: own } = parse(read("Chart.yaml"))
    expect([own, appVersion]).toEqual([version, version])
  })

  it("gives no default for what only the operator knows", () => {
    expect(values.image.repository).toBe("")
    expect(values.adminToken.secret).toBe("")
    expect(schema.properties.config.required).toEqual(["networks"])
  })
})

describe.skipIf(withoutHelm)("the chart", () => {
  it("passes helm lint --strict", async () => {
    for (const values of [minimum, production]) {
      const { status, stdout } = await Helm.helm(["lint", "--strict", Helm.chart], [values])
      expect(status, stdout).toBe(0)
    }
  })

  it("gives one process with a data folder", async () => {
    const all = await objects(minimum)
    expect(Object.keys(all).sort()).toEqual([
      `ConfigMap/${NAME}`,
      `Deployment/${NAME}`,
      `PersistentVolumeClaim/${NAME}`,
      `Service/${NAME}`,
      `Service/${NAME}-operators`
    ])
    const { replicas, strategy, template } = all[`Deployment/${NAME}`].spec
    expect([replicas, strategy.type]).toEqual([1, "Recreate"])
    expect(template.spec.volumes).toContainEqual({ name: "data", persistentVolumeClaim: { claimName: NAME } })
    const { container, settings, warnings } = configurationOf(all)
    expect(warnings).toEqual([])
    expect(settings.networks[0]!.chainId).toBe(11_155_111)
    const { appVersion } = parse(read("Chart.yaml"))
    expect(container.image).toBe(`registry.example/plumbline:${appVersion}`)
  })

  it("gives several processes over Postgres and Redis", async () => {
    const all = await objects(production)
    expect(Object.keys(all).sort()).toEqual([
      `ConfigMap/${NAME}`,
      `Deployment/${NAME}`,
      `HorizontalPodAutoscaler/${NAME}`,
      `NetworkPolicy/${NAME}`,
      `PodDisruptionBudget/${NAME}`,
      `PrometheusRule/${NAME}`,
      `Service/${NAME}`,
      `Service/${NAME}-operators`,
      `ServiceMonitor/${NAME}`
    ])
    const { spec } = all[`Deployment/${NAME}`]
    expect(spec).not.toHaveProperty("replicas")
    expect(spec.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
    expect(spec.template.spec.volumes).toContainEqual({ name: "data", emptyDir: {} })
    expect(spec.template.spec).toMatchObject(production.pod)
    const { container, text, warnings } = configurationOf(all)
    expect(warnings).toEqual([])
    // the text, not the number that YAML reads in it; and null, which is not "left out"
    expect(JSON.parse(text).networks.main.trust.checkpoint).toBe(production.config.networks.main.trust.checkpoint)
    expect(JSON.parse(text)).toMatchObject({
      ipfs: { quotas: { stored: null } },
      limits: { project: { creditsPerSecond: null } }
    })
    expect(container.image).toBe(`${production.image.repository}@${production.image.digest}`)
    expect(container.env).toContainEqual({
      name: "POSTGRES_PASSWORD",
      valueFrom: { secretKeyRef: { name: "db", key: "password" } }
    })
  })

  it("takes the example of several processes", async () => {
    const example = parse(readFileSync(path.join(root, "deploy/helm/production.yaml"), "utf8"))
    const all = await objects(example)
    expect(all[`Deployment/${NAME}`].spec.replicas).toBe(3)
    expect(configurationOf(all).warnings).toEqual([])
    const guide = readFileSync(path.join(root, "docs/operate.md"), "utf8")
    for (const { key, secret } of Object.values<any>(example.secrets)) {
      expect(secret).toBe("plumbline")
      expect(guide).toContain(`\`${key}\``)
    }
  })

  it("gives the service the ports, files and folders that the Pod has", async () => {
    for (const listen of ["0.0.0.0", "::"]) {
      const all = await objects(production, { listen, autoscaling: { enabled: false } })
      const { container, settings } = configurationOf(all)
      const { spec } = all[`Deployment/${NAME}`].spec.template
      const ports = Object.fromEntries(container.ports.map((port: any) => [port.name, port.containerPort]))
      expect(settings.server).toMatchObject({ host: listen, port: ports["http"] })
      expect(settings.observability.metrics).toMatchObject({ host: listen, port: ports["metrics"] })
      expect(JSON.parse(all[`ConfigMap/${NAME}`].data["plumbline.json"]).admin).toMatchObject({
        host: listen,
        port: ports["operators"]
      })
      const services = [all[`Service/${NAME}`], all[`Service/${NAME}-operators`]].flatMap(({ spec }) => spec.ports)
      expect(services.map(({ targetPort }): string => targetPort).sort()).toEqual(Object.keys(ports).sort())
      // the port for callers alone is open to the outside
      expect(all[`Service/${NAME}-operators`].spec.type).toBe("ClusterIP")

      const files = container.volumeMounts.flatMap(({ mountPath, name }: any) => {
        const volume = spec.volumes.find((volume: any) => volume.name === name)
        if (volume.configMap !== undefined) return [`${mountPath}/plumbline.json`]
        const items = volume.secret?.items?.map((item: any) => item.path) ?? ["tls.crt", "tls.key"]
        return volume.secret === undefined ? [] : items.map((item: string) => `${mountPath}/${item}`)
      })
      const { admin, tls } = JSON.parse(all[`ConfigMap/${NAME}`].data["plumbline.json"])
      expect([container.args.at(-1), admin.tokenFile, tls.certificate, tls.key]).toEqual(files)
      const named = spec.volumes.map(({ name }: any) => name).sort()
      expect(container.volumeMounts.map(({ name }: any) => name).sort()).toEqual(named)
    }
  })

  it("sends probes by the protocol of the port, to paths that need no key", async () => {
    for (const [values, scheme] of [
      [minimum, "HTTP"],
      [production, "HTTPS"]
    ] as const) {
      const [container] = (await objects(values))[`Deployment/${NAME}`].spec.template.spec.containers
      for (const [probe, at] of [
        ["startupProbe", "/livez"],
        ["livenessProbe", "/livez"],
        ["readinessProbe", "/readyz"]
      ]) {
        expect(container[probe!].httpGet).toEqual({ path: at, port: "http", scheme })
      }
    }
  })

  it("runs the service without rights, as Kubernetes's restricted standard wants", async () => {
    const { spec } = (await objects(minimum))[`Deployment/${NAME}`].spec.template
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } }
    })
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    expect(spec.containers[0].resources.limits).toHaveProperty("memory")
  })

  it("leaves the service the time that it needs to end", async () => {
    const timeOf = async (...values: ReadonlyArray<Values>): Promise<number> =>
      (await objects(...values))[`Deployment/${NAME}`].spec.template.spec.terminationGracePeriodSeconds
    const timeouts = (grace: string, drain: string) => ({ config: { server: { timeouts: { grace, drain } } } })
    const { drain } = Result.getOrThrow(GatewayOptions.resolve({ networks: [] })).timeouts
    expect([USUAL_GRACE, drain]).toEqual([5000, 10_000])
    // 7.5 s for the listener, 5 for records and 2 for late clients are added, and the sum is rounded up
    expect(await timeOf(minimum)).toBe(30)
    expect(await timeOf(production)).toBe(10 + 90 + 15)
    expect(await timeOf(minimum, timeouts("500ms", "1h"))).toBe(3615)
    expect(await timeOf(minimum, timeouts("0 s", "0.25 m"))).toBe(30)
    expect(await timeOf(minimum, { terminationGracePeriodSeconds: 31 })).toBe(31)
  })

  it("replaces the Pods when the configuration changes", async () => {
    const of = async (...values: ReadonlyArray<Values>): Promise<string> =>
      (await objects(...values))[`Deployment/${NAME}`].spec.template.metadata.annotations["checksum/config"]
    expect(await of(minimum)).toBe(await of(minimum, { replicas: 0 }))
    expect(await of(minimum)).not.toBe(await of(minimum, { config: { server: { accessLog: true } } }))
  })

  it("lets Prometheus find the metrics and the alerts", async () => {
    const all = await objects(production)
    const monitor = all[`ServiceMonitor/${NAME}`]
    const service = all[`Service/${NAME}-operators`]
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    expect(all[`Service/${NAME}`].metadata.labels).not.toMatchObject(monitor.spec.selector.matchLabels)
    const [endpoint] = monitor.spec.endpoints
    expect(endpoint).toEqual({ port: "metrics", interval: "2s", scrapeTimeout: "2s" })
    expect(service.spec.ports.map(({ name }: any) => name)).toContain(endpoint.port)
    expect(monitor.metadata.labels).toMatchObject({ release: "prometheus" })

    const { groups } = all[`PrometheusRule/${NAME}`].spec
    expect(groups.slice(0, -1)).toEqual(parse(read("alerts.yml")).groups)
    // the alert ProcessDown selects this job
    expect(service.metadata.labels[monitor.spec.jobLabel]).toBe("plumbline")
    expect(read("alerts.yml")).toContain('up{job="plumbline"}')

    const metrics = all[`HorizontalPodAutoscaler/${NAME}`].spec.metrics
    expect(metrics.map(({ type }: any) => type)).toEqual(["Resource", "Pods"])
    expect(groups.at(-1).rules.map(({ record }: any) => record)).toEqual([metrics[1].pods.metric.name])
    expect((await objects(minimum, { prometheusRule: { enabled: true } }))[`PrometheusRule/${NAME}`].spec).toEqual(
      parse(read("alerts.yml"))
    )
  })

  it.skipIf(isMissing("promtool"))("gives Prometheus rules that it can read", async (context) => {
    const file = path.join(folderOf(context), "rules.yml")
    writeFileSync(file, JSON.stringify((await objects(production))[`PrometheusRule/${NAME}`].spec))
    const { status, stderr } = await Helm.run("promtool", ["check", "rules", file], path.dirname(file))
    expect(status, stderr).toBe(0)
  })

  it("opens only the ports of the given peers", async () => {
    const { spec } = (await objects(production))[`NetworkPolicy/${NAME}`]
    const { callers, egress, metrics, operators } = production.networkPolicy
    expect(spec.ingress).toEqual([
      { ports: [{ port: "http" }], from: callers },
      { ports: [{ port: "metrics" }], from: metrics },
      { ports: [{ port: "operators" }], from: operators }
    ])
    const dns = {
      ports: [
        { port: 53, protocol: "UDP" },
        { port: 53, protocol: "TCP" }
      ]
    }
    expect(spec.egress).toEqual([dns, ...egress])
    const closed = await objects(minimum, { networkPolicy: { enabled: true, egress } })
    expect(closed[`NetworkPolicy/${NAME}`].spec.ingress).toEqual([{ ports: [{ port: "http" }] }])
  })

  it("gives objects names that Kubernetes takes", async () => {
    const { stdout } = await Helm.helm(["template", "x".repeat(53), Helm.chart], [minimum])
    const names = parseAllDocuments(stdout).map((document) => document.toJS().metadata.name as string)
    expect(names.length).toBeGreaterThan(4)
    for (const name of names) expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/u)
  })

  it.skipIf(isMissing("kubernetes-validate"))("gives objects of Kubernetes's schemas", async (context) => {
    const folder = folderOf(context)
    const known = (text: string): string =>
      parseAllDocuments(text)
        .map((document) => document.toJS())
        .filter(({ apiVersion }) => !apiVersion.startsWith("monitoring.coreos.com/"))
        .map((object) => `---\n${JSON.stringify(object)}\n`)
        .join("")
    const texts = {
      minimum: known(await rendered(minimum)),
      production: known(await rendered(production)),
      misspelt: known(await rendered(minimum)).replace("readOnlyRootFilesystem", "readOnlyRootFileSystem")
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text)
    const validate = (version: string, ...files: ReadonlyArray<string>) =>
      Helm.run("kubernetes-validate", ["--kubernetes-version", version, "--strict", ...files], folder)
    for (const version of ["1.27", "1.37"]) {
      const { status, stderr, stdout } = await validate(version, "minimum", "production")
      expect(status, `${version}: ${stdout}${stderr}`).toBe(0)
    }
    const { status, stdout } = await validate("1.37", "misspelt")
    expect(status).not.toBe(0)
    expect(stdout).toContain("readOnlyRootFileSystem")
  })
})

const shared = { state: { postgres: "postgres://db.example/x", redis: "redis://cache.example" } }

/** Values with one mistake each, and the sentence that refuses them. */
const mistakes: ReadonlyArray<readonly [name: string, values: Values, sentence: RegExp]> = [
  ["a misspelt value", { replica: 2 }, /\breplica\b.* not allowed/u],
  ["a misspelt value in a group", { autoscaling: { enable: true } }, /autoscaling\b.*\benable\b.* not allowed/u],
  ["a misspelt setting", { config: { server: { prot: 1 } } }, /config.server\b.*\bprot\b.* not allowed/u],
  ["a port of the chart's own", { config: { server: { port: 1 } } }, /config.server\b.*\bport\b.* not allowed/u],
  ["a token in the file", { config: { admin: { token: "ab" } } }, /config.admin\b.*\btoken\b.* not allowed/u],
  ["a misspelt field of a Pod", { pod: { nodeselector: {} } }, /pod\b.*\bnodeselector\b.* not allowed/u],
  ["no network", { config: { networks: null } }, /config.networks\b.*\bnull/u],
  ["no image", { image: { repository: "" } }, /image\.repository is missing/u],
  ["no token", { adminToken: { secret: "" } }, /adminToken\.secret is missing/u],
  ["two processes with one folder", { replicas: 2 }, /more than one replica needs config\.state\.postgres/u],
  [
    "two processes without Redis",
    { replicas: 2, config: { state: { postgres: "postgres://db.example/x" } } },
    /more than one replica needs config\.state\.redis/u
  ],
  ["scaling with a folder", { autoscaling: { enabled: true } }, /more than one replica needs config\.state\.postgres/u],
  [
    "fewer processes than the least",
    { config: shared, autoscaling: { enabled: true, minReplicas: 4, maxReplicas: 3 } },
    /maxReplicas is less than autoscaling\.minReplicas/u
  ],
  [
    "scaling by a metric that nothing records",
    { config: shared, autoscaling: { enabled: true, loopLag: { enabled: true } } },
    /autoscaling\.loopLag needs prometheusRule\.enabled/u
  ],
  ["a kill that comes too early", { terminationGracePeriodSeconds: 29 }, /the service needs up to 30 s to end/u],
  [
    "a time that is a variable",
    { config: { server: { timeouts: { drain: "${DRAIN}" } } }, secrets: { DRAIN: { secret: "a", key: "b" } } },
    /config\.server\.timeouts\.drain is \$\{DRAIN\}, but/u
  ],
  ["a variable without a Secret", { config: { state: { redis: "${REDIS}" } } }, /config names \$\{REDIS\}, which/u],
  [
    "the second of two variables without a Secret",
    {
      config: { state: { redis: "redis://${USER}${PASSWORD}@cache.example" } },
      secrets: { USER: { secret: "a", key: "b" } }
    },
    /config names \$\{PASSWORD\}, which/u
  ],
  [
    "a variable that overrides a setting",
    { secrets: { PLUMBLINE_SERVER__PORT: { secret: "a", key: "b" } } },
    /PLUMBLINE_SERVER__PORT/u
  ],
  ["a policy that closes the nodes", { networkPolicy: { enabled: true } }, /networkPolicy\.egress is empty/u],
  ["a peer of no kind", { networkPolicy: { callers: [{ cidr: "10.0.0.0/8" }] } }, /\bcidr\b.* not allowed/u],
  ["no limit of memory", { resources: { limits: { memory: null } } }, /limits\b.*\bmemory/u]
]

describe.skipIf(withoutHelm)("the chart refuses", () => {
  it.for(mistakes)("%s", async ([, values, sentence]) => {
    const { status, stderr, stdout } = await Helm.helm(["template", "edge", Helm.chart], [minimum, values])
    expect(stdout).toBe("")
    expect(status).not.toBe(0)
    expect(stderr).toMatch(sentence)
  })

  it("no text that only looks like a variable", async () => {
    const upstreams = [{ url: "http://node.example:8545/$${KEY}" }]
    const values = { config: { networks: { main: { chainId: 1, upstreams } } } }
    expect(configurationOf(await objects(minimum, values)).warnings).toEqual([])
  })
})
