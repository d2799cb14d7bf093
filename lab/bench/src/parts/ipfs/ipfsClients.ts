/** The clients of the IPFS rows, over one service in a separate process: our client, our proving client, and Kubo's. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

import { NodeHttpClient } from "@effect/platform-node"
import { Cid, IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, ManagedRuntime, Redacted, Stream } from "effect"
import * as Kubo from "kubo-rpc-client"

/** Adds one file and returns its CID, or reads one file and passes on its bytes. */
export interface Contender {
  readonly addStream: (pieces: () => Iterable<Uint8Array>) => Promise<string>
  readonly addBytes: (bytes: Uint8Array) => Promise<string>
  readonly cat: (cid: string, take: (bytes: Uint8Array) => void) => Promise<void>
  readonly close: () => Promise<void>
}

interface Endpoint {
  readonly url: string
  readonly headers: { readonly authorization: string }
}

/** Starts our service on an embedded node with an empty folder. */
export const service = async () => {
  const script = fileURLToPath(import.meta.resolve("@plumbline/ipfs/src/bench/measuredService.ts"))
  const child = fork(script, { execArgv: ["--disable-warning=ExperimentalWarning"] })
  const [endpoint] = (await once(child, "message")) as [Endpoint]
  const close = async () => {
    const exited = once(child, "exit")
    child.disconnect()
    await exited
  }
  return { endpoint, close }
}

/** Our client over undici. With `isProven`, it computes CIDs itself and checks each block. */
export const ours = ({ headers, url }: Endpoint, isProven: boolean): Contender => {
  const [apiKey, secret] = Buffer.from(headers.authorization.split(" ")[1]!, "base64").toString().split(":")
  const plain = IpfsClient.layer({ url, apiKey: apiKey!, apiKeySecret: Redacted.make(secret!) }).pipe(
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const runtime = ManagedRuntime.make(isProven ? ProvenIpfsClient.layer().pipe(Layer.provide(plain)) : plain)
  const run = <A>(use: (ipfs: IpfsClient.AnyClient) => Effect.Effect<A, IpfsClient.IpfsFailure>) =>
    runtime.runPromise(IpfsClient.IpfsClient.use(use))
  return {
    addStream: (pieces) =>
      run((ipfs) => Effect.map(ipfs.add({ content: Stream.fromIterable(pieces()) }), ({ cid }) => String(cid))),
    addBytes: (content) => run((ipfs) => Effect.map(ipfs.add({ content }), ({ cid }) => String(cid))),
    cat: (cid, take) =>
      run((ipfs) =>
        Stream.runForEach(ipfs.cat(Cid.fromTextUnsafe(cid)), (bytes) =>
          Effect.sync(() => {
            take(bytes)
          })
        )
      ),
    close: () => runtime.dispose()
  }
}

export const kubo = ({ headers, url }: Endpoint): Contender => {
  const client = Kubo.create({ url: `${url}/api/v0`, headers: { ...headers } })
  return {
    addStream: async (pieces) => String((await client.add(pieces())).cid),
    addBytes: async (bytes) => String((await client.add(bytes)).cid),
    cat: async (cid, take) => {
      for await (const bytes of client.cat(cid)) take(bytes)
    },
    close: () => Promise.resolve()
  }
}
