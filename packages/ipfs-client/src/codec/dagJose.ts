/**
 * Reads dag-jose: signed or encrypted messages of JOSE, written as dag-cbor with bytes where JOSE has base64url.
 *
 * As in Kubo, the value has the base64url, and a signed message also has the field `link`: the CID that its payload is.
 * Only reading is here: an IPFS node writes dag-jose from each of the forms that JOSE has.
 *
 * Source: the specification of dag-jose; go-dag-jose 0.1 for the fields that are refused.
 */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import type { Steps } from "../work/steps.ts"
import * as Base64 from "./base64.ts"
import type { Flaw } from "./blockBounds.ts"
import * as BlockLinks from "./blockLinks.ts"
import * as DagCbor from "./dagCbor.ts"
import * as IpldValue from "./ipldValue.ts"

/** The fields of a map: bytes, maps in lists, and any values. */
interface Fields {
  readonly required: string | undefined
  readonly bytes: ReadonlySet<string>
  readonly lists: ReadonlyMap<string, Fields>
  readonly others: ReadonlySet<string>
}

const fieldsOf = (
  required: string | undefined,
  bytes: ReadonlyArray<string>,
  others: ReadonlyArray<string>,
  lists: ReadonlyArray<readonly [name: string, item: Fields]> = []
): Fields => ({ required, bytes: new Set(bytes), lists: new Map(lists), others: new Set(others) })

const SIGNED = /* @__PURE__ */ fieldsOf(
  "payload",
  ["payload"],
  ["link"],
  [["signatures", /* @__PURE__ */ fieldsOf("signature", ["protected", "signature"], ["header"])]]
)

const ENCRYPTED = /* @__PURE__ */ fieldsOf(
  "ciphertext",
  ["aad", "ciphertext", "iv", "protected", "tag"],
  ["unprotected"],
  [["recipients", /* @__PURE__ */ fieldsOf(undefined, ["encrypted_key"], ["header"])]]
)

/** Reads the value of a block, in steps. */
export function* decode(bytes: Uint8Array): Steps<Result.Result<unknown, Flaw>> {
  return Result.map(yield* read(bytes), ({ value }) => value)
}

/** Finds the link of a block, in steps. An encrypted message has none. */
export function* links(bytes: Uint8Array): Steps<Result.Result<BlockLinks.BlockLinks, Flaw>> {
  return Result.map(yield* read(bytes), ({ links }) => links)
}

interface Read {
  readonly value: unknown
  readonly links: BlockLinks.BlockLinks
}

function* read(bytes: Uint8Array): Steps<Result.Result<Read, Flaw>> {
  const decoded = yield* DagCbor.decodeSteps(bytes)
  if (Result.isFailure(decoded)) return malformed(decoded.failure)
  const map = decoded.success
  if (!IpldValue.isMap(map)) return malformed()
  const written = yield* DagCbor.links(bytes)
  if (Result.isFailure(written)) return malformed(written.failure)
  const isSigned = !Object.hasOwn(map, "ciphertext")
  const value = yield* shown(map, isSigned ? SIGNED : ENCRYPTED)
  // Headers have no links.
  const hasLink = Object.hasOwn(map, "link")
  if (value === undefined || written.success.count !== Number(hasLink)) return malformed()
  if (!isSigned) return Result.succeed({ value, links: BlockLinks.none })
  const payload = map["payload"] as Uint8Array
  const link = Cid.fromBytes(payload)
  if (Result.isFailure(link)) return malformed()
  if (hasLink) {
    // the signature covers the payload only, so a link to anything else would lead to content that nobody signed
    const own = Cid.asCid(map["link"])
    return own !== undefined && Cid.equals(own, link.success) ? succeed(value, written.success) : malformed()
  }
  const from = payload.byteOffset - bytes.byteOffset
  return succeed({ ...value, link: link.success }, BlockLinks.ofPlaces(bytes, [from, from + payload.length]))
}

const succeed = (value: unknown, links: BlockLinks.BlockLinks): Result.Result<Read, Flaw> =>
  Result.succeed({ value, links })

/** Keeps a bound as the reason, but names this codec in a sentence about the form. */
const malformed = (flaw: Flaw = ""): Result.Result<never, Flaw> =>
  Result.fail(typeof flaw === "string" ? "not dag-jose" : flaw)

/** Returns a map with text in place of bytes. Returns undefined if its fields are not these. */
function* shown(map: object, fields: Fields): Steps<Record<string, unknown> | undefined> {
  if (fields.required !== undefined && !Object.hasOwn(map, fields.required)) return undefined
  const done: Record<string, unknown> = {}
  for (const [key, value] of yield* IpldValue.entriesOf(map)) {
    const item = fields.lists.get(key)
    if (fields.bytes.has(key)) {
      if (!(value instanceof Uint8Array)) return undefined
      done[key] = yield* Base64.encodeUrlSteps(value)
    } else if (item !== undefined) {
      if (!Array.isArray(value)) return undefined
      const list: Array<unknown> = []
      for (const one of value) {
        if (!IpldValue.isMap(one)) return undefined
        const member = yield* shown(one, item)
        if (member === undefined) return undefined
        list.push(member)
        if (list.length % ITEMS_AT_ONCE === 0) yield
      }
      done[key] = list
    } else if (fields.others.has(key)) done[key] = value
    else return undefined
  }
  return done
}

/** Number of signatures or recipients that one step reads. */
const ITEMS_AT_ONCE = 128
