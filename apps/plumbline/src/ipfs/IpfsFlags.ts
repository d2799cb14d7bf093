/** The flags of the commands about IPFS. All have the node to ask, and the key for it. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

import * as NamedContentFlags from "../ens/NamedContentFlags.ts"
import type { DataError } from "../files/DataError.ts"
import * as DataFolder from "../home/DataFolder.ts"
import type { NoServiceError } from "../home/ServiceFile.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as ChainNodeEndpoint from "../node/NodeEndpoint.ts"
import * as RetryFlags from "../node/RetryFlags.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import { UsageError } from "../terminal/UsageError.ts"

export const flags = {
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

export type IpfsFlags = Command.Command.Config.Infer<typeof flags>

const recursive = Flag.Boolean("recursive").pipe(
  Flag.withAlias("r"),
  Flag.withDescription("Include everything that the content links to (default: yes)"),
  Flag.withDefault(true)
)

const pinned = Argument.String("path").pipe(
  Argument.withDescription("CIDs, or paths that begin with one"),
  Argument.atLeast(1)
)

const namedPath = Argument.String("path").pipe(
  Argument.withDescription(
    "A CID, a path that begins with one (/ipfs/<cid>/docs/readme.md, with or without /ipfs/), or an address: ipfs://<cid>/docs, or ens://alice.eth/docs for the content of an ENS name"
  )
)

const path = Argument.String("path").pipe(
  Argument.withDescription(
    "A CID, a path that begins with one (/ipfs/<cid>/docs/readme.md, with or without /ipfs/), or an address (ipfs://<cid>/docs)"
  )
)

/** The flags of each command. `one` is of the commands that read one block. */
export const commands = {
  one: { path, ...flags },
  ls: { path: namedPath, ...flags, ...NamedContentFlags.flags },
  add: {
    paths: Argument.String("path").pipe(
      Argument.withDescription("Files and directories, with all their contents; - is standard input"),
      Argument.atLeast(1)
    ),
    recursive: Flag.Boolean("recursive").pipe(
      Flag.withAlias("r"),
      Flag.withDescription("Directories too (default: yes)"),
      Flag.withDefault(true)
    ),
    wrap: Flag.Boolean("wrap").pipe(
      Flag.withAlias("w"),
      Flag.withoutNegation,
      Flag.withDescription("Put everything into one directory, which keeps the names"),
      Flag.withDefault(false)
    ),
    pin: Flag.Boolean("pin").pipe(
      Flag.withDescription("Pin the content, so that the node keeps it (default: yes)"),
      Flag.withDefault(true)
    ),
    cidVersion: Flag.Literals("cid-version", ["0", "1"]).pipe(
      Flag.withDescription("The version of CIDs (default: 0; with another hash than sha2-256: 1)"),
      Flag.optional
    ),
    rawLeaves: Flag.Boolean("raw-leaves").pipe(
      Flag.withDescription("Chunks without a frame (default: with CIDs of version 1)"),
      Flag.optional
    ),
    chunker: Flag.String("chunker").pipe(
      Flag.withAlias("s"),
      Flag.withMetavar("size-<bytes>"),
      Flag.withDescription("Chunker of files (default: size-262144)"),
      Flag.optional
    ),
    hash: Flag.String("hash").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("The hash function (default: sha2-256)"),
      Flag.optional
    ),
    hidden: Flag.Boolean("hidden").pipe(
      Flag.withAlias("H"),
      Flag.withoutNegation,
      Flag.withDescription("Also add files in directories whose names begin with a dot"),
      Flag.withDefault(false)
    ),
    dereferenceArgs: Flag.Boolean("dereference-args").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Follow symlinks among the arguments; symlinks in directories stay symlinks"),
      Flag.withDefault(false)
    ),
    ...flags
  },
  cat: {
    path: namedPath,
    offset: Flag.Int("offset").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("bytes"),
      Flag.withDescription("First byte (default: 0)"),
      Flag.optional
    ),
    length: Flag.Int("length").pipe(
      Flag.withAlias("l"),
      Flag.withMetavar("bytes"),
      Flag.withDescription("Maximum number of bytes (default: to the end)"),
      Flag.optional
    ),
    ...flags,
    ...NamedContentFlags.flags
  },
  get: {
    path: namedPath,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withMetavar("path"),
      Flag.withDescription(
        "Path to write to; an existing directory, to write into it; or - for standard output, which takes a file (default: the current directory)"
      ),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withAlias("f"),
      Flag.withoutNegation,
      Flag.withDescription("Replace existing files"),
      Flag.withDefault(false)
    ),
    ...flags,
    ...NamedContentFlags.flags
  },
  pinAdd: {
    paths: pinned,
    recursive,
    name: Flag.String("name").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("text"),
      Flag.withDescription("Name of the pin, on nodes that keep names"),
      Flag.optional
    ),
    ...flags
  },
  pinRm: { paths: pinned, recursive, ...flags },
  pinLs: {
    paths: Argument.String("path").pipe(
      Argument.withDescription("CIDs, or paths that begin with one (default: all pins)"),
      Argument.variadic()
    ),
    type: Flag.Literals("type", ["all", "direct", "indirect", "recursive"]).pipe(
      Flag.withAlias("t"),
      Flag.withDescription("Which pins (default: all)"),
      Flag.withDefault("all")
    ),
    names: Flag.Boolean("names").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Print the names of the pins too"),
      Flag.withDefault(false)
    ),
    ...flags
  }
}

export type IpfsCommandFlags = Command.Command.Config.Infer<typeof commands>

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
