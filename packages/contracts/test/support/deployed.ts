/** The contracts of `Subjects.sol` on anvil, compiled by solc and deployed by viem. */
import { fileURLToPath } from "node:url"

import { Hash32 } from "@plumbline/codec"
import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import * as AnvilProcess from "@plumbline/seeded/AnvilProcess"
import * as Polling from "@plumbline/seeded/Polling"
import * as Solidity from "@plumbline/seeded/Solidity"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Context, Effect, Layer, Result } from "effect"
import * as viem from "viem"

const SUBJECTS = fileURLToPath(new URL("../contracts/Subjects.sol", import.meta.url))

/** A contract, with the ABI that solc wrote. */
export interface DeployedArtifact {
  readonly address: viem.Hex
  readonly abi: viem.Abi
}

/** The contracts, the node, and what other libraries need to reach it. */
export class Deployed extends Context.Service<
  Deployed,
  {
    readonly url: string
    readonly client: viem.PublicClient
    readonly subject: DeployedArtifact
    readonly token: DeployedArtifact
    /** Calls a function in a transaction, and returns the hash of its block. */
    readonly send: (contract: DeployedArtifact, name: string, args: ReadonlyArray<unknown>) => Promise<Hash32.Hash32>
    readonly account: viem.Hex
  }
>()("test/Deployed") {
  static readonly layer = Layer.effect(
    Deployed,
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => AnvilProcess.start()),
        (anvil) => Effect.promise(() => anvil[Symbol.asyncDispose]())
      )
      const chain = viem.defineChain({
        id: 31_337,
        name: "anvil",
        nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
        rpcUrls: { default: { http: [url] } }
      })
      const transport = viem.http(url)
      const client = viem.createPublicClient({ chain, transport, pollingInterval: 20 })
      const wallet = viem.createWalletClient({ chain, transport })
      return yield* Effect.promise(async () => {
        const [account] = await wallet.getAddresses()
        const artifacts = Solidity.contractsIn(SUBJECTS)
        const deploy = async (name: string): Promise<DeployedArtifact> => {
          const { abi, creationCode } = artifacts[name]!
          const hash = await wallet.deployContract({ abi, bytecode: creationCode, account: account!, args: [] })
          const { contractAddress } = await receiptOf(client, hash)
          return { abi, address: contractAddress!.toLowerCase() as viem.Hex }
        }
        const subject = await deploy("Subject")
        const token = await deploy("Token")
        let last: Promise<unknown> = Promise.resolve()
        const send: Deployed["Service"]["send"] = ({ abi, address }, functionName, args) => {
          // one after the other, because they share a nonce
          const sent = last.then(async () => {
            const hash = await wallet.writeContract({ abi, address, functionName, args, account: account! })
            return Hash32.fromHexUnsafe((await receiptOf(client, hash)).blockHash)
          })
          last = sent
          return sent
        }
        // so that the storage of the contract is not empty
        await send(subject, "emitAll", [account])
        return {
          url,
          client,
          subject,
          token,
          account: account!.toLowerCase() as viem.Hex,
          send
        }
      })
    })
  )
}

/** The requests of a transport, packet by packet. */
export type Packets = Array<ReadonlyArray<string>>

/** Changes an answer of the node. */
export type Lie = (method: string, answer: any, params: ReadonlyArray<any>) => unknown

const honest: Lie = (_, answer) => answer

const wire = (url: string, packets: Packets, lie: Lie = honest): Layer.Layer<Transport.Transport> => {
  const counted = Layer.effect(
    Transport.Transport,
    Effect.map(Transport.Transport, (inner) => ({
      ...inner,
      call: (call: Transport.WireCall) => {
        packets.push([call.method])
        return Effect.map(inner.call(call), (answer) => lie(call.method, answer, call.params))
      },
      callAll: (calls: ReadonlyArray<Transport.WireCall>) => {
        packets.push(calls.map(({ method }) => method))
        return Effect.map(inner.callAll(calls), (answers) =>
          answers.map((answer, at) => {
            const { method, params } = calls[at]!
            return Result.map(answer, (answer) => lie(method, structuredClone(answer), params))
          })
        )
      }
    }))
  ).pipe(Layer.provide(HttpTransport.layer({ url })))
  return Transport.through(counted, Batching.make())
}

const engine = VerifiedCalls.layer({ chain: Hardforks.always(31_337n, "osaka") })

/** Uses a client whose answers are the node's word. */
export const plainly = <A, E>(program: (eth: EthClient.Client) => Effect.Effect<A, E>, packets: Packets = []) =>
  Effect.flatMap(Deployed, ({ url }) =>
    Effect.provide(EthClient.EthClient.use(program), EthClient.layer().pipe(Layer.provide(wire(url, packets))))
  )

/** Uses a client with plain and proven answers, under a trusted block. */
export const provenly = <A, E>(
  trusted: Hash32.Hash32,
  program: (eth: ProvenEthClient.Client) => Effect.Effect<A, E>,
  packets: Packets = []
) =>
  Effect.flatMap(Deployed, ({ url }) =>
    Effect.provide(
      ProvenEthClient.ProvenEthClient.use(program),
      ProvenEthClient.layer().pipe(Layer.provide([wire(url, packets), TrustedBlock.layerPinned(trusted), engine]))
    )
  )

/** Uses a client with verdicts, under a trusted block if there is one. */
export const withVerdicts = <A, E>(
  trusted: Hash32.Hash32 | undefined,
  program: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>,
  packets: Packets = [],
  lie: Lie = honest
) =>
  Effect.flatMap(Deployed, ({ url }) =>
    Effect.provide(
      VerdictEthClient.VerdictEthClient.use(program),
      VerdictEthClient.layer().pipe(
        Layer.provide([
          wire(url, packets, lie),
          trusted === undefined ? TrustedBlock.layerNone() : TrustedBlock.layerPinned(trusted),
          engine
        ])
      )
    )
  )

/** Returns the receipt of a transaction. */
const receiptOf = (client: viem.PublicClient, hash: viem.Hex) =>
  Polling.until(() => client.request({ method: "eth_getTransactionReceipt", params: [hash] }))
