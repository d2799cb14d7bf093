/** The verify screen on a service. It also accepts a bundle from another screen, or from IPFS. */
import { type ComponentProps, lazy, Suspense, useState } from "react"

import { useAtom } from "../look/useAtom.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { Microscope } from "./BundleMicroscope.ts"
import * as HandedBundle from "./HandedBundle.ts"
import Verify, { type GivenBundle } from "./VerifyScreen.tsx"

/** Loaded at once, because the reader may cut the network before opening a proof. */
const scope = import("../microscope/MicroscopeStage.tsx")
scope.catch(() => undefined)
const Scope = lazy(() => scope.then(({ MicroscopeStage: Scope }) => ({ default: Scope })))
const compilerFiles = import("../variables/CompilerFiles.ts")
compilerFiles.catch(() => undefined)
/** The way that needs a network. */
const FromIpfs = lazy(() => import("./FromIpfs.tsx"))
const microscope = (value: ComponentProps<typeof Scope>) => <Scope {...value} />

const OnService = ({ place }: { readonly place: Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Verify" }> }) => {
  const handed = useAtom(HandedBundle.handed)
  const [fetched, setFetched] = useState<{ readonly cid: string | undefined; readonly given: GivenBundle } | undefined>(
    undefined
  )
  // a fetched bundle is shown only while the address of the page names its CID
  const ofPlace = fetched?.cid === place.cid ? fetched?.given : undefined
  const given = ofPlace ?? (place.cid === undefined ? handed : undefined)
  return (
    <Microscope value={microscope}>
      <Verify
        key={`${place.cid} ${given?.name}`}
        given={given}
        compilerFiles={compilerFiles}
        beside={
          <Suspense fallback={null}>
            <FromIpfs key={place.cid} cid={place.cid} onBundle={(given) => setFetched({ cid: place.cid, given })} />
          </Suspense>
        }
      />
    </Microscope>
  )
}

export default OnService
