/** `wording`: the words of refusals over a limit. */
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"

const { group, may, url } = Kinds

/** The section of the file. */
export const section = group(
  {
    see: may(
      url(["http", "https"], { description: "The page that refusals over a limit lead to. Default: EIP-1474." })
    ),
    dayStatus: may(
      Schema.Literals([429, 402]).annotate({
        description: "The status when the credits of a day are gone.",
        default: 429,
        message: "must be 429 or 402"
      })
    )
  },
  "Wording of refusals over a limit."
)
