/** The proof microscope: shows one value, and the chain of hashes that proves it. */
import * as Atom from "effect/reactivity/Atom"

import * as Gather from "../chain/Gather.ts"
import { read } from "../chain/Reads.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { Reading } from "../parts/Reading.tsx"
import * as Subject from "../proof/Subject.ts"
import * as Place from "../route/Place.ts"
import * as Layouts from "../variables/Layouts.ts"
import { Scope } from "./Scope.tsx"

/** The evidence for a place's value. Places with the same network, block, subject and trust share it. */
const gathered = Atom.family((id: string) => {
  const place = Place.parse(...(id.split("?") as [string, string])) as Place.Proof
  return read(place, Gather.gather(place.block, place.subject))
})

const idOf = ({ block, network, subject, trust }: Place.Proof): string => {
  const { href } = Place.link({ _tag: "Proof", network, block, subject, trust })
  return href.includes("?") ? href : `${href}?`
}

/** The screen. It reads the evidence and shows it. */
const Microscope = ({ place }: { readonly place: Place.Proof }) => {
  const id = idOf(place)
  const atom = gathered(id)
  const result = useAtom(atom)
  const { subject } = place
  const { named } = useAtom(Layouts.of(place.network, "address" in subject ? subject.address : ""))
  return (
    <Reading result={result} what={Subject.nameOf(place.subject)} again={() => registry.refresh(atom)}>
      {(found) => <Scope key={id} place={place} gathered={found} layout={named?.layout} />}
    </Reading>
  )
}

export default Microscope
