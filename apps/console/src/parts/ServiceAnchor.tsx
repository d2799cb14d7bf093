/** The anchors of the reader: how the reader accepts one, its meaning, and how to revoke it. */
import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import type { Network } from "../chain/ConsoleNetworks.ts"
import { Disclosure } from "../look/Disclosure.tsx"
import { Hash } from "../look/Hash.tsx"
import { short } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"

/** A button that accepts the anchor of the service. */
export const AcceptAnchor = ({ network }: { readonly network: Network }) => {
  const anchor = AcceptedTrust.announced(network)
  return anchor === undefined ? null : (
    <button type="button" className="button primary" onClick={() => AcceptedTrust.accept(network)}>
      Trust this {anchor.kind}
    </button>
  )
}

/** Goes to a place, and accepts its anchor, because the reader chose it. */
export const hangFrom = (place: ConsoleRoute.ConsoleRoute, options?: Parameters<typeof Router.go>[1]): void => {
  const hung = AcceptedTrust.hanging(place)
  if (hung?.trust !== undefined) AcceptedTrust.choose(hung.network, hung.trust)
  Router.go(place, options)
}

/** An anchor in words: its kind, and its hash. */
export const AnchorName = ({ trust }: { readonly trust: string }) => {
  const [kind, hash] = AcceptedTrust.partsOf(trust)
  return (
    <>
      {kind} <Hash hex={hash} />
    </>
  )
}

/**
 * The anchor of the page, with a button that revokes it: below the navigation if there is room, otherwise behind a
 * button of one line. Shows nothing without a consent.
 */
export const AcceptedAnchor = ({
  network,
  place
}: {
  readonly network: Network
  readonly place: ConsoleRoute.ConsoleRoute
}) => {
  const ofService = useAtom(AcceptedTrust.accepted).get(network.name)?.trust
  const hung = AcceptedTrust.hanging(place)
  const trust = hung?.network === network.name ? hung.trust : ofService
  if (trust === undefined) return null
  const [kind, hash] = AcceptedTrust.partsOf(trust)
  return (
    <Disclosure
      className="anchor"
      label={
        <>
          Anchor <b>{short(hash)}</b>
        </>
      }
    >
      <section className="small" aria-label="The anchor of your proofs">
        <p>
          Your anchor of {network.name}: the {kind} <Hash hex={hash} />,{" "}
          {trust === ofService ? "which this service announces" : "which you accepted"}
        </p>
        <button type="button" className="plain small" onClick={() => stopTrusting(network, trust)}>
          Stop trusting it
        </button>
      </section>
    </Disclosure>
  )
}

/** Revokes the consent to an anchor, and takes an anchor that is not accepted out of the page's address. */
export const stopTrusting = (network: Network, trust: string): void => {
  AcceptedTrust.revoke(network, trust)
  const place = Router.current()
  const acceptance = { anchors: registry.get(AcceptedTrust.accepted), ids: registry.get(AcceptedTrust.consents) }
  const next = AcceptedTrust.applied(place, acceptance)
  if (next !== place) Router.go(next, { replace: true })
}
