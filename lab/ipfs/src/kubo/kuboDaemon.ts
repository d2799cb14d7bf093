/** A daemon of Kubo, offline, on a free port of this machine, with a new repository. */
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import * as Daemons from "../daemon.ts"

export interface Daemon {
  readonly url: string
  /** The URL of the daemon's gateway. */
  readonly gateway: string
  readonly stop: () => Promise<void>
}

/** Starts the daemon. It connects to no other machine: no peers, no discovery, no telemetry. */
export const start = async (program: string): Promise<Daemon> => {
  const folder = await mkdtemp(path.join(tmpdir(), "kubo-"))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const env = { ...process.env, IPFS_PATH: path.join(folder, "repository"), IPFS_TELEMETRY: "off" }
    const run = (...args: ReadonlyArray<string>) => promisify(execFile)(program, args, { env })
    await run("init", "--empty-repo")
    await run("config", "Addresses", "--json", JSON.stringify(ADDRESSES))
    await run("config", "Bootstrap", "--json", "[]")
    await run("config", "AutoConf.Enabled", "--json", "false")
    await run("config", "Discovery.MDNS.Enabled", "--json", "false")
    for (const [key, value] of [
      ["DNS.Resolvers", "{}"],
      ["Routing.DelegatedRouters", "[]"],
      ["Ipns.DelegatedPublishers", "[]"]
    ]) {
      await run("config", key!, "--json", value!)
    }
    const child = spawn(program, ["daemon", "--offline"], { env, stdio: ["ignore", "pipe", "pipe"] })
    try {
      const said = await Daemons.until("Kubo", child, "Daemon is ready")
      const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/u.exec(said)?.[1]
      const gateway = /Gateway server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/u.exec(said)?.[1]
      if (port === undefined || gateway === undefined) {
        throw new Error(`Kubo does not say where it listens: ${said.slice(-300)}`)
      }
      return {
        url: `http://127.0.0.1:${port}`,
        gateway: `http://127.0.0.1:${gateway}`,
        stop: async () => {
          await Daemons.end(child)
          await remove()
        }
      }
    } catch (error) {
      await Daemons.end(child)
      throw error
    }
  } catch (error) {
    await remove()
    throw error
  }
}

const ADDRESSES = {
  Swarm: [],
  Announce: [],
  AppendAnnounce: [],
  NoAnnounce: [],
  API: "/ip4/127.0.0.1/tcp/0",
  Gateway: "/ip4/127.0.0.1/tcp/0"
}
