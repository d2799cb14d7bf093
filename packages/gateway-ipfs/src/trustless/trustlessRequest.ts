/**
 * Parses a request to the trustless gateway: the path, the query and the Accept header.
 *
 * Source: https://specs.ipfs.tech/http-gateways/trustless-gateway/ (2026-03-05).
 */
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type * as DagSelection from "@plumbline/ipfs-client/dag/DagSelection"
import * as Result from "effect/Result"

/** A valid request: the requested content and its form. */
export interface TrustlessRequest {
  readonly root: Cid.Cid
  readonly names: ReadonlyArray<string>
  /** The content path, `/ipfs/<cid>/<names>`. Names are percent-encoded, so that the path is valid in a header. */
  readonly path: string
  /** `raw` for one block, or `car`. */
  readonly form: "raw" | "car"
  readonly scope: DagSelection.DagScope
  readonly bytes: DagSelection.ByteRange | undefined
  readonly duplicates: boolean
  /** The order of blocks that the answer announces. The blocks are always sent depth first. */
  readonly order: "dfs" | "unk"
  /** The file name that the caller wants for the download. */
  readonly filename: string | undefined
  /** True if only the Accept header determines the form. */
  readonly isNegotiated: boolean
}

/**
 * Parses a request. `path` is the raw path after `/ipfs/`. Fails with 400 or 406 if the request is invalid.
 */
export const read = (request: {
  readonly path: string
  readonly query: string
  readonly accept: string | undefined
}): Result.Result<TrustlessRequest, HttpRefusal.HttpRefusal> =>
  Result.gen(function* () {
    const { names, root } = yield* parts(request.path)
    const query = new URLSearchParams(request.query)
    const accepted = acceptedOf(request.accept ?? "")
    const named = FORMATS.get(query.get("format") ?? "")
    const form = named ?? accepted?.form
    if (form === undefined) return yield* request.accept === undefined && !query.has("format") ? unnamed : otherForm
    // Parameters of a media type in Accept are used only if that media type is sent.
    const parameters = accepted?.form === form ? accepted.parameters : NO_PARAMETERS
    const option = (name: string) => query.get(`car-${name}`) || parameters.get(name) || ""
    const isCar = form === "car"
    const path = ["/ipfs", Cid.toText(root), ...names.map(encodeURIComponent)].join("/")
    const filename = query.get("filename")
    if (filename !== null && (filename.length > MAX_FILENAME || !filename.isWellFormed())) {
      return yield* bad(`filename: must be at most ${MAX_FILENAME} characters of Unicode`)
    }
    const bytes = isCar ? yield* rangeOf(query.get("entity-bytes")) : undefined
    return {
      root,
      names,
      path,
      form,
      scope: isCar ? yield* scopeOf(query.get("dag-scope"), bytes !== undefined) : "block",
      bytes,
      duplicates: isCar ? yield* duplicatesOf(option("dups")) : false,
      order: isCar ? yield* orderOf(option("order"), option("version")) : "dfs",
      filename: filename === null || filename === "" ? undefined : filename,
      isNegotiated: named === undefined
    }
  })

const FORMATS: ReadonlyMap<string, TrustlessRequest["form"]> = new Map([
  ["raw", "raw"],
  ["car", "car"]
])

const MEDIA_TYPES: ReadonlyMap<string, TrustlessRequest["form"]> = new Map([
  ["application/vnd.ipld.raw", "raw"],
  ["application/vnd.ipld.car", "car"]
])

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

const MAX_FILENAME = 255

const parts = (
  path: string
): Result.Result<{ root: Cid.Cid; names: ReadonlyArray<string> }, HttpRefusal.HttpRefusal> => {
  let decoded
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return bad("the path is not percent-encoded UTF-8")
  }
  const split = IpfsPath.split(`/ipfs/${decoded}`)
  if (Result.isFailure(split)) return bad(`invalid path: ${split.failure.message}`)
  const root = Cid.fromText(split.success.root)
  return Result.isFailure(root)
    ? bad(`invalid path: ${root.failure.message}`)
    : Result.succeed({ root: root.success, names: split.success.names })
}

interface Accepted {
  readonly form: TrustlessRequest["form"]
  readonly parameters: ReadonlyMap<string, string>
}

/** Returns the form with the highest weight in the Accept header. If weights are equal, the first form is returned. */
const acceptedOf = (accept: string): Accepted | undefined => {
  let best: (Accepted & { readonly weight: number }) | undefined
  for (const range of accept.split(",")) {
    const [type = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase())
    const form = MEDIA_TYPES.get(type)
    if (form === undefined) continue
    const parameters = new Map(rest.map(parameterOf))
    const weight = Number(parameters.get("q") ?? 1)
    if (weight > (best?.weight ?? 0)) best = { form, parameters, weight }
  }
  return best
}

const parameterOf = (text: string): readonly [name: string, value: string] => {
  const [name = "", value = ""] = text.split("=", 2)
  return [name.trim(), value.trim().replace(/^"(.*)"$/u, "$1")]
}

const scopeOf = (
  text: string | null,
  hasRange: boolean
): Result.Result<DagSelection.DagScope, HttpRefusal.HttpRefusal> => {
  switch (text) {
    case null:
      return Result.succeed(hasRange ? "entity" : "all")
    case "all":
      // Without a scope, a byte range means the scope `entity`.
      return Result.succeed(hasRange ? "entity" : "all")
    case "block":
    case "entity":
      return Result.succeed(text)
    default:
      return bad("dag-scope: must be block, entity or all")
  }
}

const rangeOf = (text: string | null): Result.Result<DagSelection.ByteRange | undefined, HttpRefusal.HttpRefusal> => {
  if (text === null) return Result.succeed(undefined)
  const match = /^(-?[0-9]{1,19}):(?:(-?[0-9]{1,19})|\*)$/u.exec(text)
  if (match === null) return bad("entity-bytes: must be from:to, two whole numbers, or * for the end")
  // Positions above 2^53 may be inexact. This does no harm, because no file is that long.
  const from = Number(match[1])
  const to = match[2] === undefined ? undefined : Number(match[2])
  return to !== undefined && from < 0 === to < 0 && from > to
    ? bad("entity-bytes: from is after to")
    : Result.succeed({ from, to })
}

const duplicatesOf = (text: string): Result.Result<boolean, HttpRefusal.HttpRefusal> =>
  text === "y" || text === "n" || text === "" ? Result.succeed(text === "y") : bad("dups: must be y or n")

const orderOf = (order: string, version: string): Result.Result<"dfs" | "unk", HttpRefusal.HttpRefusal> => {
  if (version !== "" && version !== "1") return bad("version: must be 1, the only version of CARs that is sent")
  return order === "" || order === "dfs" || order === "unk"
    ? Result.succeed(order === "unk" ? "unk" : "dfs")
    : bad("order: must be dfs or unk")
}

const bad = (text: string): Result.Result<never, HttpRefusal.HttpRefusal> => Result.fail(HttpRefusal.make(400, text))

const FORMS = "?format=raw for a block, or ?format=car for a CAR"

const unnamed = Result.fail(HttpRefusal.make(400, `no format: add ${FORMS}`))

const otherForm = Result.fail(
  HttpRefusal.make(406, `this gateway sends only content that can be verified: add ${FORMS}`)
)
