/** The verdict on a line of proof, and its sentence. */
import type * as GatherEvidence from "../chain/GatherEvidence.ts"
import { count, short } from "../look/TextFormats.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"
import type { ProofPath } from "../proof/ProofPath.ts"
import type { WordedValue } from "../proof/ProofWording.ts"

/** Returns the verdict: refuted if the chain of hashes breaks, claimed if it has no anchor, else verified. */
export const verdictOf = ({ broken }: ProofPath, { nail }: GatherEvidence.GatheredEvidence): VerdictName =>
  broken !== undefined ? "REFUTED" : nail._tag === "None" ? "CLAIMED" : "VERIFIED"

/** Returns the text inside the bob. A number in hex is shortened. */
export const markerOf = (value: WordedValue | undefined): string =>
  value === undefined ? "" : /^0x[0-9a-f]+$/u.test(value.main) ? short(value.main) : value.main

/** Explains a verdict. `isOnPurpose` is true if the reader flipped a bit. */
export const sentenceOf = (
  verdict: VerdictName,
  { broken, hashes }: ProofPath,
  { between, nail }: GatherEvidence.GatheredEvidence,
  isOnPurpose: boolean
): string => {
  switch (verdict) {
    case "REFUTED":
      return `${isOnPurpose ? "Broken on purpose: the" : "The"} check “${broken?.check}” failed. Nothing below the break hangs from ${nail._tag === "None" ? "the block" : "what you trust"}, so no value is shown.`
    case "CLAIMED":
      return "The proof is whole, but it hangs from nothing: only the node says that this block is on the chain."
    case "VERIFIED": {
      const signature =
        nail._tag !== "LightClient" || nail.anchor.finality === "checkpoint"
          ? ""
          : `1 signature by ${nail.anchor.participation.join(" of ")}, `
      const blocks = between === 0 ? "" : `, ${count(between, "block")} between`
      return `Checked in this browser: ${signature}${count(hashes, "hash")}${blocks}. The value hangs from the ${nail._tag === "LightClient" ? "checkpoint" : "hash"} that you trust.`
    }
  }
}
