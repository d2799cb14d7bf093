/** The newest blocks of a network. */
import "../landing/landing.css"
import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import { NewestBlocks } from "../landing/NewestBlocks.tsx"
import { registry, useAtom } from "../look/useAtom.ts"
import { AnchorMeaning } from "../parts/AnchorMeaning.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { AcceptAnchor } from "../parts/ServiceAnchor.tsx"
import { TransportNote } from "../parts/TransportNote.tsx"

const BlocksScreen = ({ network }: { readonly network: string }) => {
  const start = useAtom(PageSession.start)
  const trust = useAtom(AcceptedTrust.accepted).get(network)?.trust
  return (
    <ReadState result={start} what="the networks of this service" again={() => registry.refresh(PageSession.start)}>
      {({ networks }) => {
        const found = networks.find(({ name }) => name === network)
        const anchor = trust === undefined && found !== undefined ? AcceptedTrust.announced(found) : undefined
        return (
          <div className="page">
            <div className="lead">
              <div>
                <h1>Blocks of {network}</h1>
                <p className="soft">
                  {trust === undefined
                    ? "The node says that these are the newest blocks. Open one, and see why its values are true."
                    : "Each verdict is from a line of hashes that ends at your anchor."}
                </p>
              </div>
            </div>
            {found === undefined || anchor === undefined ? null : (
              <p className="row wrap mb-4">
                <AcceptAnchor network={found} />
                <span className="small soft">
                  <AnchorMeaning anchor={anchor} />
                </span>
              </p>
            )}
            <section className="sheet" aria-label="Newest blocks">
              <NewestBlocks network={network} trust={trust} />
              <div className="inset ruled">
                <TransportNote network={network} />
              </div>
            </section>
          </div>
        )
      }}
    </ReadState>
  )
}

export default BlocksScreen
