/** The headers of answers of the trustless gateway. */
import { createHash } from "node:crypto"

import * as Cid from "@plumbline/ipfs-client/cid/Cid"

import type { TrustlessRequest } from "./trustlessRequest.ts"

/**
 * The headers of every answer, including refusals. They let pages of all origins read the answers. A project's
 * allowlist can restrict the origins.
 */
export const COMMON: ReadonlyArray<string> = [
  "access-control-allow-origin",
  "*",
  "access-control-expose-headers",
  "Content-Length, Content-Range, Content-Disposition, Content-Location, Etag, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Error",
  "server",
  "plumbline",
  "vary",
  "Accept"
]

export const ALLOW = "GET, HEAD, OPTIONS"

/**
 * The headers of the answer to a preflight. They are the same for all callers, because a preflight has no credentials.
 */
export const PREFLIGHT: ReadonlyArray<string> = [
  "access-control-allow-origin",
  "*",
  "access-control-allow-methods",
  ALLOW,
  "access-control-allow-headers",
  "accept, authorization, cache-control, content-type, if-none-match, range, x-requested-with",
  "access-control-max-age",
  "600"
]

/**
 * Number of seconds for which content may be cached, because blocks never change. Answers to the holder of a key are
 * `private`, so that a shared cache does not return them to other callers.
 */
const MAX_AGE = 29_030_400

/** Returns the headers of an answer with content, except Content-Length. `roots` are the CIDs along the path. */
export const of = (
  wanted: TrustlessRequest,
  etag: string,
  roots: ReadonlyArray<Cid.Cid>,
  isPublic: boolean
): ReadonlyArray<string> => {
  const { duplicates, form, order } = wanted
  return [
    ...unchanged(wanted, etag, isPublic),
    "content-type",
    form === "raw"
      ? "application/vnd.ipld.raw"
      : `application/vnd.ipld.car; version=1; order=${order}; dups=${duplicates ? "y" : "n"}`,
    "content-disposition",
    disposition(wanted, roots.at(-1) ?? wanted.root),
    "x-content-type-options",
    "nosniff",
    "x-ipfs-roots",
    roots.map((cid) => Cid.toText(cid)).join(","),
    // a CAR has its own parameter for ranges
    "accept-ranges",
    form === "raw" ? "bytes" : "none"
  ]
}

/** Returns the headers for caches. A 304 has only these; other answers have them too. */
export const unchanged = (
  { form, isNegotiated, path }: TrustlessRequest,
  etag: string,
  isPublic: boolean
): ReadonlyArray<string> => [
  ...COMMON,
  "x-ipfs-path",
  path,
  "etag",
  etag,
  "cache-control",
  `${isPublic ? "public" : "private"}, max-age=${MAX_AGE}, immutable`,
  // The URL is relative, because the path of the request may contain a key.
  ...(isNegotiated ? ["content-location", `?format=${form}`] : [])
]

/** Returns the Etag of a block. */
export const etagOfBlock = (cid: Cid.Cid): string => `"${Cid.toText(cid)}.raw"`

/** Returns the Etag of a CAR. It is weak, because another version may send the same blocks in another form. */
export const etagOfCar = ({ bytes, duplicates, order, path, root, scope }: TrustlessRequest): string => {
  const parts = JSON.stringify([path, scope, bytes?.from, bytes?.to, duplicates, order])
  return `W/"${Cid.toText(root)}.car.${createHash("sha256").update(parts).digest("hex").slice(0, 16)}"`
}

/** True if the header If-None-Match contains the Etag. Weak and strong Etags are compared in the same way. */
export const matches = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === "*") return true
  const given: ReadonlyArray<string> = ifNoneMatch.match(/"[^"]*"/gu) ?? []
  return given.includes(etag.replace(/^W\//u, ""))
}

/**
 * Returns Content-Disposition. The file of a block is named after the block's CID. The file of a CAR is named after the
 * root and the last name of the path.
 */
const disposition = ({ filename, form, names, root }: TrustlessRequest, end: Cid.Cid): string => {
  const name = filename ?? nameOf(Cid.toText(form === "raw" ? end : root), names.at(-1), form)
  const ascii = encodeURIComponent(name.replaceAll(/[^\u0020-\u007e]/gu, "_"))
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`
}

const nameOf = (cid: string, last: string | undefined, form: TrustlessRequest["form"]): string =>
  form === "raw" ? `${cid}.bin` : `${cid}${last === undefined ? "" : `_${last}`}.car`
