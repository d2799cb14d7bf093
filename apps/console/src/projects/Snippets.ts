/** Programs to paste: they call the service with a project's key. */

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

/** A program, with the name of its language. */
export interface Snippet {
  readonly name: "curl" | "viem" | "Effect" | "kubo-rpc-client"
  /** The sentence above the program. It says how to run the program. */
  readonly how: string
  readonly text: string
}

/** The placeholder for a key that is no longer shown. */
export const YOUR_KEY = "YOUR_KEY"
/** The placeholder for a secret that is no longer shown. */
export const YOUR_SECRET = "YOUR_SECRET"

/** Returns the programs for the networks that the project may use. */
export const snippets = (facts: Facts): ReadonlyArray<Snippet> => [
  ...(facts.network === undefined ? [] : ofNetwork(facts, facts.network)),
  ...(facts.hasIpfs ? [ofIpfs(facts)] : [])
]

const ofNetwork = (
  { apiKey = YOUR_KEY, apiKeySecret = YOUR_SECRET, secretRequired, url }: Facts,
  network: string
): ReadonlyArray<Snippet> => {
  const target = `${url}/${network}/v3/${apiKey}`
  const pair = `${apiKey}:${apiKeySecret}`
  return [
    {
      name: "curl",
      how: "In a shell.",
      text: `curl ${target} \\${secretRequired ? `\n  --user ${pair} \\` : ""}
  --header "content-type: application/json" \\
  --data '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`
    },
    {
      name: "viem",
      how: "npm install viem, then node file.mjs.",
      text: secretRequired
        ? `import { createPublicClient, http } from "viem"

const client = createPublicClient({
  transport: http("${target}", {
    fetchOptions: { headers: { authorization: "Basic " + btoa("${pair}") } }
  })
})
console.log(await client.getBlockNumber())`
        : `import { createPublicClient, http } from "viem"

const client = createPublicClient({
  transport: http("${target}")
})
console.log(await client.getBlockNumber())`
    },
    {
      name: "Effect",
      how: "npm install effect @plumbline/eth-methods, then node file.mjs.",
      text: secretRequired
        ? `import { EthClient } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

const transport = HttpTransport.layer({
  url: "${target}",
  headers: { authorization: "Basic " + btoa("${pair}") }
})
const number = EthClient.EthClient.use((eth) => eth.blockNumber)
const program = Effect.provide(number, Layer.provide(EthClient.layer(), transport))
console.log(await Effect.runPromise(program))`
        : `import { EthClient } from "@plumbline/eth-methods"
import { Effect } from "effect"

const number = EthClient.EthClient.use((eth) => eth.blockNumber)
const program = Effect.provide(number, EthClient.layerUrl("${target}"))
console.log(await Effect.runPromise(program))`
    }
  ]
}

const ofIpfs = ({ apiKey = YOUR_KEY, apiKeySecret = YOUR_SECRET, url }: Facts): Snippet => ({
  name: "kubo-rpc-client",
  how: "npm install kubo-rpc-client, then node file.mjs. IPFS takes the secret with every command.",
  text: `import { create } from "kubo-rpc-client"

const ipfs = create({
  url: "${url}/api/v0",
  headers: { authorization: "Basic " + btoa("${apiKey}:${apiKeySecret}") }
})
const { cid } = await ipfs.add("Hello from a project")
console.log(cid.toString())`
})
