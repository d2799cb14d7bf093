/** The flags that every command about IPFS has: the node to ask, and the key for it. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

import type { DataError } from "../files/DataError.ts"
import * as DataFolder from "../home/DataFolder.ts"
import type { NoServiceError } from "../home/ServiceFile.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as ChainNodeEndpoint from "../node/NodeEndpoint.ts"
import * as RetryFlags from "../node/RetryFlags.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** The values of the flags. */
export interface IpfsFlags extends RetryFlags.RetryFlags {
  readonly url: Option.Option<Redacted.Redacted>
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly apiKeySecret: Option.Option<Redacted.Redacted>
  readonly json: boolean
  readonly data: Option.Option<string>
}

/** The flags, to be used in the config of a command. */
export const flags: { readonly [Name in keyof IpfsFlags]: Flag.Flag<IpfsFlags[Name]> } = {
  url: Flag.Redacted("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "Any service or node with the IPFS HTTP API, Kubo's too (default: the service that `plumbline up` started)"
    ),
    Flag.optional
  ),
  apiKey: Flag.Redacted("api-key").pipe(
    Flag.withMetavar("key"),
    Flag.withDescription("The API key for --url (default: the one in the URL, else $PLUMBLINE_API_KEY)"),
    Flag.optional
  ),
  apiKeySecret: Flag.Redacted("api-key-secret").pipe(
    Flag.withMetavar("secret"),
    Flag.withDescription(
      "Its secret (default: the password in the URL, else $PLUMBLINE_API_KEY_SECRET, which other users of this machine cannot see)"
    ),
    Flag.optional
  ),
  ...RetryFlags.flags,
  json: JsonFlag.flag,
  data: DataFolder.flag
}

/** The path argument of the commands that read one file, directory or block. */
export const path: Argument.Argument<string> = Argument.String("path").pipe(
  Argument.withDescription(
    "A CID, a path that begins with one (/ipfs/<cid>/docs/readme.md, with or without /ipfs/), or an address (ipfs://<cid>/docs)"
  )
)

/** A node: the URL of its API, and a key with its secret, if it requires one. */
export interface IpfsEndpoint {
  readonly url: Redacted.Redacted
  readonly apiKey?: Redacted.Redacted
  readonly apiKeySecret?: Redacted.Redacted
}

/** Returns the node that the flags name; without `--url`, the service that runs from the data folder, with its key. */
export const endpoint = Effect.fnUntraced(function* (
  flags: IpfsFlags
): Effect.fn.Return<IpfsEndpoint, UsageError | NoServiceError | DataError, FileSystem.FileSystem | Path.Path> {
  if (Option.isSome(flags.url)) return yield* named(flags.url.value, flags)
  if (Option.isSome(flags.apiKey) || Option.isSome(flags.apiKeySecret)) {
    return yield* new UsageError({ problem: "--api-key needs --url. The service that runs here has its own key" })
  }
  const service = yield* ServiceFile.running(yield* DataFolder.resolve(flags.data))
  const { apiKey, apiKeySecret, ipfsUrl, url } = service
  return {
    url: Redacted.make(ipfsUrl ?? url),
    apiKey: Redacted.make(apiKey),
    apiKeySecret: Redacted.make(apiKeySecret)
  }
})

const named = Effect.fnUntraced(function* (given: Redacted.Redacted, flags: IpfsFlags) {
  const text = Redacted.value(given)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return yield* new UsageError({ problem: "--url must be an http:// or https:// URL" })
  }
  const isGiven = Option.isSome(flags.apiKey) || Option.isSome(flags.apiKeySecret)
  // Credentials in the URL are for this node; the key in the environment may be for another node.
  if (!isGiven && (url.username !== "" || url.password !== "")) return { url: given }
  const inEnvironment = yield* Effect.orDie(variables)
  // A pasted URL for JSON-RPC calls contains the key too.
  const [, path, key] = /^(.*)\/v3\/([^/]+)\/?$/u.exec(url.pathname) ?? []
  // In the URL of one network, `/history/v3/<key>`, the name of the network is dropped, because IPFS commands belong
  // to no network. On other hosts the part before `/v3/` is kept, because it may be a proxy's prefix.
  const before =
    ChainNodeEndpoint.isLocal(url.hostname) && ChainNodeEndpoint.networkInPath(url) !== undefined ? "" : path
  const inPath = key === undefined ? Option.none() : Option.some(Redacted.make(key))
  if (before !== undefined) url.pathname = before
  const base = before === undefined ? given : Redacted.make(url.href)
  const apiKey = flags.apiKey.pipe(
    Option.orElse(() => inPath),
    Option.orElse(() => inEnvironment.apiKey)
  )
  const apiKeySecret = Option.orElse(flags.apiKeySecret, () => inEnvironment.apiKeySecret)
  if (Option.isNone(apiKey) && Option.isNone(apiKeySecret)) return { url: given }
  if (Option.isNone(apiKey) || Option.isNone(apiKeySecret)) {
    const missing = Option.isNone(apiKey) ? "--api-key" : "--api-key-secret"
    return yield* new UsageError({ problem: `${missing}: a key and its secret stand together` })
  }
  return { url: base, apiKey: apiKey.value, apiKeySecret: apiKeySecret.value }
})

const variables = Config.all({
  apiKey: Config.option(Config.Redacted("PLUMBLINE_API_KEY")),
  apiKeySecret: Config.option(Config.Redacted("PLUMBLINE_API_KEY_SECRET"))
})
