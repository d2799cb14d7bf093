/** The question about an anchor that a link names: the page hangs no proof from it before the reader accepts it. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"

import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import { useAtom } from "../look/useAtom.ts"
import type { ConsoleRoute } from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { AnchorName, hangFrom } from "./ServiceAnchor.tsx"

/** An anchor that a link named. */
interface NamedAnchor {
  readonly network: string
  readonly trust: string
}

/**
 * Names the anchor of the page's address and its source, and asks the reader for consent. The question stays while the
 * reader visits other pages of the network, because those pages write their own address.
 */
export const LinkAnchor = ({ place }: { readonly place: ConsoleRoute }) => {
  const anchors = useAtom(AcceptedTrust.accepted)
  const ids = useAtom(AcceptedTrust.consents)
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const [before, setBefore] = useState<NamedAnchor | undefined>(undefined)
  const hung = AcceptedTrust.hanging(place)
  // before the networks are known, it is not known whether the anchor is the accepted one of the service
  if (hung === undefined || start === undefined) return null
  const { network } = hung
  const named =
    hung.trust !== undefined && !AcceptedTrust.isAccepted({ anchors, ids }, network, hung.trust)
      ? { network, trust: hung.trust }
      : before
  if (named === undefined || named.network !== network) return null
  if (named.trust !== before?.trust || network !== before?.network) setBefore(named)
  const { trust } = named
  const own = anchors.get(network)
  const [kind] = AcceptedTrust.partsOf(trust)
  const chain = start.networks.find(({ name }) => name === network)
  const isOfService = chain !== undefined && AcceptedTrust.announced(chain)?.trust === trust
  const leave = (): void => {
    setBefore(undefined)
    if (hung.trust === trust) Router.go({ ...hung, trust: undefined }, { replace: true })
  }
  return (
    <section className="sheet inset link-anchor" aria-labelledby="link-anchor">
      <div className="stack">
        <h2 id="link-anchor">This link brings its own anchor</h2>
        <p className="soft">
          The <AnchorName trust={trust} /> comes from the link that opened this page.{" "}
          {isOfService ? "This service announces it too. " : ""}The link's author chose it, you did not: someone who
          makes up a chain can name a {kind} of it.{" "}
          {own === undefined
            ? "So nothing on this page hangs from it yet."
            : "So this page hangs from your own anchor."}{" "}
          Accept it if you know the hash from another source.
        </p>
      </div>
      <p className="row wrap">
        <button
          type="button"
          className="button primary"
          onClick={() => {
            setBefore(undefined)
            hangFrom({ ...hung, trust }, { replace: true })
          }}
        >
          Trust this {kind}
        </button>
        <button type="button" className="button" onClick={leave}>
          Leave it out
        </button>
      </p>
    </section>
  )
}
