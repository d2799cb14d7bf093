/** The HTTP clients that a program may use, and IPFS clients over them. */
import { NodeHttpClient } from "@effect/platform-node"
import { IpfsClient, type IpfsError } from "@plumbline/ipfs-client"
import { Effect, Layer, type Scope } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"

/** The HTTP clients by name. `fetch` cannot see trailers. */
export const httpClients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  fetch: FetchHttpClient.layer,
  undici: NodeHttpClient.layerUndici,
  "node:http": NodeHttpClient.layerNodeHttp
}

/** Makes an IPFS client over one of the HTTP clients. */
export const over = (
  client: Layer.Layer<HttpClient.HttpClient>,
  options: IpfsClient.IpfsClientOptions
): Effect.Effect<IpfsClient.Client, IpfsError.IpfsError, Scope.Scope> =>
  Effect.flatMap(Layer.build(client), (context) => Effect.provideContext(IpfsClient.make(options), context))

/** Makes an IPFS client over undici. */
export const make = (options: IpfsClient.IpfsClientOptions) => over(NodeHttpClient.layerUndici, options)

/** Makes an IPFS client over undici for a URL. */
export const to = (url: string) => make({ url })
