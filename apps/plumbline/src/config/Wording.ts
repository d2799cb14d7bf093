/** `wording`: the words of refusals over a limit. */
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"

const { group, may, url } = Kinds

/** The section `wording` of the configuration file. */
export const section = group(
  {
    see: may(
      url(["http", "https"], { description: "The page that refusals over a limit link to. Default: EIP-1474." })
    ),
    dayStatus: may(
      Schema.Literals([429, 402]).annotate({
        description: "The status of refusals after the credits of a day are used up.",
        default: 429,
        message: "must be 429 or 402"
      })
    )
  },
  "Wording of refusals over a limit."
)
