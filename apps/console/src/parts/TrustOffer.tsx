/** The links with which a reader gives a CLAIMED page something to hang from. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"
import * as TrustLinks from "./TrustLinks.ts"

/** Offers the hash of the block, and a light client if the service announces a checkpoint. */
export const TrustOffer = (offer: TrustLinks.UnprovenPage) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const { hash, light } = TrustLinks.linksOf(offer, start?.networks ?? [])
  return (
    <>
      {offer.trust === undefined ? null : "Your trust does not reach this block. "}
      <a href={hash}>{offer.label}</a>
      {light === undefined ? null : (
        <>
          {" "}
          or <a href={light}>start a light client</a> from the checkpoint that this service announces
        </>
      )}
      .
    </>
  )
}
