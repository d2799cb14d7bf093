/** Runs a Prometheus with the files of `deploy`. `sh scripts/servers.sh` installs it. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { freePort } from "@plumbline/gateway/support/ports"
import { parse, stringify } from "yaml"

const deploy = path.resolve(import.meta.dirname, "../../../../deploy")
const alerts = path.join(deploy, "helm/plumbline/alerts.yml")
const configuration = parse(readFileSync(path.join(deploy, "prometheus/prometheus.yml"), "utf8"))
const { groups } = parse(readFileSync(alerts, "utf8"))

/** True if the tests that need Prometheus are skipped. In CI none is skipped. */
export const skipped =
  process.env["CI"] !== "true" && spawnSync("prometheus", ["--version"], { stdio: "ignore" }).error !== undefined

/** Returns the longest time from a change of a metric to its alert, in milliseconds, by the files of `deploy`. */
export const delayOf = (alert: string): number => {
  const { evaluation_interval, scrape_interval } = configuration.global
  const [rule] = groups.flatMap(({ interval = evaluation_interval, rules }: any) =>
    rules.filter((rule: any) => rule.alert === alert).map((rule: any) => ({ interval, for: rule.for ?? "0s" }))
  )
  const waits = [scrape_interval, rule.interval, rule.for]
  return 1000 * waits.map((wait: string) => Number(/^(\d+)s$/u.exec(wait)![1])).reduce((a, b) => a + b)
}

/** A firing alert, as its name and its labels. */
export type Alert = Readonly<Record<string, string>>

export interface Prometheus extends AsyncDisposable {
  /** Returns the alerts that fire. */
  readonly firing: () => Promise<ReadonlyArray<Alert>>
}

/** Starts a Prometheus without a past, and waits until it has scraped all targets. */
export const start = async (targets: ReadonlyArray<string>): Promise<Prometheus> => {
  const place = mkdtempSync(path.join(tmpdir(), "plumbline-prometheus-"))
  const file = path.join(place, "prometheus.yml")
  const [job, ...others] = configuration.scrape_configs
  const scrape_configs = [{ ...job, static_configs: [{ targets }] }, ...others]
  writeFileSync(file, stringify({ ...configuration, rule_files: [alerts], scrape_configs }))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    "prometheus",
    [`--config.file=${file}`, `--storage.tsdb.path=${place}/data`, `--web.listen-address=${address}`],
    { stdio: "ignore" }
  )
  const ended = once(child, "exit")
  // a failing test leaves the child running, and this process ends later
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const ask = async (question: string) => (await (await fetch(`http://${address}/api/v1/${question}`)).json()).data
  const scraped = async () => {
    const { result } = await ask("query?query=up").catch(() => ({ result: [] }))
    return result.filter(({ value }: any) => value[1] === "1").length === targets.length
  }
  while (!(await scraped())) await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    firing: async () => {
      const { alerts } = await ask("alerts")
      return alerts.filter(({ state }: any) => state === "firing").map(({ labels }: any) => labels)
    },
    [Symbol.asyncDispose]: async () => {
      kill()
      await ended
      process.removeListener("exit", kill)
      rmSync(place, { recursive: true, force: true })
    }
  }
}
