/**
 * Keeps a service with limits and usage saturated with calls to a node, and reads what the service holds and how long it
 * works without a break. The service is the one that `pnpm lab costs` measures.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as Node from "../../bench/costsNode.ts"
import type { Held, Setup } from "../../bench/costsService.ts"
import * as Load from "../../bench/load.ts"
import { ADDRESS } from "./methods.ts"

const KEY = "00112233445566778899aabbccddeeff"
const CONNECTIONS = 64
const service = path.join(import.meta.dirname, "../../bench/costsService.ts")

/** The state of the service after a window of calls. */
export interface Window extends Held {
  /** Number of calls since the start. */
  readonly calls: number
}

/** Saturates the service, and hands each window of this many calls to `onWindow`, until that returns false. */
export const run = async (calls: number, onWindow: (window: Window) => boolean): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-saturation-"))
  const node = await Node.start(`"0x${"00".repeat(31)}2a"`)
  const setup: Setup = {
    key: KEY,
    limited: true,
    metered: true,
    place: ["sqlite", path.join(folder, "state.db")],
    source: { node: node.url, client: "plain" }
  }
  const child = fork(service, [JSON.stringify(setup)], {
    execArgv: ["--disable-warning=ExperimentalWarning", "--expose-gc"]
  })
  const ended = once(child, "exit")
  const stopped = ended.then(([code]): never => {
    throw new Error(`the service ended with ${code}`)
  })
  stopped.catch(() => undefined)
  const told = async <A>(): Promise<A> => ((await Promise.race([once(child, "message"), stopped])) as [A])[0]
  try {
    const port = await told<number>()
    const params = [ADDRESS, "0x0", "latest"]
    const request = Load.post(
      `/v3/${KEY}`,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getStorageAt", params })
    )
    const load = await Load.connect(port, request, CONNECTIONS)
    for (let sent = calls; ; sent += calls) {
      await Promise.race([load.run(calls), stopped])
      child.send("held")
      if (!onWindow({ calls: sent, ...(await told<Held>()) })) break
    }
    load.close()
  } finally {
    if (child.connected) child.disconnect()
    await ended
    node.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
