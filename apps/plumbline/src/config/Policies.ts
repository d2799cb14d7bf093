/** `policies`: the conditions for using a product at all. */
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"

import * as Kinds from "./Kinds.ts"

const { flag, group, may } = Kinds

const CARD = AccessPolicy.defaults

/** The section `policies` of the configuration file. */
export const section = group(
  {
    card: may(
      group(
        {
          rpc: may(flag({ description: "Require a billing card for JSON-RPC.", default: CARD.rpc })),
          ipfs: may(flag({ description: "Require a billing card for IPFS.", default: CARD.ipfs }))
        },
        "Products that an account without a billing card cannot use."
      )
    )
  },
  "Conditions for using a product at all."
)

/** The settings of the section, as the file gives them. */
export type Section = typeof section.Type

/** For each product, true if it requires a billing card. */
export interface Card {
  readonly rpc: boolean
  readonly ipfs: boolean
}

/** Returns the section as settings. */
export const card = ({ card }: Section = {}): Card => ({ ...CARD, ...card })
