/**
 * Finds a variable by its path, and compares its slot and its value with those computed by hand. Runs in the browser's
 * realm, and from the packed packages in a rehearsal.
 */
import { Layout, Location, Plan, Slot } from "@plumbline/storage-layout"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  const types = {
    t_mapping: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_string", value: "t_string" },
    t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" }
  }
  const storage = [{ label: "names", offset: 0, slot: "2", type: "t_mapping" }]
  const layout = Result.getOrThrow(Layout.fromSolc({ storage, types }))
  const location = Result.getOrThrow(Location.locate(layout, 'names["bob"]'))
  const slot = Slot.mappingEntry(new TextEncoder().encode("bob"), 2n)
  expectSame("the slot of an entry", location.slot, slot)

  // the word in the slot: the text "Bob" at the start, and twice its length in the last byte
  let plan = Result.getOrThrow(Plan.start(layout, [location]))
  while (plan._tag === "Want") plan = Plan.give(plan, (asked) => (asked === slot ? (0x426f62n << 232n) | 6n : 0n))
  expectSame("the text there", plan.values[0]?.value, "Bob")

  const refused = Location.locate(layout, "names[bob]")
  expectSame("a key without quotes", Result.isFailure(refused) && refused.failure.at, 6)
  return "a variable found by name and read, a wrong key pointed at"
}
