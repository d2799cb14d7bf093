/**
 * The processes of the Helm chart, started without Kubernetes.
 *
 * Helm renders the chart. A process has the arguments, the environment and the files of the rendered Pod; only its ports,
 * the folders of its volumes and the address to listen on are others, because all Pods share this machine. A member that
 * this file does not know is an error, because the process would lack what it gives to a Pod.
 */
import { readFileSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"

import * as Helm from "@plumbline/gateway/support/helm"
import { freePort } from "@plumbline/gateway/support/ports"
import { parseAllDocuments } from "yaml"

import * as Member from "../member.ts"

/** The reason why the chart cannot be rendered here; undefined if it can. */
export const skipped: string | undefined =
  process.env["CI"] === "true" || !Helm.isMissing("helm")
    ? undefined
    : "skipped: Helm is not installed (scripts/servers.sh)"

/** A probe of the kubelet. Times are in seconds. */
export interface Probe {
  readonly path: string
  readonly periodSeconds: number
  readonly timeoutSeconds: number
  /** Number of failures, one after the other, after which the kubelet acts. */
  readonly failureThreshold: number
}

/** A process of the chart. */
export interface Pod extends Member.Member {
  readonly adminPort: number
  /** The port of `/metrics`. */
  readonly metricsPort: number
  /**
   * Sends SIGTERM, and kills the process if it still runs after the chart's `terminationGracePeriodSeconds`, as Kubernetes
   * does. Returns the milliseconds that the end took, which are no fewer than that time if the process was killed.
   */
  readonly stop: () => Promise<number>
  /** Starts a new process in the place of this one, which has ended. From then on `stop` and `kill` end the new one. */
  readonly restart: () => Promise<void>
}

/** The text of each key of each Secret. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The rendered Deployment. */
export interface Deployment {
  readonly replicas: number
  /** Seconds from SIGTERM to the kill. */
  readonly terminationGracePeriodSeconds: number
  readonly readiness: Probe
  /** Starts a process whose files are in this folder. */
  readonly start: (folder: string, secrets: Secrets) => Promise<Pod>
}

/** Renders the chart with values, of which a later one overrides those before it. A text is the path of a file. */
export const render = async (values: ReadonlyArray<object | string>): Promise<Deployment> => {
  const objects = parseAllDocuments(await Helm.rendered("plumbline", values)).map((document) => document.toJS())
  const kinds = Object.fromEntries(objects.map((object) => [object.kind, object]))
  known("the chart", kinds, ["ConfigMap", "Deployment", ...WITHOUT_PROCESS])
  const { Deployment: deployment, ConfigMap: configMap } = kinds
  known("its Deployment", deployment.spec, ["replicas", "template", ...ROLLOUT])
  const pod = deployment.spec.template.spec
  known("its Pod", pod, ["containers", "terminationGracePeriodSeconds", "volumes", ...ISOLATION])
  const [container, ...others] = pod.containers
  if (others.length > 0) throw new Error("its Pod has a second container")
  known("its container", container, [...PROCESS, ...PROBES, ...CONTAINER_ISOLATION])
  const [, , readiness] = PROBES.map((name): Probe => {
    const { httpGet, ...times } = container[name]
    known(name, times, ["periodSeconds", "timeoutSeconds", "failureThreshold"])
    if (httpGet.port !== "http" || httpGet.scheme !== "HTTP") throw new Error(`${name} asks another port`)
    return { path: httpGet.path, ...times }
  })
  return {
    replicas: deployment.spec.replicas,
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
    readiness: readiness!,
    start: async (folder, secrets) => {
      const ports = new Map<number, number>()
      for (const { containerPort } of container.ports) ports.set(containerPort, await freePort())
      const portOf = (name: string) => ports.get(container.ports.find((port: any) => port.name === name).containerPort)!
      const here = (text: string) => onThisMachine(folder, container.volumeMounts, text)
      for (const { mountPath, name } of container.volumeMounts) {
        await mkdir(here(mountPath), { recursive: true })
        const volume = pod.volumes.find((volume: any) => volume.name === name)
        for (const [file, text] of filesOf(volume, configMap, secrets)) {
          await writeFile(path.join(here(mountPath), file), translated(text, ports, here))
        }
      }
      const configuration = JSON.parse(await readFile(here(container.args.at(-1)), "utf8"))
      const command: Member.MemberCommand = {
        args: container.args.map(here),
        env: {
          ...Object.fromEntries(
            [...imageVariables(), ...container.env.map((variable: any) => variableOf(variable, secrets))].map(
              ([name, text]) => [name, here(text)]
            )
          ),
          PLUMBLINE_SERVER__PORT: String(portOf("http")),
          TMPDIR: here("/tmp"),
          HOME: folder
        },
        adminToken: await readFile(configuration.admin.tokenFile, "utf8"),
        adminPort: portOf("operators")
      }
      let member = await Member.run(command)
      return {
        ...member,
        adminPort: portOf("operators"),
        metricsPort: portOf("metrics"),
        stop: () => stopWithin(member, pod.terminationGracePeriodSeconds * 1000),
        kill: () => member.kill(),
        restart: async () => {
          member = await Member.run(command)
        }
      }
    }
  }
}

/** Stops a process, and kills it if it still runs after `grace` milliseconds. Returns the milliseconds until its end. */
export const stopWithin = async (member: Pick<Member.Member, "stop" | "kill">, grace: number): Promise<number> => {
  const killing = setTimeout(() => void member.kill(), grace)
  try {
    return await member.stop()
  } finally {
    clearTimeout(killing)
  }
}

/** Objects without a part in a process. nginx stands for the Services, and the test for Prometheus. */
const WITHOUT_PROCESS = ["Service", "PodDisruptionBudget", "ServiceMonitor", "PrometheusRule"]

/** The members of a Deployment that say how Kubernetes finds and replaces Pods. */
const ROLLOUT = ["minReadySeconds", "revisionHistoryLimit", "selector", "strategy"]

/** The members of a Pod, and of a container, that only take something from a process, or place it. */
const ISOLATION = ["automountServiceAccountToken", "enableServiceLinks", "securityContext", "topologySpreadConstraints"]
const CONTAINER_ISOLATION = ["image", "imagePullPolicy", "name", "resources", "securityContext"]

/** The members of a container that make its process. `lifecycle` is absent: the chart has no preStop hook. */
const PROCESS = ["args", "env", "ports", "volumeMounts"]
const PROBES = ["startupProbe", "livenessProbe", "readinessProbe"]

const known = (what: string, object: object, members: ReadonlyArray<string>): void => {
  const unknown = Object.keys(object).filter((member) => !members.includes(member))
  if (unknown.length > 0) throw new Error(`${what} has ${unknown.join(", ")}, which no process here would get`)
}

/**
 * Returns the place in `folder` of a path in a volume, and the address to listen on for that of a Pod. Returns any other
 * text unchanged.
 */
const onThisMachine = (folder: string, mounts: ReadonlyArray<{ readonly mountPath: string }>, text: string): string => {
  if (text === "0.0.0.0") return "127.0.0.1"
  return mounts.some(({ mountPath }) => text === mountPath || text.startsWith(`${mountPath}/`))
    ? path.join(folder, text)
    : text
}

/** Returns the files of a volume: their names and texts. */
const filesOf = (
  { configMap, emptyDir, name, secret, ...more }: any,
  rendered: any,
  secrets: Secrets
): ReadonlyArray<readonly [name: string, text: string]> => {
  known(`the volume ${name}`, more, [])
  if (configMap?.name === rendered.metadata.name) return Object.entries(rendered.data)
  if (secret !== undefined) {
    return secret.items.map(({ key, path }: any) => [path, textOf(secrets, secret.secretName, key)])
  }
  if (emptyDir === undefined) throw new Error(`the volume ${name} is of another kind`)
  return []
}

const textOf = (secrets: Secrets, name: string, key: string): string => {
  const text = secrets[name]?.[key]
  if (text === undefined) throw new Error(`the chart refers to ${key} of the Secret ${name}, which is not given`)
  return text
}

const variableOf = ({ name, value, valueFrom }: any, secrets: Secrets): readonly [name: string, text: string] => {
  if (valueFrom === undefined) return [name, value]
  known(`the variable ${name}`, valueFrom, ["secretKeyRef"])
  return [name, textOf(secrets, valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key)]
}

/** Returns the variables that the image sets. */
const imageVariables = (): ReadonlyArray<readonly [name: string, text: string]> => {
  const file = path.resolve(import.meta.dirname, "../../../../deploy/Containerfile")
  const [, variables] = /^ENV ((?:.*\\\n)*.*)$/mu.exec(readFileSync(file, "utf8"))!
  return [...variables!.matchAll(/(\w+)=(\S+)/gu)].map(([, name, text]) => [name!, text!])
}

/** Replaces ports and paths of the Pod in a configuration. Any other text stays as it is. */
const translated = (text: string, ports: ReadonlyMap<number, number>, here: (text: string) => string): string => {
  if (!text.startsWith("{")) return text
  return JSON.stringify(
    JSON.parse(text, (member, value) => {
      if (typeof value === "string") return here(value)
      if (member !== "port") return value
      if (!ports.has(value))
        throw new Error(`the configuration has the port ${value}, which the container does not name`)
      return ports.get(value)
    })
  )
}
