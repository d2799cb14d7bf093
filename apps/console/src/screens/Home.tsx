/** The landing: the line of a value, from what the reader trusts down to the value, beside the newest blocks. */
import "../landing/landing.css"
import { Suspense } from "react"

import * as SignInState from "../admin/SignInState.ts"
import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import type { Network } from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import * as ReadTransport from "../chain/ReadTransport.ts"
import { LineSkeleton } from "../landing/LineSkeleton.tsx"
import { NewestBlocks } from "../landing/NewestBlocks.tsx"
import { RecentLies } from "../landing/RecentLies.tsx"
import { Hash } from "../look/Hash.tsx"
import { SkeletonRows } from "../look/Skeleton.tsx"
import { registry, useAtom } from "../look/useAtom.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { AcceptAnchor } from "../parts/ServiceAnchor.tsx"
import { TransportNote } from "../parts/TransportNote.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { lazyScreen } from "../shell/lazyScreen.tsx"

/** The line has the code of proofs, which the first picture of the page does not wait for. */
const LandingLine = lazyScreen(() => import("../landing/LandingLine.tsx"))

const SignedOut = lazyScreen(() => import("../landing/SignedOut.tsx"))

const Home = () => {
  const start = useAtom(PageSession.start)
  const last = useAtom(PageSession.current)
  const session = useAtom(ReadTransport.session)
  const key = useAtom(PageSession.key)
  const signed = useAtom(SignInState.signInState)
  return (
    <div className="page landing">
      <header>
        <h1>A node can lie. This page proves what it says.</h1>
        <p className="soft">
          Each row holds the hash of the next one. If all of them hang on one line from what you trust, the value is
          true, whoever sent it.
        </p>
      </header>
      <ReadState
        result={start}
        what="the networks of this service"
        again={() => registry.refresh(PageSession.start)}
        waiting={<Waiting />}
      >
        {({ networks }) => {
          const canRead = (network: Network): boolean =>
            ReadTransport.readTransports(network, { session, key }).length > 0
          const network = networks.find(({ name }) => name === last) ?? networks.find(canRead) ?? networks[0]
          if (network !== undefined && canRead(network)) {
            return (
              <>
                {networks.some(({ liars }) => liars !== null) ? <RecentLies /> : null}
                <Proven key={network.name} network={network} />
              </>
            )
          }
          // a session that resumes may read every network
          return signed._tag === "Unknown" ? (
            <Waiting />
          ) : (
            <Suspense fallback={<Waiting />}>
              <SignedOut network={network} />
            </Suspense>
          )
        }}
      </ReadState>
    </div>
  )
}

/** The landing of a network that the page can read. */
const Proven = ({ network }: { readonly network: Network }) => {
  const accepted = useAtom(AcceptedTrust.accepted).get(network.name)
  const trust = accepted?.trust
  return (
    <div className="split">
      <div className="column">
        {trust === undefined ? <Ask network={network} /> : null}
        <Suspense fallback={<LineSkeleton />}>
          <LandingLine network={network.name} trust={trust} />
        </Suspense>
      </div>
      <aside className="column">
        <section className="sheet" aria-labelledby="newest-title">
          <header>
            <h2 id="newest-title">Newest blocks</h2>
            <a className="small" href={ConsoleRoute.link({ _tag: "Network", network: network.name }).href}>
              All of {network.name}
            </a>
          </header>
          <NewestBlocks network={network.name} trust={trust} isShort />
        </section>
        {accepted === undefined ? null : (
          <p className="small soft">
            <Hash hex={accepted.hash} />
            <br />
            The anchor is the {accepted.kind} that this service announces. {AcceptedTrust.MEANING}
          </p>
        )}
        <TransportNote network={network.name} />
      </aside>
    </div>
  )
}

/** Asks the reader for an anchor, once. */
const Ask = ({ network }: { readonly network: Network }) => {
  const anchor = AcceptedTrust.announced(network)
  return (
    <section className="sheet inset stack ask" aria-labelledby="ask-title">
      <h2 id="ask-title">Choose what you trust</h2>
      {anchor === undefined ? (
        <p className="soft">
          This service announces no anchor of {network.name}. Search for a block hash that you know to be on the chain:
          the page trusts a hash that you type.
        </p>
      ) : (
        <>
          <p className="soft">
            This service announces {anchor.kind === "checkpoint" ? "a checkpoint of the beacon chain" : "a block"}:{" "}
            <Hash hex={anchor.hash} />
          </p>
          <p className="soft">
            {anchor.kind === "checkpoint"
              ? "A light client in this page follows the signatures from it to the newest block."
              : "Earlier blocks are proven from its hash."}{" "}
            {AcceptedTrust.MEANING}
          </p>
          <p className="row wrap">
            <AcceptAnchor network={network} />
            <span className="small soft">This browser remembers it until you stop trusting it.</span>
          </p>
        </>
      )}
    </section>
  )
}

/** The shape of the landing before the networks are known. */
const Waiting = () => (
  <div className="split">
    <div className="column">
      <LineSkeleton />
    </div>
    <aside className="column">
      <section className="sheet" aria-hidden="true">
        <SkeletonRows rows={9} />
      </section>
    </aside>
  </div>
)

export default Home
