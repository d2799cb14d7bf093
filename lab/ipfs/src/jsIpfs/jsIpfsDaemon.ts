/** A daemon of js-ipfs, offline, on free ports of this machine, with a new repository. */
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import * as Daemons from "../daemon.ts"
import { program } from "./jsIpfsInstallation.ts"

export interface Daemon {
  readonly url: string
  readonly pid: number
  readonly version: string
  readonly stop: () => Promise<void>
}

/** Starts the daemon. It connects to no other node: no peers, no discovery. */
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
    const said = await Daemons.until("js-ipfs", child, "Daemon is ready")
    const port = /HTTP API listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/u.exec(said)?.[1]
    return {
      url: `http://127.0.0.1:${port}`,
      pid: child.pid!,
      version: /js-ipfs version: (\S+)/u.exec(said)?.[1] ?? "unknown",
      stop: async () => {
        await Daemons.end(child)
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
