/** Runs anvil for contracts of any size, with a client of viem. */
import * as AnvilProcess from "@plumbline/seeded/AnvilProcess"
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

export interface Anvil extends AnvilProcess.AnvilProcess {
  readonly client: TestClient & PublicActions & WalletActions
  /**
   * Returns a new account for each deployment, because many tests run at the same time and nonces of one account would
   * collide.
   */
  readonly account: () => Hex
}

/** Timeout in milliseconds. It is long, because EVMs and compilers of other tests block this process. */
const PATIENCE = 120_000

export const start = async (): Promise<Anvil> => {
  const anvil = await AnvilProcess.start(["--disable-code-size-limit", "--gas-limit", "1000000000", "--accounts", "20"])
  const { url } = anvil
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
    [Symbol.asyncDispose]: () => anvil[Symbol.asyncDispose]()
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
