/** A daemon of js-ipfs, offline, on free ports of this machine, with a repository of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import { program } from "./workspace.ts"

export interface Daemon {
  readonly url: string
  readonly pid: number
  readonly version: string
  readonly stop: () => Promise<void>
}

/** How long it may take until it listens, in milliseconds. */
const PATIENCE = 60_000

/** Starts it. It asks nobody: no peers, no discovery. */
export const start = async (): Promise<Daemon> => {
  const folder = await mkdtemp(path.join(tmpdir(), "js-ipfs-"))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const env = { ...process.env, IPFS_PATH: path.join(folder, "repository") }
    const config = path.join(folder, "config.json")
    await writeFile(config, JSON.stringify(CONFIGURATION))
    await promisify(execFile)(process.execPath, [program, "init", config], { env })
    const child = spawn(process.execPath, [program, "daemon", "--offline"], {
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const said = await until(child, "Daemon is ready")
    const port = /HTTP API listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/u.exec(said)?.[1]
    return {
      url: `http://127.0.0.1:${port}`,
      pid: child.pid!,
      version: /js-ipfs version: (\S+)/u.exec(said)?.[1] ?? "unknown",
      stop: async () => {
        await end(child)
        await remove()
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** No peers, no discovery, and any free ports of this machine. */
const CONFIGURATION = {
  Addresses: {
    Swarm: [],
    Announce: [],
    NoAnnounce: [],
    Delegates: [],
    API: "/ip4/127.0.0.1/tcp/0",
    Gateway: "/ip4/127.0.0.1/tcp/0",
    RPC: "/ip4/127.0.0.1/tcp/0"
  },
  Bootstrap: [],
  Discovery: { MDNS: { Enabled: false, Interval: 10 }, webRTCStar: { Enabled: false } },
  Pubsub: { Enabled: false },
  Swarm: { ConnMgr: { LowWater: 5, HighWater: 20 }, DisableNatPortMap: true }
}

/** What a process said until it said this. */
const until = (child: ChildProcess, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    const giveUp = (why: string) => {
      void end(child).then(() => reject(new Error(`js-ipfs ${why}: ${said.slice(-300)}`)))
    }
    const timer = setTimeout(() => giveUp("does not become ready"), PATIENCE)
    child.once("close", () => {
      clearTimeout(timer)
      giveUp("ended")
    })
    const hear = (data: Buffer): void => {
      said += data.toString()
      if (!said.includes(words)) return
      clearTimeout(timer)
      resolve(said)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
  })

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await exited
  clearTimeout(timer)
}
