/** The hook of a line of proof that the reader can break: the flipped bits, and the check of what is left. */
import { useMemo, useState } from "react"

import type { GatheredEvidence } from "../chain/GatherEvidence.ts"
import { type BitFlip, checkPath } from "../proof/ProofPath.ts"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import { verdictOf } from "./proofVerdict.ts"

/** Returns the flipped bits, at first `broken` if it is given, with the line that is checked again at each flip. */
export const useFlippedProof = (gathered: GatheredEvidence, subject: ProofSubject, broken?: BitFlip) => {
  const { evidence } = gathered
  const [flips, setFlips] = useState<ReadonlyArray<BitFlip>>(broken === undefined ? [] : [broken])
  const proofPath = useMemo(() => checkPath(evidence, subject, flips), [evidence, subject, flips])
  return { flips, setFlips, proofPath, verdict: verdictOf(proofPath, gathered) }
}
