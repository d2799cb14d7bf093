/**
 * The verdict of a whole screen: the word, the sentence that explains it, what it hangs from, and what the reader can
 * hang it from if it hangs from nothing.
 */
import type * as Anchor from "@plumbline/verdict/Anchor"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type { ReactNode } from "react"

import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import { Hash } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import { VerdictChip, type VerdictName } from "../look/VerdictMark.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { AnchorMeaning } from "./AnchorMeaning.tsx"
import { AnchorName, hangFrom } from "./ServiceAnchor.tsx"

import "./verdictStrip.css"

/** A page that is not proven yet. */
export interface UnprovenPage {
  readonly network: string
  /** The hash of the page's block. */
  readonly hash: string
  /** The words of the button that trusts the hash, such as `Trust this hash`. */
  readonly label: string
  /** The trust of the page as it is; undefined if the reader chose none. */
  readonly trust: string | undefined
  /** Returns the same page with another trust. */
  readonly placeOf: (trust: string) => ConsoleRoute.ConsoleRoute
}

/** The strip. `offer` is for a page that is not proven yet. */
export const VerdictStrip = ({
  children,
  hangsFrom,
  offer,
  word
}: {
  readonly word: VerdictName
  readonly children: ReactNode
  /** The anchor in words; undefined if there is none. */
  readonly hangsFrom?: ReactNode
  readonly offer?: UnprovenPage | undefined
}) => (
  <div className={`verdict-strip ${word.toLowerCase()}`} role="group" aria-label="Verdict">
    <VerdictChip word={word} />
    <div className="sentence">
      <p>{children}</p>
      {hangsFrom === undefined ? null : <p className="small soft">Hangs from {hangsFrom}.</p>}
      {offer?.trust === undefined ? null : <p className="small soft">Your trust does not reach this block.</p>}
    </div>
    {offer === undefined ? null : <TrustOffer {...offer} />}
  </div>
)

/** Offers the anchor that the service announces, once for all pages, with its meaning, and the hash of the block. */
const TrustOffer = ({ hash, label, network: name, placeOf, trust }: UnprovenPage) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const network = start?.networks.find((one) => one.name === name)
  const announced = network === undefined ? undefined : AcceptedTrust.announced(network)
  const anchor = announced?.trust === trust ? undefined : announced
  return (
    <div className="offer">
      <p className="row wrap actions">
        {network === undefined || anchor === undefined ? null : (
          <button
            type="button"
            className="button primary"
            onClick={() => (trust === undefined ? AcceptedTrust.accept(network) : hangFrom(placeOf(anchor.trust)))}
          >
            {anchor.kind === "block" && anchor.hash.toLowerCase() !== hash.toLowerCase()
              ? "Trust the service's block"
              : `Trust this ${anchor.kind}`}
          </button>
        )}
        <button
          type="button"
          className="button"
          title="Do so if you know the hash from a source other than this node."
          onClick={() => hangFrom(placeOf(hash))}
        >
          {label}
        </button>
      </p>
      {anchor === undefined ? null : (
        <p className="small soft">
          <AnchorMeaning anchor={anchor} />
        </p>
      )}
    </div>
  )
}

/** The anchor of a page in words: that of a verdict if it is known, otherwise the trust that the reader chose. */
export const Anchored = ({
  anchor,
  hash,
  trust
}: {
  readonly anchor?: Anchor.Anchor | Anchor.WeakAnchor | null | undefined
  /** The hash of the page's block. */
  readonly hash: string
  readonly trust: string
}) => {
  if (trust.startsWith("checkpoint:")) {
    return (
      <>
        the <AnchorName trust={trust} />
        {anchor?._tag === "LightClient" && anchor.finality !== "checkpoint"
          ? ` by slot ${grouped(anchor.slot)}, ${anchor.finality}, signed by ${anchor.participation[0]} of ${anchor.participation[1]}`
          : ""}
      </>
    )
  }
  return trust.toLowerCase() === hash.toLowerCase() ? (
    <>
      the hash of this block, <Hash hex={hash} />, which you trust
    </>
  ) : (
    <>
      block <Hash hex={trust} />, which you trust, over the headers between
    </>
  )
}

/** The verdict on a screen that reads one block. If it is not VERIFIED, the reader can trust the block's hash. */
export const BlockVerdict = ({
  anchor,
  children,
  hash,
  isReading = false,
  isVerified,
  label = "Trust its hash",
  place
}: {
  readonly place: Extract<ConsoleRoute.ConsoleRoute, { readonly network: string; readonly block: string }>
  /** The hash of the block that was read. */
  readonly hash: string
  readonly isVerified: boolean
  /** True while the page is read again, under the trust that the reader just chose. Default: false. */
  readonly isReading?: boolean
  readonly anchor?: Anchor.Anchor | Anchor.WeakAnchor | null | undefined
  /** The words of the link that trusts the hash. */
  readonly label?: string
  readonly children: ReactNode
}) => {
  const { network, trust } = place
  const placeOf = (trust: string) => ({ ...place, block: hash, trust })
  if (isReading && !isVerified && trust !== undefined) {
    return <VerdictStrip word="CLAIMED">Checking the block against what you trust …</VerdictStrip>
  }
  return (
    <VerdictStrip
      word={isVerified ? "VERIFIED" : "CLAIMED"}
      hangsFrom={isVerified && trust !== undefined ? <Anchored anchor={anchor} hash={hash} trust={trust} /> : undefined}
      offer={isVerified ? undefined : { network, hash, label, trust, placeOf }}
    >
      {children}
    </VerdictStrip>
  )
}
