/**
 * Runs Helm on the chart of `deploy/helm`. Helm comes from another registry than Debian's: `scripts/servers.sh` installs
 * it.
 */
import { execFile, spawnSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** The folder of the chart. */
export const chart: string = path.resolve(import.meta.dirname, "../../../../deploy/helm/plumbline")

/** Returns true if a program cannot be started. */
export const isMissing = (program: string): boolean =>
  spawnSync(program, ["--help"], { stdio: "ignore" }).error !== undefined

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program in a folder to its end. Helm keeps its own files in that folder. */
export const run = (program: string, args: ReadonlyArray<string>, cwd: string): Promise<Ended> => {
  const env = { ...process.env, HELM_CACHE_HOME: cwd, HELM_CONFIG_HOME: cwd, HELM_DATA_HOME: cwd }
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr })
    )
  })
}

/** Runs Helm with files of values, of which a later one overrides those before it. A text is the path of a file. */
export const helm = async (args: ReadonlyArray<string>, values: ReadonlyArray<object | string>): Promise<Ended> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-chart-"))
  try {
    const files = await Promise.all(
      values.map(async (value, index) => {
        if (typeof value === "string") return value
        const file = path.join(folder, `${index}.yaml`)
        await writeFile(file, JSON.stringify(value))
        return file
      })
    )
    return await run("helm", [...args, ...files.flatMap((file) => ["--values", file])], folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Renders the chart, and returns its objects as YAML. Fails with the sentence of Helm. */
export const rendered = async (release: string, values: ReadonlyArray<object | string>): Promise<string> => {
  const { status, stderr, stdout } = await helm(["template", release, chart, "--namespace", "nodes"], values)
  if (status !== 0) throw new Error(stderr)
  return stdout
}
