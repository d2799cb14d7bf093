/** The form in which a sender writes containers: their fork and the size of a committee. */
import type * as Fork from "../network/Fork.ts"

/**
 * The form in which a sender writes containers.
 *
 * `fork` comes from the transport: the beacon API's `version`, or the fork of the digest. It decides only how bytes are
 * read, not what they prove. `syncCommitteeSize` is 512 on all public networks.
 */
export interface ContainerForm {
  readonly fork: Fork.Fork
  readonly syncCommitteeSize: number
}

/** The oldest fork among the forks with the same containers. */
export type ForkFamily = "altair" | "capella" | "deneb" | "electra" | "gloas"

const FAMILIES: Readonly<Record<Fork.Fork, ForkFamily>> = {
  altair: "altair",
  bellatrix: "altair",
  capella: "capella",
  deneb: "deneb",
  electra: "electra",
  fulu: "electra",
  gloas: "gloas"
}

/**
 * Returns the oldest fork whose containers have the same form as those of the given fork.
 *
 * ```ts import.meta.vitest
 * import { Form } from "@plumbline/beacon-light-client"
 *
 * Form.familyOf("fulu") // => "electra"
 * ```
 */
export const familyOf = (fork: Fork.Fork): ForkFamily => FAMILIES[fork]
