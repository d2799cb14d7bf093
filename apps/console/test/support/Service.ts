/** Starts a service with the history chain for tests in a browser, by running the command in a separate process. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** The program: its sources, or the bundle if `PLUMBLINE_MAIN` names it (`pnpm test`), which starts in half the time. */
export const COMMAND: string =
  process.env["PLUMBLINE_MAIN"] ?? path.resolve(import.meta.dirname, "../../../plumbline/src/main.ts")

/** The path of Chromium, if this machine has it. Its form without windows takes two thirds of the processor time. */
export const chromium: string | undefined = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome"
].find((file) => file !== undefined && existsSync(file))

/** True if the browser tests are skipped, because Chromium is missing. In CI they are not skipped, and fail. */
export const skipped: boolean = chromium === undefined && process.env["CI"] === undefined

/** A service, and its folder. */
export interface Service {
  readonly url: string
  /** The address of the console and the admin API, if they have a port of their own. */
  readonly adminUrl?: string
  readonly apiKey: string
  readonly apiKeySecret: string
  readonly adminToken: string
  readonly folder: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/**
 * Networks that the console reads without a key, one of each kind, and one network for which the console asks for a
 * key.
 */
const NETWORKS = `
networks:
  history: { upstreams: [{ embedded: history }] }
  starknet-pool: { upstreams: [{ embedded: starknet-pool }] }
  remote: { chainId: 1, hosts: [remote.example], upstreams: [{ url: "http://127.0.0.1:9/" }] }
`

/** The parts of a service in addition to the usual networks. */
export interface Options {
  /** Lines of further networks. */
  readonly networks?: string
  /** True to start an IPFS node too, which makes the start slower. */
  readonly hasIpfs?: boolean
  /** The whole configuration, in place of the usual one. */
  readonly settings?: string
}

/** Starts a service on a free port. */
export const start = async ({
  hasIpfs = false,
  networks = "",
  settings = `${NETWORKS}${networks}${hasIpfs ? "" : "ipfs: { node: none }\n"}`
}: Options = {}): Promise<Service> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-console-"))
  const config = path.join(folder, "plumbline.yaml")
  writeFileSync(config, settings)
  const args = ["up", "--json", "--port", "0", "--config", config, "--data", path.join(folder, "data")]
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const line = await firstLine(child)
  const announced = JSON.parse(line) as Omit<Service, "folder" | "pid" | "stop">
  const { adminToken, adminUrl, apiKey, apiKeySecret, url } = announced
  return {
    url,
    ...(adminUrl === undefined ? {} : { adminUrl }),
    apiKey,
    apiKeySecret,
    adminToken,
    folder,
    pid: child.pid!,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve))
      child.kill("SIGKILL")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Runs a command beside the service. */
export const run = ({ folder }: Service, args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args, "--data", path.join(folder, "data")], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    let complained = ""
    child.stderr?.on("data", (chunk: Buffer) => (complained += chunk.toString()))
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("\n")) resolve(said.split("\n")[0]!)
    })
    child.once("close", () => reject(new Error(complained)))
  })
