/** Runs ponder, unchanged, over a node, and reads the tables that it fills. */
import { spawn } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { PreparedState } from "@plumbline/devnet"
import { freePort } from "@plumbline/gateway/support/ports"
import * as NpmFolder from "@plumbline/seeded/NpmFolder"

import { abiOf, type Exchange, owner, pools } from "../dapp/tokenExchange.ts"

const NAME = "ponder"

/** The rows of each table, as JSON. */
export type Tables = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** A running indexer. `await using` ends it. */
export interface Indexer extends AsyncDisposable {
  /** Returns the tables; undefined until the indexer has read what it calls history. */
  readonly tables: () => Promise<Tables | undefined>
  /** The output so far, for reports of failures. */
  readonly said: () => string
  /** True if the process has ended by itself. */
  readonly isOver: () => boolean
}

/** Installs ponder and the project, once. */
export const install = async (): Promise<void> => {
  await NpmFolder.install(NAME)
  const project = path.join(NpmFolder.manifestOf(NAME), "project")
  await cp(project, path.join(NpmFolder.folderOf(NAME), "project"), { recursive: true })
}

/** Starts the indexer. With `traces`, it also asks for the traces of calls. */
export const start = async (node: string, { at }: Exchange, { traces = false } = {}): Promise<Indexer> => {
  const database = await mkdtemp(path.join(tmpdir(), "plumbline-ponder-"))
  const run = {
    chainId: PreparedState.chainId,
    node,
    folder: database,
    trader: owner,
    traces,
    contracts: {
      Coin: { abi: abiOf("Coin"), at: ["weth", "usd", "dai", "uni"].map((name) => at[name]) },
      Pool: { abi: abiOf("Pool"), at: pools.map(([name]) => at[name]) }
    }
  }
  const port = await freePort()
  const folder = NpmFolder.folderOf(NAME)
  const program = path.join(folder, "node_modules/ponder/dist/esm/bin/ponder.js")
  const child = spawn(process.execPath, [program, "start", "--schema", "tables", "--port", String(port)], {
    cwd: path.join(folder, "project"),
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: database,
      PONDER_TELEMETRY_DISABLED: "1",
      INDEXER_RUN: JSON.stringify(run)
    }
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-MAX_SAID)
    })
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const url = `http://127.0.0.1:${port}`
  return {
    said: () => said,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    tables: async () => {
      const ready = await fetch(`${url}/ready`).catch(() => undefined)
      if (ready?.status !== 200) return undefined
      const answer = await fetch(`${url}/tables`)
      return answer.ok ? ((await answer.json()) as Tables) : undefined
    },
    [Symbol.asyncDispose]: async () => {
      process.off("exit", kill)
      child.kill("SIGTERM")
      const late = setTimeout(5000, undefined, { ref: false }).then(kill)
      await Promise.race([ended, late])
      await ended
      await rm(database, { recursive: true, force: true })
    }
  }
}

/** Characters of what the indexer said that are kept. */
const MAX_SAID = 20_000
