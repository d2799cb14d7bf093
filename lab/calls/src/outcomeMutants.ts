/** Changes the end of a call in one place, to see that a comparison notices it. */
import * as Random from "@plumbline/seeded/Random"
import { bytesToHex, hexToBytes } from "viem"

import type { Outcome } from "./outcome.ts"

/** Returns other ends of the same call: one bit, one byte more, one gas more, another kind of end. */
export const mutants = (random: Random.Random, end: Outcome): ReadonlyArray<Outcome> => {
  switch (end._tag) {
    case "declined":
      return []
    case "refused":
      return [{ _tag: "returned", data: "0x", gasUsed: 21_000n }]
    case "halted":
      return [
        { ...end, gasUsed: end.gasUsed - 1n },
        { _tag: "reverted", data: "0x", gasUsed: end.gasUsed },
        { ...end, by: end.by === "out of gas" ? "invalid opcode" : "out of gas" }
      ]
    default: {
      const bytes = hexToBytes(end.data)
      if (bytes.length > 0) bytes[Random.int(random, bytes.length)]! ^= 1 << Random.int(random, 8)
      return [
        ...(bytes.length > 0 ? [{ ...end, data: bytesToHex(bytes) }] : []),
        { ...end, data: `${end.data}00` },
        { ...end, gasUsed: end.gasUsed + 1n },
        { ...end, _tag: end._tag === "returned" ? "reverted" : "returned" }
      ]
    }
  }
}
