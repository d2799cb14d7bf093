/** `calls`: the running of calls over proven state, for networks with `integrity: prove`. */
import * as CallQueue from "@plumbline/gateway/integrity/CallQueue"
import * as Setting from "@plumbline/gateway/schema/Setting"

export const section = Setting.group(
  {
    threads: Setting.optional(
      Setting.integer(1, 64, {
        description: "Maximum number of threads that run calls. Left out: one less than the processors, from 1 to 4."
      })
    ),
    time: Setting.defaulted(
      Setting.duration({
        description:
          "Maximum time for which a call runs, without the time in which its node is read. It is at most a third of the network's tryTimeout.",
        default: "3s",
        most: 60_000
      })
    ),
    ...CallQueue.fields
  },
  "Running of calls, estimates, access lists and simulations over proven state, for networks with integrity prove."
)
