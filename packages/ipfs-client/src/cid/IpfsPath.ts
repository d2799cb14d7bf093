/**
 * Paths of content: a CID, followed by names.
 *
 * Source: the specification of IPFS paths; `boxo/path`.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Cid from "./Cid.ts"
import { IpfsPathError } from "./IpfsPathError.ts"

export { IpfsPathError } from "./IpfsPathError.ts"

/**
 * A path: a CID and names, with or without `/ipfs/` before them; or `/ipns/` and a name. The addresses `ipfs://` and
 * `ipns://` are paths too, as browsers show them. As in Kubo, their slashes may be missing, and nothing in them is
 * percent-encoded.
 */
export type IpfsPath = string & Brand.Brand<"IpfsPath">

/** The input that commands accept for a path: a path, or a CID as text or as a value. */
export type IpfsPathInput = IpfsPath | Cid.CidText | Cid.Cid

/** Maximum length of a path in characters. */
export const MAX_LENGTH = 4096

/** A path in its parts. `root` is a CID under `ipfs`, and a name under `ipns`, which only a node can resolve. */
export interface IpfsPathParts {
  readonly namespace: "ipfs" | "ipns"
  readonly root: string
  readonly names: ReadonlyArray<string>
}

/**
 * Reads a path.
 *
 * ```ts import.meta.vitest
 * import { IpfsPath } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * Result.isSuccess(IpfsPath.fromText("/ipfs/bafkqaaqha4/readme.md")) // => true
 * Result.isSuccess(IpfsPath.fromText("bafkqaaqha4/../secret")) // => false
 * ```
 */
export const fromText = (text: string): Result.Result<IpfsPath, IpfsPathError> =>
  Result.map(split(text), () => text as IpfsPath)

/** Works as `fromText`, but throws `IpfsPathError`. */
export const fromTextUnsafe = (text: string): IpfsPath => Result.getOrThrow(fromText(text))

/**
 * Returns the parts of a path. A slash at its end is ignored.
 *
 * ```ts import.meta.vitest
 * import { IpfsPath } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(IpfsPath.split("/ipfs/bafkqaaqha4/a/b")).names // => ["a", "b"]
 * Result.getOrThrow(IpfsPath.split("bafkqaaqha4/a/b")).root // => "bafkqaaqha4"
 * Result.getOrThrow(IpfsPath.split("ipfs://bafkqaaqha4/a")).names // => ["a"]
 * ```
 */
export const split = (text: string): Result.Result<IpfsPathParts, IpfsPathError> => {
  if (text.length > MAX_LENGTH) {
    return fail("TooLong")
  }
  const path = withoutScheme(text)
  const space = path.startsWith("/ipns/") ? "ipns" : "ipfs"
  const [root = "", ...names] = path
    .replace(/^\/ip[fn]s\//, "")
    .replace(/\/$/, "")
    .split("/")
  if (space === "ipfs" ? !Cid.isCidText(root) : !isName(root)) {
    return fail("NoCid")
  }
  return names.every(isName) ? Result.succeed({ namespace: space, root, names }) : fail("BadName")
}

/**
 * Makes a path from a CID and names. Throws `IpfsPathError` if a text cannot be a name.
 *
 * ```ts import.meta.vitest
 * import { Cid, IpfsPath } from "@plumbline/ipfs-client"
 *
 * IpfsPath.make(Cid.fromTextUnsafe("bafkqaaqha4"), "docs", "a b.txt") // => "/ipfs/bafkqaaqha4/docs/a b.txt"
 * ```
 */
export const make = (cid: Cid.Cid | Cid.CidText, ...names: ReadonlyArray<string>): IpfsPath => {
  if (!names.every((name) => isName(name) && !name.includes("/"))) {
    throw new IpfsPathError({ reason: "BadName" })
  }
  return fromTextUnsafe(["/ipfs", toText(cid), ...names].join("/"))
}

/** Returns the text of a path argument. Addresses become paths, because older nodes do not know addresses. */
export const toText = (input: IpfsPathInput): string =>
  typeof input === "string" ? withoutScheme(input) : Cid.toText(input)

/**
 * Returns the last name of a path, or its CID if there is no name. Archives have this name.
 *
 * ```ts import.meta.vitest
 * import { IpfsPath } from "@plumbline/ipfs-client"
 *
 * IpfsPath.lastName("/ipfs/bafkqaaqha4/docs/") // => "docs"
 * IpfsPath.lastName("ipfs://bafkqaaqha4") // => "bafkqaaqha4"
 * ```
 */
export const lastName = (text: string): string => withoutScheme(text).replace(/\/+$/, "").split("/").at(-1) ?? ""

/** Returns the path of an address; any other text unchanged. Source: boxo `path/path.go`. */
const withoutScheme = (text: string): string =>
  text.replace(/^(ip[fn]s):(?:\/\/)?/i, (_, scheme: string) => `/${scheme.toLowerCase()}/`)

/** Schema of a path. The path stays as it was sent. */
export const IpfsPath: Schema.Codec<IpfsPath, string> = Schema.String.pipe(
  Schema.refine((value: string): value is IpfsPath => Result.isSuccess(fromText(value)), {
    expected: "an IPFS path"
  })
).annotate({ identifier: "IpfsPath" })

/** True if the text can be a name. Half a surrogate pair has no UTF-8, so a name cannot contain it. */
const isName = (name: string): boolean =>
  name !== "" && name !== "." && name !== ".." && !name.includes("\u0000") && name.isWellFormed()

const fail = (reason: IpfsPathError["reason"]): Result.Result<never, IpfsPathError> =>
  Result.fail(new IpfsPathError({ reason }))
