/** Starts the service with an exchange on its embedded chain, and `plumbline proxy --checkpoint` in front of it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { Anvil, PreparedState } from "@plumbline/devnet"

import { type Listening, listen } from "../clients/listeningCommand.ts"
import { reached } from "./playSession.ts"
import { deploy, type Exchange } from "./tokenExchange.ts"

/** The node with the exchange, and the proxy before it. `await using` ends both. */
export interface ExchangeProxy extends AsyncDisposable {
  readonly node: string
  readonly proxy: Listening
  readonly exchange: Exchange
}

/**
 * Starts both, deploys the exchange, and waits until the proxy has it. The proxy trusts the checkpoint that the service
 * announced, and refuses what nothing proves.
 */
export const openExchange = async (): Promise<ExchangeProxy> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-dapp-"))
  await using started = new AsyncDisposableStack()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const service = started.use(await listen(["up", "--data", path.join(folder, "service")]))
  const { apiKey, beaconNetwork, beaconUrl, checkpoint, url } = service as Listening &
    Readonly<Record<"apiKey" | "beaconNetwork" | "beaconUrl" | "checkpoint", string>>
  const node = `${url}/live/v3/${apiKey}`
  const trust = ["--checkpoint", checkpoint, "--beacon", beaconUrl, "--beacon-network", beaconNetwork]
  const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", Anvil.defaults.hardfork]
  const data = ["--data", path.join(folder, "proxy")]
  const proxy = started.use(await listen(["proxy", "--url", node, "--poll", "0.5", ...data, ...trust, ...rules]))
  const exchange = await deploy(node)
  await reached(proxy.url, node, exchange.done.at(-1)!)
  const all = started.move()
  return { node, proxy, exchange, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
