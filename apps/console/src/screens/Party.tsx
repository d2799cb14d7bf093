/** An account as a link, with its name in ENS if that is proven. */
import { lazy, Suspense } from "react"

import { Hash } from "../look/Hash.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import type { NamedPlace } from "./PrimaryName.tsx"

const PrimaryName = lazy(() => import("./PrimaryName.tsx"))

/**
 * The account. A name is asked for only if the block hangs from the reader's trust: otherwise the answer would be a
 * claim, which is not worth telling the node what the reader looks at.
 */
export const Party = ({ address, block, network, trust }: NamedPlace) => (
  <>
    <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", network, address, block, trust })} />
    {trust === undefined ? null : (
      <Suspense fallback={null}>
        <PrimaryName address={address} block={block} network={network} trust={trust} />
      </Suspense>
    )}
  </>
)
