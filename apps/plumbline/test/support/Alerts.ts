/** Evaluates the alert rules of `deploy/` on measured values, with Prometheus' own tool. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** Runs Prometheus' tool for rules. `sh scripts/servers.sh` installs it. */
const promtool = (...args: ReadonlyArray<string>) => spawnSync("promtool", args, { encoding: "utf8" })

const rules = path.resolve(import.meta.dirname, "../../../../deploy/prometheus/alerts.yml")

/**
 * True if the alert fires at the end of a series with a value per second. Undefined if `promtool` is missing and the
 * tests do not run in CI.
 */
export const fired = (
  alert: string,
  metric: string,
  labels: Readonly<Record<string, string>>,
  values: ReadonlyArray<string>
): boolean | undefined => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-alerts-"))
  try {
    const file = path.join(folder, "test.yml")
    const series = `${metric}{${Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join(", ")}}`
    // the test expects silence, so it fails if the alert fires
    const test = {
      rule_files: [rules],
      evaluation_interval: "1s",
      tests: [
        {
          interval: "1s",
          input_series: [{ series, values: values.join(" ") }],
          alert_rule_test: [{ eval_time: `${values.length - 1}s`, alertname: alert }]
        }
      ]
    }
    writeFileSync(file, JSON.stringify(test))
    const { error, status, stderr, stdout } = promtool("test", "rules", file)
    if (error !== undefined) {
      if (process.env["CI"] !== undefined) throw error
      console.warn("no promtool: the alert is not tested")
      return undefined
    }
    const text = `${stdout}${stderr}`
    if (status !== 0 && !text.includes(`alertname: ${alert}`)) throw new Error(text)
    return status !== 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
