/** Programs to paste: they call the service with a project's key. */
import * as Redacted from "effect/Redacted"

import * as ProgramParts from "../programs/ProgramParts.ts"
import type { NewSecret } from "./NewSecrets.ts"
import type { ProjectRead } from "./projectReads.ts"

/** The facts that a program holds. */
export interface ProgramFacts {
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
export const projectPrograms = (facts: ProgramFacts): ReadonlyArray<ProgramParts.Explained> => [
  ...(facts.network === undefined ? [] : ofNetwork(facts, facts.network)),
  ...(facts.hasIpfs ? [ofIpfs(facts)] : [])
]

/** Returns the programs of a project, for the service at `url`. They contain the key while the page shows it. */
export const programsOf = (
  { access, project }: ProjectRead,
  url: string,
  secret: NewSecret | undefined
): ReadonlyArray<ProgramParts.Explained> => {
  const open = access.places.filter(({ refused }) => refused === null || refused === "suspended")
  return projectPrograms({
    url,
    network: open.find(({ product }) => product === "rpc")?.name,
    hasIpfs: open.some(({ product }) => product === "ipfs"),
    secretRequired: project.secretRequired,
    apiKey: secret === undefined ? undefined : Redacted.value(secret.apiKey),
    apiKeySecret: secret === undefined ? undefined : Redacted.value(secret.apiKeySecret)
  })
}

const ofNetwork = (
  { apiKey = ProgramParts.YOUR_KEY, apiKeySecret, secretRequired, url }: ProgramFacts,
  network: string
): ReadonlyArray<ProgramParts.Explained> => {
  const target = `${url}/${network}/v3/${apiKey}`
  const pair = secretRequired ? ProgramParts.pairOf(apiKey, apiKeySecret) : undefined
  return [
    {
      name: "curl",
      how: "In a shell.",
      text: ProgramParts.curl(
        target,
        { method: "eth_blockNumber", params: [] },
        ...(pair === undefined ? [] : [`--user ${ProgramParts.quoted(pair)}`])
      )
    },
    {
      ...ProgramParts.viem(target, "await client.getBlockNumber()", pair),
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
      : `Layer.provide(EthClient.layer(), ${ProgramParts.transport(target, pair)})`
  return `import { EthClient } from "@plumbline/eth-methods"
${clients}import { Effect${pair === undefined ? "" : ", Layer"} } from "effect"

const number = EthClient.EthClient.use((eth) => eth.blockNumber)
const client = ${layer}
console.log(await Effect.runPromise(Effect.provide(number, client)))`
}

const ofIpfs = ({ apiKey, apiKeySecret, url }: ProgramFacts): ProgramParts.Explained => ({
  ...ProgramParts.kubo(
    url,
    `const { cid } = await ipfs.add("Hello from a project")\nconsole.log(cid.toString())`,
    ProgramParts.pairOf(apiKey, apiKeySecret)
  ),
  how: "npm install kubo-rpc-client, then node file.mjs. IPFS takes the secret with every command."
})
