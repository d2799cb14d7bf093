/** Programs to paste: they call the service with a project's key. */
import * as Program from "../programs/Program.ts"

/** The facts that a program holds. */
export interface Facts {
  /** The origin of the service. */
  readonly url: string
  /** A network that the project may use; undefined without one. */
  readonly network: string | undefined
  readonly hasIpfs: boolean
  readonly secretRequired: boolean
  /** The key; undefined once it is no longer shown. */
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
}

/** Returns the programs for the networks that the project may use. */
export const snippets = (facts: Facts): ReadonlyArray<Program.Explained> => [
  ...(facts.network === undefined ? [] : ofNetwork(facts, facts.network)),
  ...(facts.hasIpfs ? [ofIpfs(facts)] : [])
]

const ofNetwork = (
  { apiKey = Program.YOUR_KEY, apiKeySecret, secretRequired, url }: Facts,
  network: string
): ReadonlyArray<Program.Explained> => {
  const target = `${url}/${network}/v3/${apiKey}`
  const pair = secretRequired ? Program.pairOf(apiKey, apiKeySecret) : undefined
  return [
    {
      name: "curl",
      how: "In a shell.",
      text: Program.curl(
        target,
        { method: "eth_blockNumber", params: [] },
        ...(pair === undefined ? [] : [`--user ${Program.quoted(pair)}`])
      )
    },
    {
      ...Program.viem(target, "await client.getBlockNumber()", pair),
      how: "npm install viem, then node file.mjs."
    },
    {
      name: "Effect",
      how: "npm install effect @plumbline/eth-methods, then node file.mjs.",
      text: effect(target, pair)
    }
  ]
}

const effect = (target: string, pair: string | undefined): string => {
  const clients = pair === undefined ? "" : `import { HttpTransport } from "@plumbline/jsonrpc-core"\n`
  const layer =
    pair === undefined
      ? `EthClient.layerUrl("${target}")`
      : `Layer.provide(EthClient.layer(), ${Program.transport(target, pair)})`
  return `import { EthClient } from "@plumbline/eth-methods"
${clients}import { Effect${pair === undefined ? "" : ", Layer"} } from "effect"

const number = EthClient.EthClient.use((eth) => eth.blockNumber)
const client = ${layer}
console.log(await Effect.runPromise(Effect.provide(number, client)))`
}

const ofIpfs = ({ apiKey, apiKeySecret, url }: Facts): Program.Explained => ({
  ...Program.kubo(
    url,
    `const { cid } = await ipfs.add("Hello from a project")\nconsole.log(cid.toString())`,
    Program.pairOf(apiKey, apiKeySecret)
  ),
  how: "npm install kubo-rpc-client, then node file.mjs. IPFS takes the secret with every command."
})
