/** The proof microscope: shows one value, and the chain of hashes that proves it. */
import * as Atom from "effect/reactivity/Atom"

import * as GatherEvidence from "../chain/GatherEvidence.ts"
import { read } from "../chain/ReadAtoms.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ReadState } from "../parts/ReadState.tsx"
import * as ProofSubject from "../proof/ProofSubject.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { useLayout } from "../variables/useLayout.ts"
import { MicroscopeStage } from "./MicroscopeStage.tsx"

/** The evidence for a place's value. Places with the same network, block, subject and trust share it. */
const gathered = Atom.family((id: string) => {
  const place = ConsoleRoute.parseHref(id) as ConsoleRoute.ProofRoute
  return read(place, GatherEvidence.gather(place.block, place.subject))
})

const idOf = ({ block, network, subject, trust }: ConsoleRoute.ProofRoute): string =>
  ConsoleRoute.link({ _tag: "Proof", network, block, subject, trust }).href

/** The screen. It reads the evidence and shows it. */
const Microscope = ({ place }: { readonly place: ConsoleRoute.ProofRoute }) => {
  const id = idOf(place)
  const atom = gathered(id)
  const result = useAtom(atom)
  const { subject } = place
  const { named } = useLayout(place.network, "address" in subject ? subject.address : "")
  return (
    <ReadState result={result} what={ProofSubject.nameOf(place.subject)} again={() => registry.refresh(atom)}>
      {(found) => <MicroscopeStage key={id} place={place} gathered={found} layout={named?.layout} />}
    </ReadState>
  )
}

export default Microscope
