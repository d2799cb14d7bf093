/** Runs anvil for contracts of any size. anvil mines transactions and returns its own proofs. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import type { Writable } from "node:stream"

import {
  type Abi,
  createTestClient,
  type Hex,
  http,
  type PublicActions,
  publicActions,
  type TestClient,
  type WalletActions,
  walletActions
} from "viem"

export interface Anvil extends AsyncDisposable {
  readonly url: string
  readonly client: TestClient & PublicActions & WalletActions
  /**
   * Returns a new account for each deployment, because many tests run at the same time and nonces of one account would
   * collide.
   */
  readonly account: () => Hex
}

const require = createRequire(import.meta.url)
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }
const name = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`
const binary = createRequire(require.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/bin/anvil`)

/** Timeout in milliseconds. It is long, because EVMs and compilers of other tests block this process. */
const PATIENCE = 120_000

/** The script that runs anvil. However this process ends, its end closes the pipe at descriptor 3, which ends anvil. */
const SCRIPT = `(read -r _ <&3 || kill -9 $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-`

export const start = async (): Promise<Anvil> => {
  const args = ["--port", "0", "--disable-code-size-limit", "--gas-limit", "1000000000", "--accounts", "20"]
  const child = spawn("/bin/sh", ["-c", SCRIPT, binary, ...args], {
    env: {},
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"]
  })
  const pipe = child.stdio[3] as Writable
  pipe.on("error", () => {})
  const ended = once(child, "exit").then(() => pipe.end("\n"))
  const port = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout!.on("data", (part) => {
      text += String(part)
      const [, found] = /Listening on 127\.0\.0\.1:(\d+)/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once("error", reject)
    void ended.then(() => reject(new Error(`anvil ended: ${text}`)))
  })
  const url = `http://127.0.0.1:${port}`
  const chain = {
    id: 31337,
    name: "anvil",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } }
  }
  const client = createTestClient({
    chain,
    mode: "anvil",
    transport: http(url, { timeout: PATIENCE }),
    pollingInterval: 10
  })
    .extend(publicActions)
    .extend(walletActions)
  const accounts = await client.getAddresses()
  let used = 0
  return {
    url,
    client,
    account: () => accounts[used++ % accounts.length]!,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await ended
    }
  }
}

export interface Deployed {
  readonly address: Hex
  /** Sends a transaction, and waits for its block. */
  readonly send: (functionName: string, args?: ReadonlyArray<unknown>) => Promise<void>
  /** Calls a getter and returns its result. */
  readonly get: (functionName: string, args?: ReadonlyArray<unknown>) => Promise<any>
}

export const deploy = async (
  anvil: Anvil,
  contract: { readonly abi: Abi; readonly creationCode: Hex }
): Promise<Deployed> => {
  const { abi, creationCode } = contract
  const { client } = anvil
  const account = anvil.account()
  const mined = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: PATIENCE })
    if (receipt.status !== "success") throw new Error(`the transaction ${hash} failed`)
    return receipt
  }
  const gas = 500_000_000n
  const chain = null
  const { contractAddress } = await mined(await client.sendTransaction({ account, chain, data: creationCode, gas }))
  const address = contractAddress!
  return {
    address,
    send: async (functionName, args = []) => {
      await mined(await client.writeContract({ abi, account, address, args, chain, functionName, gas }))
    },
    get: (functionName, args = []) => client.readContract({ abi, address, args, functionName })
  }
}
