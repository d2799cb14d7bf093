/** Content as a person names it: a path that begins with a CID, or a path below the content of an ENS name. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as Print from "../answer/Print.ts"
import type * as ReadAnswer from "../answer/ReadAnswer.ts"
import type { NamedRoot } from "../ens/NamedContent.ts"
import * as NamedContentFlags from "../ens/NamedContentFlags.ts"
import type { Style } from "../terminal/Style.ts"
import type { UsageError } from "../terminal/UsageError.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsFlags } from "./IpfsFlags.ts"

/** A path, or a name and the rest of its address: `/docs/readme.md`, or nothing. */
export type ContentReference =
  | { readonly _tag: "Path"; readonly place: IpfsContent.ContentPath }
  | { readonly _tag: "Name"; readonly name: string; readonly rest: string }

const ENS = /^ens:\/\/([^/]*)(.*)$/isu

/**
 * Parses `ens://name/path`, or a path that begins with a CID. The path of an address is percent-decoded. Flags that only a
 * name needs are refused with a CID.
 */
export const parse = (
  flags: NamedContentFlags.NamedContentFlags & { readonly path: string }
): Result.Result<ContentReference, UsageError | UnprovenError> => {
  const [, name, rest = ""] = ENS.exec(flags.path) ?? []
  if (name === undefined) {
    return Result.flatMap(IpfsContent.parse(flags.path), (place) =>
      Result.map(NamedContentFlags.refuseWithCid(flags), () => ({ _tag: "Path", place }))
    )
  }
  // the path is checked before the chain is asked; any CID serves
  return Result.map(IpfsContent.parse(`ipfs://${SOME_CID}${rest}`), () => ({ _tag: "Name", name, rest }))
}

/** The CID of no bytes. */
const SOME_CID = "bafkqaaa"

/** The place of content. `named` is the name that led to it, if one was given. */
export interface FoundContent {
  readonly place: IpfsContent.ContentPath
  readonly named: NamedRoot | undefined
}

/** Finds the place of content. A name is read from the chain first. */
export const find = Effect.fnUntraced(function* (
  flags: IpfsFlags & NamedContentFlags.NamedContentFlags,
  reference: ContentReference
) {
  if (reference._tag === "Path") return { place: reference.place, named: undefined } satisfies FoundContent
  const NamedContent = yield* Effect.promise(() => import("../ens/NamedContent.ts"))
  const named = yield* NamedContent.root(flags, reference.name)
  const text = Cid.toText(named.cid)
  const place = yield* Effect.fromResult(IpfsContent.parse(`ipfs://${text}${reference.rest}`))
  return { place, named } satisfies FoundContent
})

/** Returns the last part of a reference, by which its content can be called. */
export const lastName = (reference: ContentReference): string => {
  if (reference._tag === "Path") return reference.place.names.at(-1) ?? reference.place.text
  const { names } = Result.getOrThrow(IpfsContent.parse(`ipfs://${SOME_CID}${reference.rest}`))
  return names.at(-1) ?? reference.name
}

/** An answer about content, whose blocks are all checked. */
export type ProvenContent = Pick<ReadAnswer.AcceptedAnswer, "value" | "proven">

/**
 * Returns the answer about content. Its blocks are proven from the CID. If a name led to the CID, the answer follows from
 * the block of the chain instead, and is no stronger than the verdict on the name.
 */
export const answer = (
  { named, place }: FoundContent,
  { proven, value }: ProvenContent,
  view: (style: Style) => ReadonlyArray<string>
): Print.PrintableAnswer => {
  const content = [...proven, ...IpfsContent.provenPath(place)]
  if (named === undefined) {
    return {
      reply: { verdict: "VERIFIED", value, anchor: IpfsContent.anchorOf(place), proven: content, claimed: [] },
      view
    }
  }
  const { name, verdict } = named
  const path = IpfsContent.pathOf(place)
  return {
    reply: {
      verdict: verdict._tag,
      value,
      anchor: verdict.anchor,
      proven: [...verdict.proven, ...content],
      claimed: verdict.claimed
    },
    beside: {
      hops: [
        hop(verdict._tag, `ens://${name}`, `ipfs://${place.text}`, verdict.anchor),
        hop("VERIFIED", path, undefined, IpfsContent.anchorOf(place))
      ]
    },
    view: (style) => {
      const lines = view(style)
      return [
        ...lines,
        ...(lines.length === 0 ? [] : [""]),
        `${style.label(verdict._tag.padEnd(WIDTH))}  ens://${name} is ipfs://${place.text}`,
        `${style.label("VERIFIED".padEnd(WIDTH))}  ${path}`
      ]
    }
  }
}

const WIDTH = "VERIFIED".length

const hop = (
  verdict: "VERIFIED" | "CLAIMED",
  from: string,
  to: string | undefined,
  anchor: Anchor.Anchor | Anchor.WeakAnchor | null
): unknown => ({
  verdict,
  from,
  ...(to === undefined ? {} : { to }),
  anchor: anchor === null ? null : Anchor.toJson(anchor)
})
